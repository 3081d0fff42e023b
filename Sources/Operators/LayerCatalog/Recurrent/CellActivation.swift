import Bytes
import GraphIR

/// An activation inside a recurrent cell: any elementwise operator of the catalog, or a lanewise
/// one along the last axis of `[batch, units]`.
package struct CellActivation: Hashable, Sendable {
  /// The operator.
  package let operation: any CatalogOperator

  /// - Returns: `nil` for other operators.
  package init?(_ operation: any CatalogOperator) {
    let isSupported =
      operation is any ElementwiseOperator || (operation as? any LanewiseOperator)?.axes == [1]
    guard isSupported else { return nil }
    self.operation = operation
  }

  /// The hyperbolic tangent.
  package static let tanh = CellActivation(elementwise: Tanh())
  /// The logistic function.
  package static let sigmoid = CellActivation(elementwise: Sigmoid())

  private init(elementwise operation: some ElementwiseOperator) { self.operation = operation }

  /// Whether each output element depends only on the same element of the input.
  package var isElementwise: Bool { operation is any ElementwiseOperator }

  /// Applies the activation to the sums of the units of a cell.
  func apply(_ sums: ArraySlice<Double>) -> [Double] {
    if let operation = operation as? any ElementwiseOperator { return Self.map(sums, operation) }
    return (operation as? any LanewiseOperator)?.apply(sums) ?? []
  }

  private static func map(
    _ sums: ArraySlice<Double>, _ operation: some ElementwiseOperator
  ) -> [Double] {
    sums.map(operation.apply)
  }

  package static func == (lhs: CellActivation, rhs: CellActivation) -> Bool {
    AnyHashable(lhs.operation) == AnyHashable(rhs.operation)
  }

  package func hash(into hasher: inout Hasher) { operation.hash(into: &hasher) }
}

extension AttributeField where Value == CellActivation {
  /// An activation inside a cell: the operator's kind, and its settings under `name.`.
  ///
  /// - Parameter takesLanes: Whether lanewise activations along the units are allowed, in addition
  ///   to elementwise ones.
  static func activation(
    _ name: String, _ value: @escaping @Sendable (Owner) -> CellActivation, _ meaning: String,
    takesLanes: Bool = true
  ) -> AttributeField {
    let kinds = Catalog.all.filter {
      $0 is any ElementwiseOperator.Type || takesLanes && $0 is any LanewiseOperator.Type
    }.map { $0.kind }.sorted()
    let definition = AttributeDefinition(
      name, .string, meaning, choices: kinds.map { .init(value: $0, meaning: "") },
      namesActivation: true
    ).explained(by: .activations)
    return AttributeField(
      definitions: [definition],
      write: { value($0).write(name, to: &$1) }
    ) { (reader) throws(WeighbridgeError) in
      let activation = try CellActivation(name, reading: &reader)
      guard takesLanes || activation.isElementwise else {
        throw reader.malformed(
          "\(activation.operation.kind) is not elementwise, which \(name) must be")
      }
      return activation
    }
  }
}

extension CellActivation {
  /// Appends the operator's kind, and its attributes under `name.`.
  fileprivate func write(_ name: String, to attributes: inout Attributes) {
    attributes.append(name, .string(operation.kind))
    for (attribute, value) in operation.attributes.entries {
      attributes.append("\(name).\(attribute)", value)
    }
  }

  /// Reads an activation.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for an unknown operator;
  ///   ``WeighbridgeError/Code/malformed`` for one that cannot be an activation or has invalid
  ///   settings.
  fileprivate init(
    _ name: String, reading attributes: inout AttributeReader
  ) throws(WeighbridgeError) {
    let kind = try attributes.string(name)
    guard let type = Catalog.standard[kind] else {
      throw .unsupported("unknown operator \(kind) as \(name)")
    }
    let operation = try Catalog.standard.makeOperator(
      kind: kind, version: type.version, attributes: attributes.takeAll(under: name))
    guard let activation = CellActivation(operation) else {
      throw attributes.malformed("\(kind) cannot be the \(name) of a cell")
    }
    self = activation
  }
}
