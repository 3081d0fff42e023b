import Bytes
import GraphIR

// Building blocks of several normalisations.
extension Composition {
  /// (x - mean) / sqrt(variance + epsilon), with the mean and the variance computed by `mean`.
  mutating func standardized(
    _ x: ValueID, epsilon: Double,
    mean: (inout Composition, ValueID) throws(WeighbridgeError) -> ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let distance = try difference(x, try mean(&self, x))
    let variance = try mean(&self, try product(distance, distance))
    return try quotient(distance, try squareRoot(try offset(variance, by: epsilon)))
  }

  /// Multiplies by the first weight after the input and adds the next, as far as they exist.
  mutating func affine(
    _ x: ValueID, hasScale: Bool, hasCenter: Bool, axes: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    let rank = type(x).rank
    var (result, weights) = (x, inputs.dropFirst())
    if hasScale, let gamma = weights.popFirst() {
      result = try product(result, try along(axes, gamma, rank: rank))
    }
    if hasCenter, let beta = weights.popFirst() {
      result = try sum(result, try along(axes, beta, rank: rank))
    }
    return result
  }
}
