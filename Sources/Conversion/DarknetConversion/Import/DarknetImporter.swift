import Bytes
import ConversionCore
import DarknetFormat
import GraphIR

/// Converts the sections of a `.cfg` file and the weights of a `.weights` file to a graph.
struct DarknetImporter {
  /// The result of an import.
  struct Result {
    let graph: Graph
    let decisions: [Provenance.Decision]
    /// The box layers, with the names of their outputs.
    let heads: [(output: String, head: DarknetHead)]
    /// Whether images are letterboxed, if the network states it.
    let isLetterboxed: Bool?
  }

  let configuration: DarknetConfiguration
  let fork: DarknetFork
  let isStrict: Bool
  let trees: [String: DarknetTree]
  /// Whether an error may advise to read the file as the other fork, after it was tried.
  var advisesOtherFork = true

  /// Imports the network.
  ///
  /// - Parameter weights: The weights, all of which must be used.
  /// - Throws: ``WeighbridgeError/Code/malformed`` and ``WeighbridgeError/Code/unsupported`` with
  ///   the line and the layer; the error of a ``DarknetSizeMismatch`` when the weights do not fit.
  func run(_ weights: DarknetWeightSupply) throws(WeighbridgeError) -> Result {
    try checkPlaceholders()
    let names = try sectionNames()
    let (network, isLetterboxed) = try network(names, weights)
    if let mismatch = DarknetSizeMismatch(network, self) { throw mismatch.error }
    let outputs = Self.outputs(network, names: names)
    let heads = outputs.compactMap { index, port in
      network.layers[index].head.map { (port.name, $0) }
    }
    return Result(
      graph: try network.graph.finish(outputs: outputs.map(\.port)),
      decisions: network.decisions, heads: heads, isLetterboxed: isLetterboxed)
  }

  /// The number of parameters that the network takes.
  ///
  /// - Throws: What ``run(_:)`` throws for the `.cfg` alone.
  func parameterCount() throws(WeighbridgeError) -> Int {
    try network(sectionNames(), .recording()).network.weights.taken
  }

  /// Returns the same importer for another configuration.
  func with(_ configuration: DarknetConfiguration) -> DarknetImporter {
    DarknetImporter(configuration: configuration, fork: fork, isStrict: isStrict, trees: trees)
  }

  /// Builds all layers, even if the weights do not fit.
  private func network(
    _ names: [String], _ weights: DarknetWeightSupply
  ) throws(WeighbridgeError) -> (network: DarknetNetwork, isLetterboxed: Bool?) {
    let (trees, isRandom) = (trees, weights.isRandom)
    var network = DarknetNetwork(
      fork: fork, isStrict: isStrict, weights: weights, isReadByOtherFork: isReadByOtherFork
    ) {
      (path) throws(WeighbridgeError) in
      if let tree = trees[path] { return tree }
      guard isRandom else { throw .missing("the tree \(path) is not there") }
      return nil
    }
    var isLetterboxed: Bool?
    for (position, section) in configuration.sections.enumerated() {
      if position == 0 {
        (network, isLetterboxed) = try Self.begin(section, consume network)
      } else {
        network = try Self.add(
          section, name: names[position], index: position - 1, to: consume network)
      }
    }
    return (network, isLetterboxed)
  }

  /// Whether the other fork reads the whole file, and none of it is known to this fork only.
  private func isReadByOtherFork() -> Bool {
    guard advisesOtherFork, DarknetForkChoice.evidence(configuration)[fork] == nil else {
      return false
    }
    let other = DarknetImporter(
      configuration: configuration, fork: fork.other, isStrict: isStrict, trees: trees,
      advisesOtherFork: false)
    return (try? other.parameterCount()) != nil
  }

  /// - Throws: ``WeighbridgeError/Code/malformed`` at the first value that is a placeholder of a
  ///   template, before a key is named that defines it.
  private func checkPlaceholders() throws(WeighbridgeError) {
    let definitions = configuration.sections.flatMap(\.options)
    for (position, section) in configuration.sections.enumerated() {
      let kind = DarknetSections.name(section.name)
      for option in section.options
      where option.value.contains("$") && !DarknetKeys.hasNoEffect(option.key, in: kind)
        && !(kind == "net" && DarknetOtherForks.isForTraining(option.key))
      {
        let name = option.value.split { "${}".contains($0) }.first.map(String.init) ?? ""
        let value = definitions.first { $0.key == name && !$0.value.isEmpty }
        throw .malformed(
          "\(option.text) is a placeholder of a template, and darknet reads 0 for it; write "
            + (value.map { "\(option.key)=\($0.value), as line \($0.line) has it" } ?? "a number")
        )
        .at(.line(option.line))
        .at(layer: position == 0 ? "[\(section.name)]" : "#\(position - 1) [\(section.name)]")
      }
    }
  }

  /// The full names of all sections.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with all unknown sections.
  private func sectionNames() throws(WeighbridgeError) -> [String] {
    let first = configuration.sections[0]
    guard DarknetSections.name(first.name) == "net" else {
      throw .malformed(
        "begins with [\(first.name)], and the first section must be [net] or [network]"
      )
      .at(.line(first.line))
    }
    guard configuration.sections.count > 1 else {
      throw .malformed("has no layer, expected one section or more after the first").at(
        .line(first.line))
    }
    let names = configuration.sections.map { DarknetSections.name($0.name) }
    let unknown = configuration.sections.indices.dropFirst().filter {
      DarknetSections.all[names[$0]] == nil
    }
    guard let first = unknown.first else { return names }
    let lines = unknown.map {
      "#\($0 - 1) [\(configuration.sections[$0].name)], line \(configuration.sections[$0].line)"
    }
    throw LayerProblems.error(lines) { "\($0) of a section that is not known" }
      .at(.line(configuration.sections[first].line))
  }

  /// Begins a network with its own section.
  ///
  /// - Returns: The network, and whether images are letterboxed, if the section states it.
  static func begin(
    _ section: DarknetSection, _ network: consuming DarknetNetwork
  ) throws(WeighbridgeError) -> (DarknetNetwork, Bool?) {
    do throws(WeighbridgeError) {
      var layer = try DarknetLayer(section, name: "net", index: -1, network: network)
      let isLetterboxed = try layer.beginNetwork()
      return (layer.network, isLetterboxed)
    } catch {
      throw error.at(.line(section.line)).at(layer: "[\(section.name)]")
    }
  }

  /// Adds a section to a network.
  static func add(
    _ section: DarknetSection, name: String, index: Int, to network: consuming DarknetNetwork
  ) throws(WeighbridgeError) -> DarknetNetwork {
    let fork = network.fork
    do throws(WeighbridgeError) {
      guard let build = DarknetSections.all[name]?.build else { return network }
      if let onlyFork = DarknetKeys.exclusiveSections[name], onlyFork != fork {
        throw .unsupported(
          "\(fork.title) does not know this section, and \(onlyFork.title) does"
            + network.otherForkAdvice)
      }
      guard let meaning = DarknetOtherForks.sections[section.name] else {
        return try DarknetLayer(section, name: name, index: index, network: network)
          .built(by: build)
      }
      if let onlyFork = meaning.onlyFork, onlyFork != fork {
        throw .unsupported(
          "is \(meaning.title), which \(fork.title) does not know, and \(onlyFork.title) does"
            + network.otherForkAdvice)
      }
      var layer = try DarknetLayer(
        meaning.applied(to: section), name: name, index: index, network: network)
      try layer.tolerate("[\(section.name)] is not darknet's: it is read as \(meaning.title)")
      return try layer.built(by: build)
    } catch {
      throw error.at(.line(section.line)).at(layer: "#\(index) [\(section.name)]")
    }
  }

  /// The model's outputs: every box layer, and the last layer that has an output.
  static func outputs(
    _ network: DarknetNetwork, names: [String]
  ) -> [(index: Int, port: Port)] {
    let boxes = ["yolo", "gaussian_yolo", "region", "detection"]
    let last = network.layers.lastIndex { $0.output != nil }
    return network.layers.indices.compactMap { index in
      guard let value = network.layers[index].output,
        index == last || boxes.contains(names[index + 1])
      else { return nil }
      return (index, Port(name: "\(index)_\(names[index + 1])", value: value))
    }
  }
}
