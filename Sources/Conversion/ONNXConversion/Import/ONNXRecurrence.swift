import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A loop that is a recurrent operator of the catalogue.
///
/// The body's doc string states which one (``OperationRecord``). It is trusted only when the body
/// matches, node for node, what is written for such an operator, whatever the names of its values;
/// the weights are taken from where its nodes read them.
struct ONNXRecurrence {
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
  private var made: Set<String> = []
  private let weights: [String: ONNXWeight]

  /// - Parameter weights: The weights of the draft in which the loop would be written.
  /// - Returns: `nil` when the loops differ in anything but names.
  init?(_ written: ONNXNode, _ weights: [ONNXWeight], over node: ONNXNode) {
    self.weights = Dictionary(
      weights.map { ($0.head.name, $0) }, uniquingKeysWith: { first, _ in first })
    guard covers(written, node) else { return nil }
  }

  private mutating func covers(_ written: ONNXNode, _ node: ONNXNode) -> Bool {
    let settings = Dictionary(node.attributes, uniquingKeysWith: { first, _ in first })
    guard written.operation == node.operation, written.domain == node.domain,
      settings.count == written.attributes.count
    else { return false }
    return written.attributes.allSatisfy { name, value in
      settings[name].map { covers(value, $0) } ?? false
    }
  }

  private mutating func covers(_ written: ONNXAttribute, _ found: ONNXAttribute) -> Bool {
    switch (written, found) {
    case (.integer(let one), .integer(let other)): return one == other
    case (.real(let one), .real(let other)): return Float(one) == Float(other)
    case (.text(let one), .text(let other)): return one == other
    case (.integers(let one), .integers(let other)): return one == other
    case (.reals(let one), .reals(let other)): return one.map(Float.init) == other.map(Float.init)
    case (.texts(let one), .texts(let other)): return one == other
    case (.graph(let one), .graph(let other)): return covers(one, other)
    default: return false
    }
  }

  private mutating func covers(_ written: ONNXGraph, _ found: ONNXGraph) -> Bool {
    guard written.nodes.count == found.nodes.count, written.inputs.count == found.inputs.count,
      written.outputs.count == found.outputs.count, found.initializers.isEmpty
    else { return false }
    for (one, other) in zip(written.inputs, found.inputs) {
      guard one.elementType == other.elementType, give(one.name, other.name) else { return false }
    }
    for (one, other) in zip(written.nodes, found.nodes) {
      guard one.inputs.count == other.inputs.count, one.outputs.count == other.outputs.count,
        covers(one, other), zip(one.inputs, other.inputs).allSatisfy({ reads($0, $1) }),
        zip(one.outputs, other.outputs).allSatisfy({ give($0, $1) })
      else { return false }
    }
    return zip(written.outputs, found.outputs).allSatisfy { names[$0.name] == $1.name }
  }

  /// Matches a value that the loop produces.
  private mutating func give(_ written: String, _ found: String) -> Bool {
    if written.isEmpty { return found.isEmpty }
    guard names.updateValue(found, forKey: written) == nil else { return false }
    return made.insert(found).inserted
  }

  private mutating func reads(_ written: String, _ found: String) -> Bool {
    if written.isEmpty { return found.isEmpty }
    if let known = names[written] { return known == found }
    guard weights[written] != nil, !made.contains(found) else { return false }
    names[written] = found
    return true
  }

  /// The weights that the loop reads: as they would be written, and their names in the file.
  var read: [(weight: ONNXWeight, name: String)] {
    weights.keys.sorted().compactMap { name in
      guard let weight = weights[name], let found = names[name] else { return nil }
      return (weight, found)
    }
  }
}
