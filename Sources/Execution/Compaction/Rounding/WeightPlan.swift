import GraphIR
import TensorEncoding

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
  /// Whether integers stand for multiples of a step by dependent quantization.
  private(set) var isDependent = false

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

  /// The part of a step that does about the same harm with dependent quantization.
  private static let dependentPart = 0.58

  /// Takes dependent quantization if it needs less space for the same loss at a step.
  mutating func chooseQuantization(step: Double, workers: Workers) {
    // The path of states runs down the rows, which must be the outputs of one group.
    guard weight.groups == 1, weight.outputAxes == [0] else { return }
    var dependent = self
    dependent.isDependent = true
    let (one, other) = (
      rounded(step: step, workers: workers), dependent.rounded(step: step, workers: workers)
    )
    guard one.loss > 0, other.loss > 0 else { return }
    // A bit more for each element makes the loss a quarter.
    let bits = Double(weight.tensor.count) / 2 * log2(other.loss / one.loss)
    isDependent = other.bits + bits < one.bits
  }

  /// Rounds with one step.
  ///
  /// - Parameters:
  ///   - step: That of quantization that is not dependent; with one that is, the step is smaller.
  ///   - size: The bytes in which integers are stored; estimated when `nil`.
  func rounded(
    step: Double, workers: Workers,
    size: (@Sendable (QuantizedMatrix, [Int]) -> Int)? = nil
  ) -> RoundedWeight {
    let step = max(step, smallestStep)
    let part = Float(isDependent ? Self.dependentPart * step : step)
    let steps = [Float](repeating: part, count: weight.rows)
    let result = WeightRounding(
      weight: weight, basis: basis, grid: isDependent ? .dependent(steps) : .rows(steps)
    ).round(workers: workers)
    let shape = weight.tensor.shape
    let matrix = QuantizedMatrix(
      rows: shape[0], columns: weight.tensor.count / shape[0],
      content: RANSIntegers.Content(
        integers: weight.stored(result.integers), steps: [part], isDependent: isDependent))
    let bits = size.map { 8 * Double($0(matrix, shape)) } ?? SizeEstimate.bits(matrix)
    return RoundedWeight(
      matrix: matrix, tensor: weight.tensor, bits: bits, step: step, loss: result.loss)
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
  /// The step that does about the same harm without dependent quantization.
  let step: Double
  /// The mean square of what the integers do to the product with the inputs, summed over the rows.
  let loss: Double

  /// - Parameters:
  ///   - tensor: The weight before.
  ///   - bits: What the integers take.
  init(matrix: QuantizedMatrix, tensor: Tensor, bits: Double, step: Double, loss: Double) {
    (self.step, self.loss) = (step, loss)
    let exact = Double(8 * tensor.byteCount)
    self.matrix = bits < exact ? matrix : nil
    self.tensor =
      bits < exact
      ? Tensor(tensor.elementType, shape: tensor.shape, floats: matrix.numbers) : tensor
    self.bits = min(bits, exact)
  }
}
