import Bytes
package import GraphIR
package import LayerCatalog

/// The weights of a recurrent operator gate by gate, for formats that store the gates in another
/// order or the biases in another form.
package struct RecurrentGates: Sendable {
  /// Each gate's kernel for the input, `[units, features]`.
  package let kernels: [Tensor]
  /// Each gate's kernel for the state, `[units, units]`.
  package let recurrentKernels: [Tensor]
  /// Each gate's bias of the products with the input, `[units]`; empty if there are no biases.
  package let biases: [Tensor]
  /// Each gate's bias of the products with the state, `[units]`, zeros if only the input's products
  /// have biases; empty if there are no biases.
  package let recurrentBiases: [Tensor]

  /// The number of units.
  package var units: Int { recurrentKernels[0].shape[1] }

  /// - Parameter weights: Kernel, recurrent kernel, and the bias, if any.
  package init<Operation: RecurrentOperator>(_ operation: Operation, weights: [Tensor]) {
    let count = Operation.gateCount
    let units = weights[1].shape[1]
    let parts = weights.prefix(2).map { kernel in
      (0..<count).map { kernel.slice($0 * units..<($0 + 1) * units, along: 0) }
    }
    (kernels, recurrentKernels) = (parts[0], parts[1])
    guard operation.bias != .none else {
      (biases, recurrentBiases) = ([], [])
      return
    }
    let rows = weights[2].reshaped([weights[2].count / units, units])
    let vectors = (0..<rows.shape[0]).map { rows.slice($0..<$0 + 1, along: 0).reshaped([units]) }
    let zeros = Tensor(
      rows.elementType, shape: [units], [Double](repeating: 0, count: units))
    biases = Array(vectors[..<count])
    recurrentBiases =
      operation.bias == .separate
      ? Array(vectors[count...]) : [Tensor](repeating: zeros, count: count)
  }

  /// Returns the sum of a gate's two biases, `[units]` in float32, for formats that have only one;
  /// `nil` if there are no biases.
  package func summedBias(_ gate: Int) -> Tensor? {
    guard !biases.isEmpty else { return nil }
    let sums = zip(biases[gate].doubles, recurrentBiases[gate].doubles).map(+)
    return Tensor(.float32, shape: [units], sums)
  }
}

extension Tensor {
  /// Returns a weight `[gates * units, ...]` with its gates in another order.
  ///
  /// - Parameter order: For each gate of the result, the index of the gate here.
  /// - Complexity: Copies all elements.
  package func reorderingGates(_ order: [Int]) -> Tensor {
    let bytes = contiguousBytes()
    let size = bytes.count / order.count
    return Tensor(
      elementType, shape: shape, bytes: order.flatMap { bytes[$0 * size..<($0 + 1) * size] })
  }
}
