import ProtobufWire

/// The operators that a file uses, which suffice to identify the kind of file whatever else it
/// contains.
package struct ONNXOutline: Sendable {
  /// An operator, by domain and name.
  package struct Operator: Hashable, Comparable, Sendable {
    /// The domain; empty for that of ONNX itself.
    package let domain: String
    /// Its name, for example `Conv`.
    package let name: String

    /// Creates an operator.
    package init(domain: String, name: String) {
      self.domain = domain
      self.name = name
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.domain, lhs.name) < (rhs.domain, rhs.name)
    }
  }

  /// The number of nodes outside subgraphs for each operator.
  package let counts: [Operator: Int]
  /// Whether the file contains model-local functions.
  package let hasFunctions: Bool

  init(_ record: ProtobufRecord) {
    let nodes = record.record("graph")?.records("node") ?? []
    counts = nodes.reduce(into: [:]) {
      $0[Operator(domain: $1.domain, name: $1.string("op_type")), default: 0] += 1
    }
    hasFunctions = record["functions"] != nil
  }
}

extension ProtobufRecord {
  /// The domain given in the message; empty for that of ONNX itself, which has two names.
  var domain: String { string("domain") == "ai.onnx" ? "" : string("domain") }
}
