package import Bytes
package import GraphIR

/// The weights of a network, which its layers take one after another.
///
/// When a file has too few, it supplies placeholders, so that the error can say how many there
/// should be and where they ran out.
package struct DarknetWeightSupply: Sendable {
  /// The point at which a file ran out of weights.
  package struct Shortage: Hashable, Sendable {
    /// The layer's position.
    package let layer: Int
    /// The role of the weight that could not be taken.
    package let role: String
    /// The number of values that were needed.
    package let needed: Int
    /// The number of values that remained.
    package let remaining: Int
  }

  /// A weight that a layer took.
  package struct TakenWeight: Hashable, Sendable {
    /// The layer's position.
    package let layer: Int
    /// Its role in the layer.
    package let role: String
    /// Its shape in the axis order of the file.
    package let shape: [Int]
  }

  private enum Source: Sendable {
    case file(ByteStore)
    case random(SplitMix64)
    case placeholders
  }

  private var source: Source
  /// The byte offset of the first value.
  private let start: Int
  /// The number of values taken so far.
  package private(set) var taken = 0
  /// The number of values in the file, or the maximum number of random values.
  package let available: Int
  /// The number of values taken by the end of each layer.
  package private(set) var takenByLayer: [Int] = []
  /// The weights that were taken, in the order of the file.
  package private(set) var takenWeights: [TakenWeight] = []
  /// The point at which the file ran out of weights.
  package private(set) var shortage: Shortage?
  /// Whether connected layers store `[in, out]`.
  package let isTransposed: Bool

  /// The maximum number of random values that are generated, 2 GiB.
  package static let randomLimit = 1 << 29

  /// Supplies the weights of a file.
  ///
  /// - Parameter headerSize: The number of bytes before the weights.
  package init(_ store: ByteStore, headerSize: Int, isTransposed: Bool) {
    source = .file(store)
    start = headerSize
    available = max(0, store.count - headerSize) / 4
    self.isTransposed = isTransposed
  }

  /// Supplies random weights; a seed always gives the same ones.
  package init(seed: UInt64) {
    self.init(.random(SplitMix64(seed: seed)), available: Self.randomLimit)
  }

  /// Supplies placeholders instead of random weights, to count them.
  package static func countingRandom() -> DarknetWeightSupply {
    DarknetWeightSupply(.placeholders, available: randomLimit)
  }

  /// Supplies placeholders for the weights of a file that will be written, to record their order.
  package static func recording() -> DarknetWeightSupply {
    DarknetWeightSupply(.placeholders, available: .max)
  }

  private init(_ source: Source, available: Int) {
    self.source = source
    start = 0
    self.available = available
    isTransposed = false
  }

  /// Whether the weights are not from a file.
  package var isRandom: Bool { if case .file = source { false } else { true } }

  /// Whether no weight so far was a placeholder.
  var isComplete: Bool {
    if case .placeholders = source { return false }
    return shortage == nil
  }

  /// The offset of the next value in the file.
  package var offset: Int { start + 4 * min(taken, available) }

  /// Records that a layer has taken all its weights.
  package mutating func endLayer() { takenByLayer.append(taken) }

  /// Takes the next weight.
  ///
  /// - Parameters:
  ///   - role: Its role in the layer.
  ///   - shape: Its shape in the axis order of the file.
  ///   - range: The bounds of random values.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a size that no memory can hold,
  ///   ``WeighbridgeError/Code/limitExceeded`` for too many random values.
  package mutating func take(
    _ role: String, shape: [Int], layer: Int, range: ClosedRange<Float>
  ) throws(WeighbridgeError) -> Tensor {
    let count = try Checked.product(shape, of: "the size of the weights")
    _ = try Checked.product([count, 4], of: "the size of the weights")
    takenWeights.append(TakenWeight(layer: layer, role: role, shape: shape))
    let first = taken
    taken = try Checked.sum(taken, count, of: "the size of the weights")
    let isAvailable = taken <= available
    switch source {
    case .file(let store):
      guard isAvailable else { break }
      let begin = start + 4 * first
      return try Tensor(
        .float32, shape: shape, store: store, range: begin..<begin + 4 * count)
    case .placeholders:
      guard isAvailable else {
        throw .limitExceeded("needs more than \(Self.randomLimit) random numbers in all")
      }
      return Self.placeholder(shape)
    case .random(var generator):
      guard isAvailable else { break }
      let tensor = generator.tensor(shape: shape, count: count, in: range)
      source = .random(generator)
      return tensor
    }
    if shortage == nil {
      shortage = Shortage(
        layer: layer, role: role, needed: count, remaining: max(0, available - first))
    }
    return Self.placeholder(shape)
  }

  private static func placeholder(_ shape: [Int]) -> Tensor {
    Tensor(.float32, shape: shape.map { _ in 1 }, bytes: [0, 0, 0, 0]).broadcast(to: shape)
  }
}

extension SplitMix64 {
  /// Uniformly distributed float32 values, each with 24 random bits.
  mutating func tensor(shape: [Int], count: Int, in range: ClosedRange<Float>) -> Tensor {
    var bytes = [UInt8](repeating: 0, count: count * 4)
    let scale = (range.upperBound - range.lowerBound) / Float(1 << 24)
    var span = bytes.mutableSpan
    var target = unsafe span.mutableBytes
    for index in 0..<count {
      let number = range.lowerBound + Float(next() >> 40) * scale
      target.storeBytes(
        of: number.bitPattern.littleEndian, toByteOffset: index * 4, as: UInt32.self)
    }
    return Tensor(.float32, shape: shape, bytes: bytes)
  }
}
