import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// A condition that is known only when the model runs, and the model inputs that determine it.
struct ONNXDynamicCondition {
  /// The inputs with a single element that determine it.
  private var scalarInputs: Set<String> = []
  /// The inputs with a dimension of unknown size that determines it.
  private var dynamicInputs: Set<String> = []
  /// The inputs with several elements that determine it.
  private var tensorInputs: Set<String> = []
  /// A number with which something is compared, as an example for a fixed input.
  private var comparedNumber: Double?

  /// - Parameter value: A condition that is known only when the model runs.
  init(_ value: ONNXValue, _ network: ONNXNetwork) {
    switch value {
    case .computed(let id): trace(id, network)
    case .constant: break
    case .dimensions(let dimensions, _, _):
      for case .axis(let id, _, _) in dimensions {
        dynamicInputs.formUnion(Self.dynamicInputs(id, network))
      }
    }
  }

  /// Collects the inputs from which a value is computed.
  private mutating func trace(_ id: ValueID, _ network: ONNXNetwork) {
    var (stack, visited) = ([id], Set([id]))
    while let id = stack.popLast() {
      if let name = network.inputNames[id] {
        let isScalar = network.graph.type(of: id).shape.allSatisfy { $0.value == 1 }
        if isScalar { scalarInputs.insert(name) } else { tensorInputs.insert(name) }
      }
      guard let (operation, inputs) = network.producers[id] else { continue }
      if operation is Shape {
        dynamicInputs.formUnion(Self.dynamicInputs(inputs[0], network))
        continue
      }
      if operation is Comparison {
        let constants = inputs.compactMap { network.graph.constant(of: $0) }
        comparedNumber = comparedNumber ?? constants.first { $0.count == 1 }?.doubles[0]
      }
      stack += inputs.filter { visited.insert($0).inserted }
    }
  }

  /// Returns the inputs of unknown size from which a value is computed.
  private static func dynamicInputs(_ id: ValueID, _ network: ONNXNetwork) -> Set<String> {
    var (stack, visited, names) = ([id], Set([id]), Set<String>())
    while let id = stack.popLast() {
      if let name = network.inputNames[id], network.graph.type(of: id).fixedShape == nil {
        names.insert(name)
      }
      stack += (network.producers[id]?.inputs ?? []).filter { visited.insert($0).inserted }
    }
    return names
  }

  /// Whether sizes determine it.
  var followsFromSizes: Bool { !dynamicInputs.isEmpty }

  /// Why the condition cannot be evaluated beforehand, and what the user can do.
  var reason: String { reason("its condition") }

  /// The same where it is the number of a loop's steps.
  var reasonOfLoop: String { reason("its number of steps") }

  private func reason(_ subject: String) -> String {
    var reasons: [String] = []
    if !tensorInputs.isEmpty {
      reasons.append(
        "\(subject) depends on the elements of \(Self.list(tensorInputs)), known only when the model runs"
      )
    }
    if let name = scalarInputs.sorted().first {
      let number = comparedNumber.map { InputValue.description(of: $0) } ?? "NUMBER"
      reasons.append(
        "\(subject) follows from \(Self.list(scalarInputs)), known only when the model runs: "
          + "fix \(scalarInputs.count == 1 ? "it" : "them"), for example with "
          + "\(APIName.fixedInputs) \(name)=\(number)"
      )
    }
    if let name = dynamicInputs.sorted().first {
      reasons.append(
        "\(subject) follows from a size of \(Self.list(dynamicInputs)) that the file leaves "
          + "open: state the shape of all axes, with \(APIName.inputShapes) \(name)=1,3,224,224 or whatever "
          + "it is")
    }
    return reasons.isEmpty
      ? "\(subject) is known only when the model runs" : reasons.joined(separator: "; ")
  }

  private static func list(_ names: Set<String>) -> String {
    "the input\(names.count == 1 ? "" : "s") \(names.sorted().joined(separator: ", "))"
  }
}

extension InputValue {
  /// Returns a number as a user would write it: as an integer where possible.
  fileprivate static func description(of number: Double) -> String {
    Int(exactly: number).map { InputValue.integer($0).description }
      ?? InputValue.real(number).description
  }
}
