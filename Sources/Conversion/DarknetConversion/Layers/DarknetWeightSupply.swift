package import Bytes
package import GraphIR

/// The weights that the layers of a network take in sequence.
///
/// When a file has too few, placeholders follow, so that the error can say how many there should be
/// and where the counts diverge.
package struct DarknetWeightSupply: Sendable {
  /// The point at which a file ran out of weights.
  package struct Shortage: Hashable, Sendable {
    /// The layer's position.
    package let layer: Int
    /// The role of the weight that was to be taken.
    package let role: String
    /// The number of values that were wanted.
    package let wanted: Int
    /// The number of values that were left.
    package let left: Int
  }

  /// Values that a layer took.
  package struct Take: Hashable, Sendable {
    /// The layer's position.
    package let layer: Int
    /// Their role in the layer.
    package let role: String
    /// The sizes in the order of the file.
    package let shape: [Int]
  }

  private enum Source: Sendable {
    case file(ByteStore)
    case random(SplitMix64)
    case nothing
  }

  private var source: Source
  /// The byte offset of the first value.
  private let start: Int
  /// The number of values taken so far.
  package private(set) var taken = 0
  /// The number of values in the file; for random weights the number allowed.
  package let available: Int
  /// The number of values taken by the end of each layer.
  package private(set) var takenByLayer: [Int] = []
  /// Everything that was taken, in the order of the file.
  package private(set) var takes: [Take] = []
  /// The point at which the file ran out of weights.
  package private(set) var shortage: Shortage?
  /// Whether connected layers store `[in, out]`.
  package let isTransposed: Bool

  /// The largest number of random values that are generated: 2 GiB of them.
  package static let randomLimit = 1 << 29

  /// Supplies the weights of a file.
  ///
  /// - Parameter headerSize: The number of bytes before them.
  package init(_ store: ByteStore, headerSize: Int, isTransposed: Bool) {
    source = .file(store)
    start = headerSize
    available = max(0, store.count - headerSize) / 4
    self.isTransposed = isTransposed
  }

  /// Supplies random weights, the same for each seed.
  package init(seed: UInt64) {
    self.init(.random(SplitMix64(seed: seed)), available: Self.randomLimit)
  }

  /// Supplies zeros in place of random weights, to count how many there would be.
  package static func countingRandom() -> DarknetWeightSupply {
    DarknetWeightSupply(.nothing, available: randomLimit)
  }

  /// Supplies placeholders for the weights of a file to be written, to record their order.
  package static func recording() -> DarknetWeightSupply {
    DarknetWeightSupply(.nothing, available: .max)
  }

  private init(_ source: Source, available: Int) {
    self.source = source
    start = 0
    self.available = available
    isTransposed = false
  }

  /// Whether the weights are not from a file.
  package var isRandom: Bool { if case .file = source { false } else { true } }

  /// Whether every value so far is real, not a placeholder.
  var isComplete: Bool {
    if case .nothing = source { return false }
    return shortage == nil
  }

  /// The file offset of the next value.
  package var offset: Int { start + 4 * min(taken, available) }

  /// Records that a layer has taken all its weights.
  package mutating func endLayer() { takenByLayer.append(taken) }

  /// Takes the next values.
  ///
  /// - Parameters:
  ///   - role: Their role in the layer.
  ///   - shape: The sizes in the order of the file.
  ///   - range: The bounds of random values.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a size beyond any memory,
  ///   ``WeighbridgeError/Code/limitExceeded`` for too many random values.
  package mutating func take(
    _ role: String, shape: [Int], layer: Int, range: ClosedRange<Float>
  ) throws(WeighbridgeError) -> Tensor {
    let count = try Checked.product(shape, of: "the size of the weights")
    _ = try Checked.product([count, 4], of: "the size of the weights")
    takes.append(Take(layer: layer, role: role, shape: shape))
    let first = taken
    taken = try Checked.sum(taken, count, of: "the size of the weights")
    let isThere = taken <= available
    switch source {
    case .file(let store):
      guard isThere else { break }
      let begin = start + 4 * first
      return try Tensor(
        .float32, shape: shape, store: store, range: begin..<begin + 4 * count)
    case .nothing:
      guard isThere else {
        throw .limitExceeded("needs more than \(Self.randomLimit) random numbers in all")
      }
      return Self.standIn(shape)
    case .random(var generator):
      guard isThere else { break }
      let tensor = generator.tensor(shape: shape, count: count, in: range)
      source = .random(generator)
      return tensor
    }
    if shortage == nil {
      shortage = Shortage(
        layer: layer, role: role, wanted: count, left: max(0, available - first))
    }
    return Self.standIn(shape)
  }

  private static func standIn(_ shape: [Int]) -> Tensor {
    Tensor(.float32, shape: shape.map { _ in 1 }, bytes: [0, 0, 0, 0]).broadcast(to: shape)
  }
}

extension SplitMix64 {
  /// Uniformly distributed float32 values, each with 24 random bits.
  mutating func tensor(shape: [Int], count: Int, in range: ClosedRange<Float>) -> Tensor {
    var bytes = [UInt8](repeating: 0, count: count * 4)
    let scale = (range.upperBound - range.lowerBound) / Float(1 << 24)
    var span = bytes.mutableSpan
    var target = span.mutableBytes
    for index in 0..<count {
      let number = range.lowerBound + Float(next() >> 40) * scale
      target.storeBytes(
        of: number.bitPattern.littleEndian, toByteOffset: index * 4, as: UInt32.self)
    }
    return Tensor(.float32, shape: shape, bytes: bytes)
  }
}
