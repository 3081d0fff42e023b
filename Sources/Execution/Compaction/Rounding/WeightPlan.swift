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
  ///
  /// - Parameter size: The bytes in which integers are stored; estimated when `nil`.
  func rounded(
    step: Double, workers: Workers,
    size: (@Sendable (QuantizedMatrix, [Int]) -> Int)? = nil
  ) -> RoundedWeight {
    let step = Float(max(step, smallestStep))
    let result = WeightRounding(
      weight: weight, basis: basis, rowSteps: [Float](repeating: step, count: weight.rows)
    ).round(workers: workers)
    let shape = weight.tensor.shape
    let matrix = QuantizedMatrix(
      rows: shape[0], columns: weight.tensor.count / shape[0],
      integers: weight.stored(result.integers), steps: [step])
    let bits = size.map { 8 * Double($0(matrix, shape)) } ?? SizeEstimate.bits(matrix)
    return RoundedWeight(matrix: matrix, tensor: weight.tensor, bits: bits)
  }
}

/// A weight as integers, unless these take more space than the numbers themselves.
struct RoundedWeight: Sendable {
  /// The integers; `nil` when the weight stays as it is.
  let matrix: QuantizedMatrix?
  /// The numbers that they stand for, in the type of the weight.
  let tensor: Tensor
  /// About how many bits it takes.
  let bits: Double

  /// - Parameters:
  ///   - tensor: The weight before.
  ///   - bits: What the integers take.
  init(matrix: QuantizedMatrix, tensor: Tensor, bits: Double) {
    let exact = Double(8 * tensor.byteCount)
    self.matrix = bits < exact ? matrix : nil
    self.tensor =
      bits < exact
      ? Tensor(tensor.elementType, shape: tensor.shape, floats: matrix.numbers) : tensor
    self.bits = min(bits, exact)
  }
}
