import Bytes
package import GraphIR
package import LayerCatalog

/// An operator with input tensors. Every check of the catalog runs on these.
///
/// Axis 0 of each data input is the batch. An example should be small (a check may run it a hundred
/// times) and have different sizes along different axes, and its settings should have an effect.
package struct OperatorExample: Sendable, CustomStringConvertible {
  /// The operator.
  package let operation: any CatalogOperator
  /// One tensor for each slot; float32 where the operator takes floating-point elements.
  package let inputs: [Tensor]

  /// Creates an example with given tensors.
  package init(_ operation: any CatalogOperator, inputs: [Tensor]) {
    self.operation = operation
    self.inputs = inputs
  }

  /// Creates an example with random tensors.
  ///
  /// - Parameters:
  ///   - shapes: One shape for each slot.
  ///   - range: The range of the elements.
  package init(
    _ operation: any CatalogOperator, shapes: [[Int]], in range: ClosedRange<Double> = -2...2
  ) {
    let inputs = shapes.enumerated().map { position, shape in
      Tensor.random(.float32, shape: shape, in: range, seed: UInt64(position + 1))
    }
    self.init(operation, inputs: inputs)
  }

  /// The operator with its settings, and the shapes of the inputs.
  package var description: String { "\(operation) on \(inputs.map(\.shape))" }

  /// The types of the inputs.
  package var types: [TensorType] { inputs.map(\.type) }

  /// The indices of the inputs that are not weights.
  package var dataPositions: [Int] {
    inputs.indices.filter {
      if case .weight = operation.slot($0) { false } else { true }
    }
  }

  /// The same example in `Double`; integers and booleans are unchanged.
  package var inDouble: OperatorExample { converted(to: .float64) }

  /// All examples; at least one for each operator of the catalog.
  package static let all: [OperatorExample] =
    activations + arithmetic + attention + control + convolutions + encoding + logic + merging
    + normalizations + operations + pooling + recurrent + reductions + reshaping + resizing
}
