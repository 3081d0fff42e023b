import ProtobufWire

/// Which sets of operators a file uses, and which of their operators: all that is needed to say what
/// kind of file it is, whatever else is in it.
package struct ONNXOutline: Sendable {
  /// An operator by its set and name.
  package struct Operator: Hashable, Comparable, Sendable {
    /// The set that it belongs to; empty for ONNX' own.
    package let domain: String
    /// Its name, for example `Conv`.
    package let name: String

    /// Makes a name.
    package init(domain: String, name: String) {
      self.domain = domain
      self.name = name
    }

    package static func < (one: Self, other: Self) -> Bool {
      (one.domain, one.name) < (other.domain, other.name)
    }
  }

  /// How many nodes outside of bodies have each operator.
  package let counts: [Operator: Int]
  /// Whether the file itself defines operators by others.
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
  /// The set of operators that the message names; empty for ONNX' own, which has two names.
  var domain: String { text("domain") == "ai.onnx" ? "" : text("domain") }
}
