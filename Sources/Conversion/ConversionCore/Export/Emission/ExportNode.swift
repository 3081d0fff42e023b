package import Bytes

/// A node in a target that refers to its inputs and outputs by name.
package protocol ExportNode {
  /// The names of its inputs.
  var inputs: [String] { get set }
  /// The names of its outputs.
  var outputs: [String] { get set }
  /// The names that the node or one of its subgraphs reads.
  var reads: Set<String> { get }
  /// Returns the node with renamed inputs and outputs; names that are not listed stay.
  func renaming(_ names: [String: String]) -> Self
}

extension ExportNode {
  package var reads: Set<String> { Set(inputs) }

  package func renaming(_ names: [String: String]) -> Self {
    var result = self
    result.inputs = inputs.map { names[$0] ?? $0 }
    result.outputs = outputs.map { names[$0] ?? $0 }
    return result
  }
}

extension Array where Element: ExportNode {
  /// Returns the nodes that some outputs need, in the same order.
  ///
  /// - Parameter newNames: The new names of values.
  package func needed(for outputs: [String], renaming newNames: [String: String]) -> [Element] {
    var needed = Set(outputs)
    var kept: [Element] = []
    for node in reversed() {
      let node = node.renaming(newNames)
      guard node.outputs.contains(where: needed.contains) else { continue }
      needed.formUnion(node.reads)
      kept.append(node)
    }
    return kept.reversed()
  }
}

extension ExportBuilder where Value == ExportOperand {
  /// Returns the new names of values by which a model's outputs get their names. An output that is
  /// also a weight, an input or another output is copied first.
  ///
  /// - Parameters:
  ///   - isFixed: Whether a name cannot be changed because no node produces its value.
  ///   - copy: Adds a node that copies a value under another name, and returns that name.
  package mutating func newNames(
    for outputs: [ExportOperand], _ names: [String], isFixed: (String) -> Bool,
    copy: (inout Self, ExportOperand) throws(WeighbridgeError) -> String
  ) throws(WeighbridgeError) -> [String: String] {
    var newNames: [String: String] = [:]
    for (value, name) in zip(outputs, names) {
      if value.constant == nil, !isFixed(value.name), newNames[value.name] == nil {
        newNames[value.name] = name
      } else {
        scope.prefix = name
        newNames[try copy(&self, value)] = name
      }
    }
    return newNames
  }
}
