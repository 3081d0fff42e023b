import Bytes
import GraphIR
import TensorEncoding
import Weighbridge

/// A model's weights: how they are stored, and how their elements are distributed.
struct WeightOverview: Sendable {
  /// The most weights whose elements are examined: those that take the most bytes.
  static let weightLimit = 200
  /// The number of elements of a larger weight that are examined: about this many, at most twice as
  /// many.
  static let sampleSize = 1 << 20

  /// A weight and the distribution of its elements.
  struct Weight: Sendable {
    let name: String
    let type: String
    let encoding: String
    let byteCount: Int
    /// The relative error of the stored elements, where it was measured.
    let error: Double?
    let distribution: ValueDistribution
  }

  /// The weights that take the most bytes, in the order of the model.
  let weights: [Weight]
  /// The number of other weights.
  let otherCount: Int

  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/damaged`` where elements cannot be decoded;
  ///   ``/Weighbridge/WeighbridgeError/Code/cancelled``.
  init(_ model: Model, _ cancellation: Cancellation?) throws(WeighbridgeError) {
    let all = model.content.graph.weights
    let errors = model.content.compaction?.weightErrors ?? [:]
    let largest = all.indices.sorted {
      (all[$1].tensor.storedByteCount, $0) < (all[$0].tensor.storedByteCount, $1)
    }.prefix(Self.weightLimit).sorted()
    var weights: [Weight] = []
    for index in largest {
      if cancellation?.isCancelled == true { throw .cancelled("was cancelled") }
      let (name, tensor) = all[index]
      weights.append(
        Weight(
          name: name, type: "\(tensor.type)",
          encoding: tensor.encodedElements?.encoding.title ?? "plain",
          byteCount: tensor.storedByteCount, error: errors[name],
          distribution: ValueDistribution(try Self.sample(tensor), of: tensor.count)))
    }
    self.weights = weights
    otherCount = all.count - weights.count
  }

  /// Returns all elements of a tensor, or of a large one every n-th along its longest axis.
  private static func sample(_ tensor: Tensor) throws(WeighbridgeError) -> [Double] {
    var plain = tensor
    if let elements = tensor.encodedElements {
      plain = Tensor(tensor.elementType, shape: tensor.shape, bytes: try elements.decoded())
    }
    guard tensor.count > 2 * sampleSize,
      let (axis, length) = tensor.shape.enumerated().max(by: { $0.element < $1.element })
    else { return plain.doubles }
    let step = min(length, tensor.count / sampleSize)
    let count = (length + step - 1) / step
    return plain.strided(along: axis, from: 0, count: count, step: step).doubles
  }
}

/// Summary statistics and a histogram of numbers.
struct ValueDistribution: Sendable {
  static let binCount = 32

  /// The smallest and the largest finite number; 0 where there is none.
  let minimum, maximum: Double
  let mean, standardDeviation: Double
  /// The fraction of exact zeros, 0...1.
  let zeroFraction: Double
  let nonFiniteCount: Int
  /// The histogram: the counts in intervals of equal width from the smallest to the largest number.
  let bins: [Int]
  /// Whether this covers only a sample of the numbers.
  let isSample: Bool

  /// - Parameter count: The total number of elements, including those not in the sample.
  init(_ numbers: [Double], of count: Int) {
    var (low, high) = (Double.infinity, -Double.infinity)
    var (sum, zeroCount, finiteCount) = (0.0, 0, 0)
    for number in numbers where number.isFinite {
      (low, high) = (min(low, number), max(high, number))
      sum += number
      finiteCount += 1
      if number == 0 { zeroCount += 1 }
    }
    let divisor = Double(max(1, finiteCount))
    (minimum, maximum) = finiteCount > 0 ? (low, high) : (0, 0)
    let mean = sum / divisor
    var (squares, bins) = (0.0, [Int](repeating: 0, count: Self.binCount))
    // These are halves, since the full width may overflow.
    let halfWidth = maximum / 2 - minimum / 2
    for number in numbers where number.isFinite {
      squares += (number - mean) * (number - mean)
      let fraction = halfWidth > 0 ? (number / 2 - minimum / 2) / halfWidth : 0.5
      bins[min(Self.binCount - 1, max(0, Int(fraction * Double(Self.binCount))))] += 1
    }
    self.mean = mean
    standardDeviation = (squares / divisor).squareRoot()
    zeroFraction = Double(zeroCount) / divisor
    nonFiniteCount = numbers.count - finiteCount
    self.bins = bins
    isSample = numbers.count < count
  }
}
