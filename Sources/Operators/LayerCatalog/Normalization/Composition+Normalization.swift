import Bytes
import GraphIR

// What several normalisations are made of.
extension Composition {
  /// (x - mean) / sqrt(variance + epsilon), with the mean and the variance as `mean` takes them.
  mutating func standardized(
    _ x: ValueID, epsilon: Double,
    mean: (inout Composition, ValueID) throws(WeighbridgeError) -> ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let distance = try difference(x, try mean(&self, x))
    let variance = try mean(&self, try product(distance, distance))
    return try quotient(distance, try squareRoot(try offset(variance, by: epsilon)))
  }

  /// The weights behind the input: the first as a factor and the next as an addend, as far as there
  /// are any.
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
