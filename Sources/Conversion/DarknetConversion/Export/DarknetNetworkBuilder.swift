import Bytes
import DarknetFormat
import GraphIR

/// A section to be written.
struct DarknetSectionText {
  let name: String
  var options: [(key: String, value: String)] = []

  init(_ name: String) { self.name = name }

  /// Adds an option.
  mutating func set(_ key: String, _ value: some CustomStringConvertible) {
    options.append((key, "\(value)"))
  }

  /// Adds an option unless its value is darknet's default.
  mutating func set<Value: CustomStringConvertible & Equatable>(
    _ key: String, _ value: Value, unless defaultValue: Value
  ) {
    if value != defaultValue { set(key, value) }
  }

  /// Adds a flag if it is set.
  mutating func flag(_ key: String, _ isSet: Bool) { if isSet { set(key, 1) } }

  /// The section as the text of a `.cfg`.
  var text: String {
    "[\(name)]\n" + options.map { "\($0.key)=\($0.value)\n" }.joined()
  }

  fileprivate var section: DarknetSection {
    DarknetSection(
      name: name, line: 1,
      options: options.map { DarknetOption(key: $0.key, value: $0.value, line: 1) })
  }
}

/// A `.cfg` that is built section by section, and the network that results from reading it again.
struct DarknetNetworkBuilder {
  /// The fork of darknet that will read it.
  let fork: DarknetFork
  private var sections: [DarknetSectionText] = []
  private var names: [String] = ["net"]
  // `nil` only while a section is added, so that the network is never copied.
  private var network: DarknetNetwork?

  /// Starts with the network's own section.
  init(fork: DarknetFork, net: DarknetSectionText) throws(WeighbridgeError) {
    self.fork = fork
    sections = [net]
    let empty = DarknetNetwork(fork: fork, isStrict: true, weights: .recording()) { _ in nil }
    network = try DarknetImporter.begin(net.section, empty).0
  }

  /// The position of the next section, as darknet counts them.
  var nextPosition: Int { sections.count - 1 }

  /// Adds a section and reads it again.
  ///
  /// - Returns: The section's position and its output's type.
  /// - Throws: What reading it throws.
  @discardableResult
  mutating func add(
    _ section: DarknetSectionText
  ) throws(WeighbridgeError) -> (position: Int, type: TensorType?) {
    guard let current = network.take() else { throw Self.broken }
    let (position, name) = (nextPosition, DarknetSections.name(section.name))
    let extended: DarknetNetwork
    do throws(WeighbridgeError) {
      extended = try DarknetImporter.add(
        section.section, name: name, index: position, to: current)
    } catch {
      throw WeighbridgeError(error.code, error.reason)
    }
    sections.append(section)
    names.append(name)
    let type = extended.layers[position].output.map { extended.graph.type(of: $0) }
    network = extended
    return (position, type)
  }

  /// The name that a weight of a section gets when it is read.
  func weightName(_ position: Int, _ role: String) -> String {
    "\(position)_\(names[position + 1])/\(role)"
  }

  private var text: String { sections.map(\.text).joined(separator: "\n") }

  /// Finishes the network and returns the contents of the files, without the values of weights.
  consuming func finish() throws(WeighbridgeError) -> DarknetPlan {
    guard let network else { throw Self.broken }
    let outputs = DarknetImporter.outputs(network, names: names)
    let storedWeights = network.weights.takenWeights.map { weight in
      DarknetPlan.StoredWeight(
        name: weightName(weight.layer, weight.role), role: weight.role, shape: weight.shape)
    }
    let graph = try network.graph.finish(outputs: outputs.map(\.port))
    return DarknetPlan(
      fork: fork, text: text, graph: graph, storedWeights: storedWeights,
      losses: try warnings())
  }

  /// Messages about differences that users of the files should know.
  private func warnings() throws(WeighbridgeError) -> [String] {
    var warnings: [String] = []
    let choice = DarknetForkChoice(
      try DarknetConfiguration(bytes: Array(text.utf8)), given: nil)
    if choice.fork != fork {
      warnings.append("nothing in the .cfg tells that it is for \(fork.title)")
    }
    let zeros = sections.flatMap { section in
      section.options.filter { $0.key == "activation" }.map(\.value)
        .filter { DarknetLayer.outputsZeros($0, in: section.name) }
    }
    if fork == .alexeyab, !zeros.isEmpty {
      warnings.append(
        "on a CPU, \(fork.title) outputs only zeros in sections with the activation "
          + Set(zeros).sorted().joined(separator: " or "))
    }
    return warnings
  }

  private static let broken = WeighbridgeError(.unsupported, "a section could not be written")
}

/// The contents of the two files.
struct DarknetPlan {
  /// A weight in the `.weights` file.
  struct StoredWeight {
    /// The name of the weight in ``graph``.
    let name: String
    /// Its role in its layer.
    let role: String
    /// The shape in the axis order of the file.
    let shape: [Int]
  }

  /// The fork of darknet that will read the files.
  let fork: DarknetFork
  /// The text of the `.cfg` file.
  let text: String
  /// The network that results from reading the files again, with placeholders for the weights.
  let graph: Graph
  /// The weights in the order of the file.
  let storedWeights: [StoredWeight]
  /// The weights, by their names in ``graph``.
  var weights: [String: Tensor] = [:]
  /// Messages about what is lost.
  var losses: [String] = []
}
