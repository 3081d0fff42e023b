package import Bytes
package import GraphIR

/// A list of operators, in which readers look up the kinds stored in files.
package struct Catalog: Sendable {
  private let byKind: [String: any CatalogOperator.Type]

  /// Creates a list of operators, each of a different kind.
  package init(_ operators: [any CatalogOperator.Type]) {
    byKind = Dictionary(operators.map { ($0.kind, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The operators of this module.
  package static let standard = Catalog(all)
}

extension Catalog {
  /// The operator with a stored kind; `nil` when there is none.
  package subscript(kind: String) -> (any CatalogOperator.Type)? { byKind[kind] }

  /// Creates the operator that is stored in a file, including ``Opaque`` ones.
  ///
  /// - Throws: As ``makeOperator(kind:version:attributes:subgraphs:)``.
  package func makeStoredOperator(
    kind: String, version: Int, attributes: Attributes, subgraphs: [Subgraph] = []
  ) throws(WeighbridgeError) -> any Operator {
    guard kind == Opaque.kind, version == Opaque.version else {
      return try makeOperator(
        kind: kind, version: version, attributes: attributes, subgraphs: subgraphs)
    }
    var reader = try AttributeReader(attributes, of: kind, subgraphs: subgraphs)
    let operation = try Opaque(reading: &reader)
    try reader.finish()
    return operation
  }

  /// Creates the operator of the catalog that is stored in a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for an unknown kind, version or attribute, or a surplus
  ///   subgraph; ``WeighbridgeError/Code/malformed`` for invalid settings.
  package func makeOperator(
    kind: String, version: Int, attributes: Attributes, subgraphs: [Subgraph] = []
  ) throws(WeighbridgeError) -> any CatalogOperator {
    guard let type = self[kind] else { throw .unsupported("unknown operator \(kind)") }
    guard (type.earliestVersion...type.version).contains(version) else {
      let advice =
        version < type.version
        ? "convert the original model again" : "a newer version of this program can read it"
      throw .unsupported(
        "\(kind) has version \(version), and this program knows \(type.version); \(advice)")
    }
    var reader = try AttributeReader(attributes, of: kind, subgraphs: subgraphs)
    let operation = try type.init(reading: &reader)
    try reader.finish()
    return operation
  }
}
