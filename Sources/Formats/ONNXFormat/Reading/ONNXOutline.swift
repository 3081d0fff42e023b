import ProtobufWire

/// The operator sets that a file uses, and the operators in them: enough to identify the kind of
/// file, whatever else it contains.
package struct ONNXOutline: Sendable {
  /// An operator, by operator set and name.
  package struct Operator: Hashable, Comparable, Sendable {
    /// The operator set; empty for ONNX' own.
    package let domain: String
    /// Its name, for example `Conv`.
    package let name: String

    /// Makes an operator.
    package init(domain: String, name: String) {
      self.domain = domain
      self.name = name
    }

    package static func < (one: Self, other: Self) -> Bool {
      (one.domain, one.name) < (other.domain, other.name)
    }
  }

  /// The number of nodes outside of subgraphs for each operator.
  package let counts: [Operator: Int]
  /// Whether the file contains functions, operators defined by others.
  package let hasFunctions: Bool

  init(_ record: ProtobufRecord) {
    let nodes = record.record("graph")?.records("node") ?? []
    counts = nodes.reduce(into: [:]) {
      $0[Operator(domain: $1.domain, name: $1.text("op_type")), default: 0] += 1
    }
    hasFunctions = record["functions"] != nil
  }
}

extension ProtobufRecord {
  /// The operator set given in the message; empty for ONNX' own, which has two names.
  var domain: String { text("domain") == "ai.onnx" ? "" : text("domain") }
}
