import ProtobufWire

/// The operators that a file uses, which suffice to identify the kind of file whatever else it
/// contains.
package struct ONNXOutline: Sendable {
  /// An operator, by domain, name and, of a function, overload.
  package struct Operator: Hashable, Comparable, Sendable {
    /// The domain; empty for that of ONNX itself.
    package let domain: String
    /// Its name, for example `Conv`.
    package let name: String

    /// Which of the functions of this name in a file it is; empty for the only one.
    package let overload: String

    /// Creates an operator.
    package init(domain: String, name: String, overload: String = "") {
      self.domain = domain
      self.name = name
      self.overload = overload
    }

    /// The name with its domain, where that is not ONNX's own.
    package var fullName: String { domain.isEmpty ? name : "\(domain).\(name)" }

    package static func < (lhs: Self, rhs: Self) -> Bool {
      (lhs.domain, lhs.name, lhs.overload) < (rhs.domain, rhs.name, rhs.overload)
    }
  }

  /// The number of nodes outside subgraphs for each operator; those of functions of the file in
  /// place of the operators that they define.
  package let counts: [Operator: Int]

  init(_ record: ProtobufRecord) {
    let functions = record.records("functions")
    let nodes =
      (record.record("graph")?.records("node") ?? []) + functions.flatMap { $0.records("node") }
    let all = nodes.reduce(into: [:]) { counts, node in
      counts[Operator(node, nameField: "op_type"), default: 0] += 1
    }
    let defined = Set(functions.map { Operator($0, nameField: "name") })
    counts = all.filter { !defined.contains($0.key) }
  }
}

extension ONNXOutline.Operator {
  fileprivate init(_ record: ProtobufRecord, nameField: String) {
    self.init(
      domain: record.domain, name: record.string(nameField), overload: record.string("overload"))
  }
}

extension ProtobufRecord {
  /// The domain given in the message; empty for that of ONNX itself, which has two names.
  var domain: String { string("domain") == "ai.onnx" ? "" : string("domain") }
}
