import Bytes
import GraphIR
import Testing

/// Compares tensors with permuted axes with a straightforward computation, element by element.
@Suite struct AxisOrderTests {
  @Test(
    "Permuted axes put every element in its place",
    arguments: [
      [3, 3, 37, 70], [1, 1, 16, 16], [2, 1, 33, 128], [5, 15, 17], [64, 64], [7, 300], [300, 7],
    ], [ElementType.float32, .float16, .float64, .uint8])
  func permuted(shape: [Int], type: ElementType) throws {
    let count = shape.reduce(1, *)
    // An unaligned start, as in a file.
    let bytes = (0..<count * type.byteCount + 3).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let tensor = try Tensor(
      type, shape: shape, store: ByteStore(bytes), range: 3..<3 + count * type.byteCount)
    let axes = Array([shape.count - 1, shape.count - 2] + (0..<shape.count - 2))
    let permuted = tensor.permuted(axes)
    var expected: [UInt8] = []
    for index in 0..<count {
      var (remainder, offset) = (index, 0)
      for (dimension, stride) in zip(permuted.shape, permuted.strides).reversed() {
        offset += remainder % dimension * stride
        remainder /= dimension
      }
      let start = 3 + offset * type.byteCount
      expected += bytes[start..<start + type.byteCount]
    }
    #expect(permuted.contiguousBytes() == expected)
    var pieces: [UInt8] = []
    permuted.withPieces { pieces += $0.copied(0..<$0.byteCount) }
    #expect(pieces == expected)
  }
}
