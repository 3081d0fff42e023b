import Bytes
import GraphIR
import Testing

/// Numbers rounded to element types, against NumPy 2.4 and ml_dtypes 0.6.
@Suite struct NumberConversionTests {
  private func bits(_ type: ElementType, _ number: Double) -> [UInt8] {
    Tensor(type, shape: [], [number]).contiguousBytes()
  }

  /// `np.array(x).astype(np.float16).view(np.uint16)`
  @Test(
    "float16 is the nearest number, ties to even, and saturates to infinity",
    arguments: [
      (0.0, 0), (-0.0, 0x8000), (1, 0x3C00), (1.0 / 3, 0x3555), (65504, 0x7BFF),
      (65519.999, 0x7BFF), (65520, 0x7C00), (0x1p-24, 1), (0x1p-25, 0), (0x1.0001p-25, 1),
      (-0x1p-14, 0x8400), (.infinity, 0x7C00), (-.infinity, 0xFC00), (1 + 0x1p-11, 0x3C00),
      (1 + 0x1p-11 + 0x1p-40, 0x3C01), (1 + 0x3p-11, 0x3C02),
    ] as [(Double, Int)])
  func float16(_ number: Double, _ expected: Int) {
    #expect(bits(.float16, number) == [UInt8(expected & 0xFF), UInt8(expected >> 8)])
  }

  /// `np.array(x).astype(ml_dtypes.bfloat16).view(np.uint16)`
  @Test(
    "bfloat16 is the nearest number, ties to even",
    arguments: [
      (0.0, 0), (-0.0, 0x8000), (1, 0x3F80), (1.0 / 3, 0x3EAB), (1 + 0x1p-8, 0x3F80),
      (1 + 0x3p-8, 0x3F82), (3.4e38, 0x7F80), (.infinity, 0x7F80), (-.infinity, 0xFF80), (1e-40, 1),
    ] as [(Double, Int)])
  func bfloat16(_ number: Double, _ expected: Int) {
    #expect(bits(.bfloat16, number) == [UInt8(expected & 0xFF), UInt8(expected >> 8)])
  }

  @Test("NaN stays NaN in floats", arguments: ElementType.allCases.filter(\.isFloat))
  func nan(_ type: ElementType) {
    #expect(Tensor(type, shape: [1], [.nan]).doubles[0].isNaN)
  }

  @Test("Integers drop the fraction, saturate, and take NaN as 0")
  func integers() {
    let numbers: [Double] = [1.9, -1.9, 0.5, -0.5, 1e30, -1e30, .infinity, -.infinity, .nan]
    for (type, smallest, largest) in [
      (ElementType.int8, -128.0, 127.0), (.int16, -32768, 32767), (.int32, -0x1p31, 0x1p31 - 1),
      (.int64, -0x1p63, 0x1p63), (.uint8, 0, 255), (.uint16, 0, 65535), (.uint32, 0, 0x1p32 - 1),
      (.uint64, 0, 0x1p64),
    ] {
      let actual = Tensor(type, shape: [9], numbers).doubles
      let negative: Double = smallest < 0 ? -1 : 0
      #expect(
        actual == [1, negative, 0, 0, largest, smallest, largest, smallest, 0],
        "\(type.rawValue): \(actual)")
    }
    #expect(bits(.int64, 0x1p63) == [UInt8](repeating: 0xFF, count: 7) + [0x7F])
    #expect(bits(.uint64, 0x1p64) == [UInt8](repeating: 0xFF, count: 8))
  }

  @Test("A boolean is false for 0 and true for anything else")
  func booleans() {
    let tensor = Tensor(.bool, shape: [5], [0, -0.0, 1, 0.1, .nan])
    #expect(tensor.contiguousBytes() == [0, 0, 1, 1, 1])
    #expect(Tensor(.bool, shape: [3], bytes: [0, 2, 255]).doubles == [0, 1, 1])
  }

  /// `np.array([1.5, -2.25, 65504, 6e-8], '<f2')`
  @Test("Bytes are read little-endian")
  func reading() {
    let halves: [UInt8] = [0x00, 0x3E, 0x80, 0xC0, 0xFF, 0x7B, 0x01, 0x00]
    #expect(
      Tensor(.float16, shape: [4], bytes: halves).doubles
        == [1.5, -2.25, 65504, 5.960464477539063e-08])
    #expect(Tensor(.int16, shape: [1], bytes: [0xFE, 0xFF]).doubles == [-2])
    #expect(Tensor(.uint32, shape: [1], bytes: [1, 2, 3, 0xFF]).doubles == [4_278_387_201])
    #expect(
      Tensor(.float64, shape: [1], bytes: [0x9A, 0x99, 0x99, 0x99, 0x99, 0x99, 0xB9, 0x3F]).doubles
        == [0.1])
  }

  @Test("Every number of a type passes through Double unchanged")
  func roundTrip() {
    var generator = SplitMix64(seed: 5)
    for type in ElementType.allCases where type != .bool {
      // 64-bit integers are exact up to 2^53.
      let isLarge = type == .int64 || type == .uint64
      let bytes = (0..<400 * type.byteCount).map { index in
        isLarge && index % 8 > 5 ? 0 : UInt8(truncatingIfNeeded: generator.next())
      }
      let numbers = Tensor(type, shape: [400], bytes: bytes).doubles
      let reread = Tensor(type, shape: [400], numbers).doubles
      #expect(zip(numbers, reread).allSatisfy { $0 == $1 || $0.isNaN && $1.isNaN }, "\(type)")
    }
  }
}
