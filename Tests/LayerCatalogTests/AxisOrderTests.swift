import Bytes
import GraphIR
import Testing

/// Tensors whose axes are turned, element by element against a plain walk.
@Suite struct AxisOrderTests {
  @Test(
    "Turned axes put every element in its place",
    arguments: [
      [3, 3, 37, 70], [1, 1, 16, 16], [2, 1, 33, 128], [5, 15, 17], [64, 64], [7, 300], [300, 7],
    ], [ElementType.float32, .float16, .float64, .uint8])
  func turned(shape: [Int], type: ElementType) throws {
    let count = shape.reduce(1, *)
    // A start that is not aligned, as in a file.
    let bytes = (0..<count * type.byteCount + 3).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let tensor = try Tensor(
      type, shape: shape, store: ByteStore(bytes), range: 3..<3 + count * type.byteCount)
    let axes = Array([shape.count - 1, shape.count - 2] + (0..<shape.count - 2))
    let turned = tensor.permuted(axes)
    var expected: [UInt8] = []
    for place in 0..<count {
      var (rest, offset) = (place, 0)
      for (axis, stride) in zip(turned.shape, turned.strides).reversed() {
        offset += rest % axis * stride
        rest /= axis
      }
      let start = 3 + offset * type.byteCount
      expected += bytes[start..<start + type.byteCount]
    }
    #expect(turned.contiguousBytes() == expected)
    var pieces: [UInt8] = []
    turned.withPieces { pieces += $0.copied(0..<$0.byteCount) }
    #expect(pieces == expected)
  }
}
