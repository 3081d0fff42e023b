import Bytes
import GraphIR

// Building blocks shared by several normalizations.
extension Composition {
  /// (x - mean) / sqrt(variance + epsilon), with the mean and the variance computed by `mean`.
  mutating func standardized(
    _ x: ValueID, epsilon: Double,
    mean: (inout Composition, ValueID) throws(WeighbridgeError) -> ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let deviation = try difference(x, try mean(&self, x))
    let variance = try mean(&self, try product(deviation, deviation))
    return try quotient(deviation, try squareRoot(try offset(variance, by: epsilon)))
  }

  /// Multiplies by gamma and adds beta, if there are such weights after the input.
  mutating func affine(
    _ x: ValueID, hasScale: Bool, hasCenter: Bool, axes: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    var (result, weights) = (x, inputs.dropFirst())
    if hasScale, let gamma = weights.popFirst() {
      result = try product(result, try aligned(gamma, to: axes, of: x))
    }
    if hasCenter, let beta = weights.popFirst() {
      result = try sum(result, try aligned(beta, to: axes, of: x))
    }
    return result
  }
}
