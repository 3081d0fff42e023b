import Bytes
import TensorEncoding

extension FuzzTarget {
  /// Encoded tensors. The first bytes determine how the others are decoded; tensors that can be
  /// encoded again must decode to the same bytes.
  static let encodings = FuzzTarget("encodings", [], made: EncodedCase.seeds) { bytes in
    guard let tensor = EncodedCase(bytes) else { return }
    try tensor.run()
  }
}

/// A tensor's encoding, element type and shape, from the bytes before its content.
private struct EncodedCase {
  let encoding: TensorEncoding
  let elementType: ElementType
  let shape: [Int]
  let stored: [UInt8]

  private static let headerSize = 6
  private static let elementTypes: [ElementType] = [
    .float32, .float16, .bfloat16, .float64, .int8, .int64,
  ]

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerSize else { return nil }
    elementType = Self.elementTypes[Int(bytes[1]) % Self.elementTypes.count]
    shape = [Int(bytes[3]), 1 + Int(bytes[4]) * 7, 1 + Int(bytes[5]) % 5]
    let bits = 1 + Int(bytes[2] & 7)
    let block = [max(1, shape[0] >> Int(bytes[2] >> 6)), shape[1], shape[2]]
    encoding =
      switch bytes[0] % 6 {
      case 0: .bytePlanes
      case 1: .rans
      case 2:
        .linear(
          LinearIntegers(
            bits: bits, isSigned: bytes[2] & 8 != 0, blockShape: block,
            hasZeroPoints: bytes[2] & 16 != 0, hasOffsets: bytes[2] & 32 != 0))
      case 3: .lookup(LookupTables(bits: bits, blockShape: block))
      case 4: .half(bytes[2] & 1 == 0 ? .float16 : .bfloat16)
      case _: .plain
      }
    stored = Array(bytes.dropFirst(Self.headerSize))
  }

  func run() throws {
    let decoded = try encoding.decode(stored.span.bytes, elementType, shape: shape)
    let count = shape.reduce(elementType.byteCount, *)
    precondition(decoded.count == count, "\(decoded.count) bytes were decoded instead of \(count)")
    guard case .bytePlanes = encoding, count > 0 else { return }
    let again = BytePlanes.encode(decoded.span.bytes, elementType)
    let twice = try encoding.decode(again.span.bytes, elementType, shape: shape)
    precondition(twice == decoded, "byte planes do not round-trip")
  }

  /// Small tensors in the form that the encoders write.
  static var seeds: [[UInt8]] {
    [1, 3, 40].flatMap { rows -> [[UInt8]] in
      let shape = [rows, 1 + 2 * 7, 1 + 3]
      let count = shape.reduce(1, *)
      let integers = (0..<count).map { (index: Int) -> Int32 in
        let shift: Int32 = index % 101 == 0 ? 4000 : 5
        return Int32(index * 37 % 11) - shift
      }
      let steps = [Float](repeating: 0.125, count: rows)
      let numbers = integers.map { Float($0) * 0.3 }
      let bytes = numbers.withUnsafeBytes { Array($0) }
      let packed: [(kind: UInt8, flags: UInt8, bytes: [UInt8])] = [
        (0, 0, BytePlanes.encode(bytes.span.bytes, .float32)),
        (1, 0, RANSIntegers.encode(.init(integers: integers, steps: steps), shape: shape)),
        (2, 8 | 3, .init(repeating: 0x5A, count: (count * 4 + 31) / 32 * 4 + 4)),
        (3, 1, .init(repeating: 0x5A, count: (count * 2 + 31) / 32 * 4 + 16)),
        (4, 0, .init(repeating: 0x3C, count: 2 * count)),
      ]
      return packed.map { [$0.kind, 0, $0.flags, UInt8(rows), 2, 3] + $0.bytes }
    }
  }
}
