package import Bytes

/// A node of a target that names what it reads and what it makes.
package protocol ExportNode {
  /// What it reads itself.
  var inputs: [String] { get set }
  /// What it makes.
  var outputs: [String] { get set }
  /// What it, or a body of it, reads.
  var reads: Set<String> { get }
  /// The same with other names for what it reads and makes; those that are not listed stay.
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
  /// The nodes that outputs need, in the same order.
  ///
  /// - Parameter newNames: What values are called from here on.
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
  /// The names that values get so that a model's outputs have theirs. An output that is a weight, an
  /// input or another output too is copied first.
  ///
  /// - Parameters:
  ///   - isFixed: Whether no node makes what has a name, so that it stays what it is.
  ///   - copy: Adds a node that makes the same under another name, and returns that.
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
