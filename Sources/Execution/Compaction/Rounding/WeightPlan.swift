import GraphIR

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A weight with all that is known of it before its step is.
struct WeightPlan: Sendable {
  let weight: CompactableWeight
  let basis: RoundingBasis
  /// The root of the mean square of the elements.
  let deviation: Double
  /// The largest magnitude.
  let largest: Double

  init(_ weight: CompactableWeight, _ basis: RoundingBasis) {
    (self.weight, self.basis) = (weight, basis)
    let numbers = weight.tensor.floats
    let sum = numbers.reduce(0.0) { $0 + Double($1) * Double($1) }
    deviation = (sum / Double(max(1, numbers.count))).squareRoot()
    largest = numbers.reduce(0) { max($0, abs(Double($1))) }
  }

  /// The smallest step with which integers stay exact in single precision, with room for what is fed
  /// back.
  var smallestStep: Double { max(largest / 0x1p21, Double(Float.leastNormalMagnitude)) }

  /// Rounds with one step.
  func rounded(step: Double, workers: Workers) -> RoundedWeight {
    let step = Float(max(step, smallestStep))
    let result = WeightRounding(
      weight: weight, basis: basis, rowSteps: [Float](repeating: step, count: weight.rows),
      columnSteps: [Float](repeating: 1, count: weight.columns)
    ).round(workers: workers)
    let shape = weight.tensor.shape
    let matrix = QuantizedMatrix(
      rows: shape[0], columns: weight.tensor.count / shape[0],
      integers: weight.stored(result.integers), steps: [step])
    return RoundedWeight(matrix: matrix, tensor: weight.tensor)
  }
}

/// A weight as integers.
struct RoundedWeight: Sendable {
  let matrix: QuantizedMatrix
  /// The numbers that the integers stand for, in the type of the weight.
  let tensor: Tensor
  /// About how many bits they take.
  let bits: Double

  /// - Parameter tensor: The weight before.
  init(matrix: QuantizedMatrix, tensor: Tensor) {
    self.matrix = matrix
    self.tensor = Tensor(tensor.elementType, shape: tensor.shape, floats: matrix.numbers)
    bits = SizeEstimate.bits(matrix)
  }
}
