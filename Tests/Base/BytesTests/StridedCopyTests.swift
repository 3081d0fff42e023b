import Bytes
import Testing

/// Copies of arrays given by strides, against the definition: the element of indices i, j, ... is
/// the one at `offset + i * strides[0] + j * strides[1] + ...` of the source.
@Suite struct StridedCopyTests {
  /// Row-major strides of a shape.
  private static func rowMajor(_ shape: [Int]) -> [Int] {
    shape.indices.map { shape[($0 + 1)...].reduce(1, *) }
  }

  /// All bytes of the elements in order, by the definition.
  private func expected(
    _ source: [UInt8], _ shape: [Int], _ strides: [Int], _ size: Int, _ offset: Int
  ) -> [UInt8] {
    var starts = [offset]
    for (count, step) in zip(shape, strides) {
      starts = starts.flatMap { start in (0..<count).map { start + $0 * step * size } }
    }
    return starts.flatMap { source[$0..<$0 + size] }
  }

  private func copied(
    _ source: [UInt8], _ shape: [Int], _ strides: [Int], _ size: Int, _ offset: Int = 0
  ) -> [UInt8] {
    var result = [UInt8](repeating: 0xEE, count: shape.reduce(size, *))
    var span = result.mutableSpan
    StridedCopy(shape: shape, strides: strides, elementSize: size).copy(
      from: source.span.bytes, offset: offset, into: span.mutableBytes)
    return result
  }

  private func bytes(_ count: Int) -> [UInt8] {
    var generator = SplitMix64(seed: UInt64(count))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }

  private static let permutations = [
    [0, 1, 2, 3], [3, 2, 1, 0], [3, 2, 0, 1], [0, 3, 1, 2], [0, 2, 3, 1], [1, 0, 3, 2],
    [2, 3, 0, 1], [1, 2, 3, 0],
  ]

  @Test(
    "Every order of axes and every size of elements, below, at and above the size of a block",
    arguments: [
      [2, 3, 4, 5], [3, 3, 16, 32], [1, 1, 40, 70], [5, 1, 17, 33], [16, 16, 1, 16],
    ],
    [1, 2, 4, 8])
  func permuted(_ shape: [Int], _ size: Int) {
    let source = bytes(shape.reduce(size, *))
    for axes in Self.permutations {
      let strides = axes.map { Self.rowMajor(shape)[$0] }
      let permutedShape = axes.map { shape[$0] }
      #expect(
        copied(source, permutedShape, strides, size)
          == expected(source, permutedShape, strides, size, 0),
        "\(axes)")
    }
  }

  @Test("Reversed, repeated and sparse axes, from an offset", arguments: [1, 2, 4, 8])
  func otherStrides(_ size: Int) {
    let source = bytes(4000 * size)
    for (shape, strides, start) in [
      ([40, 20], [-20, -1], 799), ([40, 20], [-1, 40], 39), ([17, 19], [0, 1], 5),
      ([17, 19], [1, 0], 5), ([3, 4], [0, 0], 7), ([20, 18, 3], [3, 100, -1], 2),
      ([5, 6], [60, 7], 1), ([], [], 3999), ([1, 1], [1000, -1000], 3),
      ([2, 50, 2], [1, 4, 2], 0),
    ] as [([Int], [Int], Int)] {
      let offset = start * size
      #expect(
        copied(source, shape, strides, size, offset)
          == expected(source, shape, strides, size, offset), "\(shape) \(strides)")
    }
  }

  @Test("Nothing is read or written for an empty array")
  func empty() {
    #expect(copied([], [3, 0, 2], [0, 1, 5], 4) == [])
    #expect(copied([1], [0], [1], 1) == [])
  }

  @Test("Bytes of the output beyond the result are left unchanged")
  func longerOutput() {
    var result = [UInt8](repeating: 9, count: 6)
    var span = result.mutableSpan
    StridedCopy(shape: [2, 2], strides: [1, 2], elementSize: 1).copy(
      from: ([1, 2, 3, 4] as [UInt8]).span.bytes, offset: 0, into: span.mutableBytes)
    #expect(result == [1, 3, 2, 4, 9, 9])
  }
}
