import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A loop that represents a recurrent operator of the catalog.
///
/// The body's doc string states which one (``OperationRecord``). It is trusted only when the body
/// matches, node for node, what is written for such an operator, whatever the names of its values;
/// the weights are those that its nodes read.
struct ONNXRecurrentLoop {
  let operation: any CatalogOperator
  let recurrence: Recurrence
  let stateCount: Int

  init?(_ body: ONNXGraph) {
    guard let operation = body.summary.flatMap(OperationRecord.init)?.operation else { return nil }
    self.operation = operation
    switch operation {
    case let operation as any RecurrentOperator:
      recurrence = operation.recurrence
      stateCount = type(of: operation).stateNames.count
    case let operation as ConvLSTM:
      recurrence = operation.recurrence
      stateCount = 2  // the output and the cell
    default: return nil
    }
  }

  /// Whether the output is carried from step to step along with the states.
  var carriesOutput: Bool { [.previous, .zero].contains(recurrence.mask) }

  /// The number of values carried from step to step.
  var carriedCount: Int { stateCount + (carriesOutput ? 1 : 0) }
}

/// The match of a loop that would be written with one in a file.
struct ONNXLoopMatch {
  /// The file's name of each value of the loop that would be written.
  private var names: [String: String] = [:]
  /// The file's names of the values that its loop produces.
  private var produced: Set<String> = []
  private let weights: [String: ONNXWeight]

  /// - Parameter weights: The weights that would be written with the loop.
  /// - Returns: `nil` when the loops differ in anything but names.
  init?(_ expected: ONNXNode, _ weights: [ONNXWeight], over node: ONNXNode) {
    self.weights = Dictionary(
      weights.map { ($0.initializer.name, $0) }, uniquingKeysWith: { first, _ in first })
    guard matches(expected, node) else { return nil }
  }

  private mutating func matches(_ expected: ONNXNode, _ node: ONNXNode) -> Bool {
    let settings = Dictionary(node.attributes, uniquingKeysWith: { first, _ in first })
    guard expected.operation == node.operation, expected.domain == node.domain,
      settings.count == expected.attributes.count
    else { return false }
    return expected.attributes.allSatisfy { name, value in
      settings[name].map { matches(value, $0) } ?? false
    }
  }

  private mutating func matches(_ expected: ONNXAttribute, _ actual: ONNXAttribute) -> Bool {
    switch (expected, actual) {
    case (.integer(let lhs), .integer(let rhs)): return lhs == rhs
    case (.float(let lhs), .float(let rhs)): return Float(lhs) == Float(rhs)
    case (.string(let lhs), .string(let rhs)): return lhs == rhs
    case (.integers(let lhs), .integers(let rhs)): return lhs == rhs
    case (.floats(let lhs), .floats(let rhs)): return lhs.map(Float.init) == rhs.map(Float.init)
    case (.strings(let lhs), .strings(let rhs)): return lhs == rhs
    case (.graph(let lhs), .graph(let rhs)): return matches(lhs, rhs)
    default: return false
    }
  }

  private mutating func matches(_ expected: ONNXGraph, _ actual: ONNXGraph) -> Bool {
    guard expected.nodes.count == actual.nodes.count, expected.inputs.count == actual.inputs.count,
      expected.outputs.count == actual.outputs.count, actual.initializers.isEmpty
    else { return false }
    for (expected, actual) in zip(expected.inputs, actual.inputs) {
      guard expected.elementType == actual.elementType,
        matchProduced(expected.name, actual.name)
      else { return false }
    }
    for (expected, actual) in zip(expected.nodes, actual.nodes) {
      guard expected.inputs.count == actual.inputs.count,
        expected.outputs.count == actual.outputs.count, matches(expected, actual),
        zip(expected.inputs, actual.inputs).allSatisfy({ matchRead($0, $1) }),
        zip(expected.outputs, actual.outputs).allSatisfy({ matchProduced($0, $1) })
      else { return false }
    }
    return zip(expected.outputs, actual.outputs).allSatisfy { names[$0.name] == $1.name }
  }

  /// Matches a value that the loop produces.
  private mutating func matchProduced(_ expected: String, _ actual: String) -> Bool {
    if expected.isEmpty { return actual.isEmpty }
    guard names.updateValue(actual, forKey: expected) == nil else { return false }
    return produced.insert(actual).inserted
  }

  /// Matches a value that a node of the loop reads.
  private mutating func matchRead(_ expected: String, _ actual: String) -> Bool {
    if expected.isEmpty { return actual.isEmpty }
    if let known = names[expected] { return known == actual }
    guard weights[expected] != nil, !produced.contains(actual) else { return false }
    names[expected] = actual
    return true
  }

  /// The weights that the loop reads: as they would be written, and their names in the file.
  var readWeights: [(weight: ONNXWeight, name: String)] {
    weights.keys.sorted().compactMap { name in
      guard let weight = weights[name], let actual = names[name] else { return nil }
      return (weight, actual)
    }
  }
}
