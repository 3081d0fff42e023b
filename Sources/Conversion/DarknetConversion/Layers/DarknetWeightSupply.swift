package import Bytes
package import GraphIR

/// The numbers that the layers of a network take one after the other.
///
/// When a file has too few, the taking goes on with stand-ins, so that the report can say how many
/// there should be and where the counts part.
package struct DarknetWeightSupply: Sendable {
  /// Where the numbers of a file did not suffice.
  package struct Shortage: Hashable, Sendable {
    /// The layer's position.
    package let layer: Int
    /// What was to be taken.
    package let role: String
    /// How many numbers.
    package let wanted: Int
    /// How many were left.
    package let left: Int
  }

  /// Numbers that a layer asked for.
  package struct Take: Hashable, Sendable {
    /// The layer's position.
    package let layer: Int
    /// What they are for the layer.
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
  /// The offset in bytes of the first number.
  private let start: Int
  /// How many numbers were asked for so far.
  package private(set) var taken = 0
  /// How many numbers the file has; as many as are allowed when they are random.
  package let available: Int
  /// How many numbers had been asked for at the end of each layer.
  package private(set) var takenByLayer: [Int] = []
  /// All that was asked for, in the order of the file.
  package private(set) var takes: [Take] = []
  /// Where the numbers did not suffice.
  package private(set) var shortage: Shortage?
  /// Whether connected layers store `[in, out]`.
  package let isTransposed: Bool

  /// More random numbers than this nobody waits for: 2 GiB.
  package static let randomLimit = 1 << 29

  /// The numbers of a file.
  ///
  /// - Parameter headerSize: How many bytes stand before them.
  package init(_ store: ByteStore, headerSize: Int, isTransposed: Bool) {
    source = .file(store)
    start = headerSize
    available = max(0, store.count - headerSize) / 4
    self.isTransposed = isTransposed
  }

  /// Random numbers, the same for each seed.
  package init(seed: UInt64) {
    self.init(.random(SplitMix64(seed: seed)), available: Self.randomLimit)
  }

  /// Stand-ins for random numbers, to see how many there would be: 0 for every number.
  package static func countingRandom() -> DarknetWeightSupply {
    DarknetWeightSupply(.nothing, available: randomLimit)
  }

  /// Stand-ins for the numbers of a file that is to be written, to see in which order they go there.
  package static func recording() -> DarknetWeightSupply {
    DarknetWeightSupply(.nothing, available: .max)
  }

  private init(_ source: Source, available: Int) {
    self.source = source
    start = 0
    self.available = available
    isTransposed = false
  }

  /// Whether the numbers are made up.
  package var isRandom: Bool { if case .file = source { false } else { true } }

  /// Whether every number so far is what it should be, and no stand-in.
  var isComplete: Bool {
    if case .nothing = source { return false }
    return shortage == nil
  }

  /// The offset in the file of the next number.
  package var offset: Int { start + 4 * min(taken, available) }

  /// Notes that a layer has taken all it needs.
  package mutating func endLayer() { takenByLayer.append(taken) }

  /// Takes the next numbers.
  ///
  /// - Parameters:
  ///   - role: What they are for the layer.
  ///   - shape: The sizes in the order of the file.
  ///   - range: Between which bounds random ones lie.
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a size beyond any memory,
  ///   ``WeighbridgeError/Code/limitExceeded`` for too many random numbers.
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
  /// Evenly spread float32 numbers, each of 24 random bits.
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
