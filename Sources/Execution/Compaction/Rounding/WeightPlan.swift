import GraphIR
import TensorEncoding

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A weight with everything needed to round it, except its step.
struct WeightPlan: Sendable {
  let weight: CompactableWeight
  let basis: RoundingBasis
  /// The root mean square of the elements.
  let rootMeanSquare: Double
  /// The largest magnitude.
  let largest: Double
  /// Whether integers stand for multiples of a step by dependent quantization.
  private(set) var isDependent = false

  init(_ weight: CompactableWeight, _ basis: RoundingBasis) {
    (self.weight, self.basis) = (weight, basis)
    let numbers = weight.tensor.floats
    let sum = numbers.reduce(0.0) { $0 + Double($1) * Double($1) }
    rootMeanSquare = (sum / Double(max(1, numbers.count))).squareRoot()
    largest = numbers.reduce(0) { max($0, abs(Double($1))) }
  }

  /// The smallest step with which integers stay exact in single precision, with headroom for error
  /// feedback.
  var smallestStep: Double { max(largest / 0x1p21, Double(Float.leastNormalMagnitude)) }

  /// The factor on a step that gives dependent quantization about the same error.
  private static let dependentStepFactor = 0.58

  /// Chooses dependent quantization if it needs less space for the same loss.
  mutating func chooseQuantization(step: Double, workers: Workers) {
    // The state sequence runs along the rows, which must be the outputs of one group.
    guard weight.groups == 1, weight.outputAxes == [0] else { return }
    var dependent = self
    dependent.isDependent = true
    let (uniformResult, dependentResult) = (
      rounded(step: step, workers: workers), dependent.rounded(step: step, workers: workers)
    )
    guard uniformResult.loss > 0, dependentResult.loss > 0 else { return }
    // One more bit per element reduces the loss to a quarter.
    let bits = Double(weight.tensor.count) / 2 * log2(dependentResult.loss / uniformResult.loss)
    isDependent = dependentResult.bits + bits < uniformResult.bits
  }

  /// Rounds with a single step.
  ///
  /// - Parameters:
  ///   - step: The step of uniform quantization; dependent quantization uses a smaller one.
  ///   - size: The encoded size of the integers in bytes; estimated when `nil`.
  func rounded(
    step: Double, workers: Workers,
    size: (@Sendable (QuantizedMatrix, [Int]) -> Int)? = nil
  ) -> RoundedWeight {
    let step = max(step, smallestStep)
    let effectiveStep = Float(isDependent ? Self.dependentStepFactor * step : step)
    let steps = [Float](repeating: effectiveStep, count: weight.rows)
    let result = WeightRounding(
      weight: weight, basis: basis, grid: isDependent ? .dependent(steps) : .rows(steps)
    ).round(workers: workers)
    let shape = weight.tensor.shape
    let matrix = QuantizedMatrix(
      rows: shape[0], columns: weight.tensor.count / shape[0],
      content: RANSIntegers.Content(
        integers: weight.inTensorOrder(result.integers), steps: [effectiveStep],
        isDependent: isDependent))
    let bits = size.map { 8 * Double($0(matrix, shape)) } ?? SizeEstimate.bits(matrix)
    return RoundedWeight(
      matrix: matrix, tensor: weight.tensor, bits: bits, step: step, loss: result.loss)
  }
}

/// A weight as integers, unless these take more space than the numbers themselves.
struct RoundedWeight: Sendable {
  /// The integers; `nil` if the weight stays unchanged.
  let matrix: QuantizedMatrix?
  /// The decoded values, in the type of the weight.
  let tensor: Tensor
  /// The approximate size in bits.
  let bits: Double
  /// The step of uniform quantization with about the same error.
  let step: Double
  /// The mean squared error of the product with the inputs, summed over the rows.
  let loss: Double

  /// - Parameters:
  ///   - tensor: The original weight.
  ///   - bits: The size of the integers in bits.
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
