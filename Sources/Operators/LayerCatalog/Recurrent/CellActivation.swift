import Bytes
import GraphIR

/// An activation inside a recurrent cell: any elementwise operator of the catalog, or a lanewise
/// one along the units of `[batch, units]`, or along the channels of images.
package struct CellActivation: Hashable, Sendable {
  /// The operator.
  package let operation: any CatalogOperator
  private let function: @Sendable ([Double]) -> [Double]

  /// - Returns: `nil` for other operators.
  package init?(_ operation: any CatalogOperator) {
    if let elementwise = operation as? any ElementwiseOperator {
      guard let function = elementwise.pointwise([.float64]) else { return nil }
      self.function = { function([$0]) }
    } else {
      guard (operation as? any LanewiseOperator)?.axes == [1] else { return nil }
      function = { sums in
        let lane = Tensor(.float64, shape: [1, sums.count], sums)
        // It is defined for all floating-point numbers.
        let outputs = try? operation.evaluate([lane], workers: Workers(count: 1))
        return outputs?[0].doubles ?? sums.map { _ in .nan }
      }
    }
    self.operation = operation
  }

  /// The hyperbolic tangent.
  package static let tanh = CellActivation(scalar: Tanh())
  /// The logistic function.
  package static let sigmoid = CellActivation(scalar: Sigmoid())

  private init(scalar operation: some ScalarOperator) {
    self.operation = operation
    function = { $0.map(operation.apply) }
  }

  /// Whether each output element depends only on the same element of the input.
  package var isElementwise: Bool { operation is any ElementwiseOperator }

  /// Applies the activation to the sums of the units of a cell, `[units, positions]`.
  ///
  /// - Parameter positions: The number of pixels, at each of which the units are activated.
  package func apply(_ sums: ArraySlice<Double>, positions: Int = 1) -> [Double] {
    if positions == 1 || isElementwise { return function(Array(sums)) }
    var results = Array(sums)
    for position in 0..<positions {
      let lane = Array(stride(from: position, to: results.count, by: positions))
      for (index, result) in zip(lane, function(lane.map { results[$0] })) {
        results[index] = result
      }
    }
    return results
  }

  /// The operator for values whose units are along an axis.
  func placed(along axis: Int) -> any CatalogOperator {
    guard let lanes = operation as? any LanewiseOperator else { return operation }
    return type(of: lanes).init(axes: [axis])
  }

  package static func == (lhs: CellActivation, rhs: CellActivation) -> Bool {
    AnyHashable(lhs.operation) == AnyHashable(rhs.operation)
  }

  package func hash(into hasher: inout Hasher) { operation.hash(into: &hasher) }
}

extension AttributeField where Value == CellActivation {
  /// An activation inside a cell: the operator's kind, and its settings under `name.`.
  static func activation(
    _ name: String, _ value: @escaping @Sendable (Owner) -> CellActivation, _ meaning: String
  ) -> AttributeField {
    let kinds = Catalog.all.filter {
      $0 is any ElementwiseOperator.Type || $0 is any LanewiseOperator.Type
    }.map { $0.kind }.sorted()
    let definition = AttributeDefinition(
      name, .string, meaning, choices: kinds.map { .init(value: $0, meaning: "") },
      namesActivation: true
    ).explained(by: .activations)
    return AttributeField(
      definitions: [definition],
      write: { value($0).write(name, to: &$1) }
    ) { (reader) throws(WeighbridgeError) in
      try CellActivation(name, reading: &reader)
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
