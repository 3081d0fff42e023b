import Bytes
import Testing

/// Arithmetic on counts, element types, and the numbers in them.
@Suite struct NumberTests {
  @Test(
    "A product is exact or refused, even if a factor is 0",
    arguments: [
      ([], 1), ([7], 7), ([2, 3, 5], 30), ([0], 0), ([4, 0, 6], 0), ([Int.max, 1], Int.max),
      ([1 << 31, 1 << 31], 1 << 62), ([1 << 32, 1 << 31], nil), ([Int.max, 2], nil),
      ([-1], nil), ([-1, 0], nil), ([0, -1], nil), ([-2, -3], nil), ([Int.min], nil),
      ([0, 1 << 32, 1 << 32], nil), ([1 << 32, 0, 1 << 32], nil),
    ] as [([Int], Int?)])
  func products(_ factors: [Int], _ expected: Int?) throws {
    guard let expected else {
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try Checked.product(factors, of: "it")
      }
      #expect(error?.code == .malformed)
      #expect(error?.reason == "it is negative or too large")
      return
    }
    #expect(try Checked.product(factors, of: "it") == expected)
  }

  @Test(
    "A sum is exact or refused",
    arguments: [
      (0, 0, 0), (1, 2, 3), (Int.max, 0, Int.max), (Int.max, 1, nil), (-1, 2, nil), (2, -1, nil),
      (Int.min, Int.min, nil),
    ] as [(Int, Int, Int?)])
  func sums(_ lhs: Int, _ rhs: Int, _ expected: Int?) {
    #expect((try? Checked.sum(lhs, rhs, of: "it")) == expected)
  }

  @Test("An integer of any width is accepted as a count if it is not negative and fits")
  func counts() throws {
    #expect(try Checked.count(UInt64(1) << 62, of: "it") == 1 << 62)
    #expect(try Checked.count(UInt8.max, of: "it") == 255)
    #expect(try Checked.count(Int8(0), of: "it") == 0)
    for value in [UInt64.max, UInt64(Int.max) + 1] {
      #expect(throws: WeighbridgeError.self) { _ = try Checked.count(value, of: "it") }
    }
    #expect(throws: WeighbridgeError.self) { _ = try Checked.count(Int8(-1), of: "it") }
  }

  @Test(
    "A number stands before its noun in the singular or the plural",
    arguments: [
      (1, "input", "1 input"), (0, "input", "0 inputs"), (2, "spatial axis", "2 spatial axes"),
      (1, "axis", "1 axis"), (3, "class", "3 classes"), (2, "entry", "2 entries"),
      (2, "array", "2 arrays"), (5, "box", "5 boxes"), (-1, "element", "-1 elements"),
    ])
  func counted(_ number: Int, _ noun: String, _ expected: String) {
    #expect(number.counted(noun) == expected)
  }

  @Test(
    "A fraction is a percentage with one decimal, also below 0 and when it is not finite",
    arguments: [
      (0, "0.0%"), (0.12345, "12.3%"), (1, "100.0%"), (0.0994, "9.9%"), (12.5, "1250.0%"),
      (-0.015, "-1.5%"), (-0.001, "-0.1%"), (-0.0001, "0.0%"), (-2, "-200.0%"), (.nan, "nan%"),
      (.infinity, "inf%"), (-.infinity, "-inf%"), (1e300, "1e+302%"),
    ] as [(Double, String)])
  func percentages(_ fraction: Double, _ expected: String) {
    #expect(fraction.percentage == expected)
  }

  /// NumPy's `itemsize`, and ml_dtypes' for bfloat16.
  @Test("Element types have the sizes of NumPy's")
  func elementTypes() {
    let sizes: [ElementType: Int] = [
      .float16: 2, .bfloat16: 2, .float32: 4, .float64: 8, .int8: 1, .int16: 2, .int32: 4,
      .int64: 8, .uint8: 1, .uint16: 2, .uint32: 4, .uint64: 8, .bool: 1,
    ]
    #expect(sizes.count == ElementType.allCases.count)
    for type in ElementType.allCases { #expect(type.byteCount == sizes[type]) }
    #expect(
      Set(ElementType.allCases.filter(\.isFloat)) == [.float16, .bfloat16, .float32, .float64])
  }

  /// The sequences that the generator's published C code gives for these seeds.
  @Test("SplitMix64 gives its published sequences")
  func splitMix() {
    for (seed, expected) in [
      (0, [16_294_208_416_658_607_535, 7_960_286_522_194_355_700, 487_617_019_471_545_679]),
      (
        1_234_567,
        [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
      ),
    ] as [(UInt64, [UInt64])] {
      var generator = SplitMix64(seed: seed)
      #expect(expected.map { _ in generator.next() } == expected)
    }
  }

  @Test("NaN and infinities are counted in every floating-point type, at any position")
  func nonFinite() {
    // The bits of NaN, of both infinities, of the largest number and of the smallest ones.
    let cases: [(ElementType, Int, special: [Int], finite: [Int])] = [
      (.float16, 2, [0x7C00, 0xFC00, 0x7E00, 0xFFFF], [0x7BFF, 0xFBFF, 0, 0x8000, 1]),
      (.bfloat16, 2, [0x7F80, 0xFF80, 0x7FC0, 0xFFFF], [0x7F7F, 0xFF7F, 0, 0x8000, 1]),
      (
        .float32, 4, [0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0xFFFF_FFFF],
        [0x7F7F_FFFF, 0xFF7F_FFFF, 0, 0x8000_0000, 1]
      ),
      (
        .float64, 8, [0x7FF0 << 48, Int(bitPattern: 0xFFF0 << 48), 0x7FF8 << 48, -1],
        [0x7FEF_FFFF_FFFF_FFFF, 0, Int.min, 1, 0x3FF0 << 48]
      ),
    ]
    for (type, size, special, finite) in cases {
      var bytes: [UInt8] = []
      for index in 0..<9000 {
        let isSpecial = index == 0 || index == 4095 || index == 8999
        let source = isSpecial ? special : finite
        bytes.append(littleEndian: source[index % source.count], byteCount: size)
      }
      let counts = [type, .int32].map { bytes.span.bytes.nonFiniteCount($0) }
      #expect(counts == [3, 0], "\(type)")
      for bits in special {
        var one: [UInt8] = []
        one.append(littleEndian: bits, byteCount: size)
        let count = one.span.bytes.nonFiniteCount(type)
        #expect(count == 1, "\(type) \(bits)")
      }
    }
    let nothing: [UInt8] = []
    let count = nothing.span.bytes.nonFiniteCount(.float32)
    #expect(count == 0)
  }

  @Test("Numbers are rounded to float16 as Swift does, also halfway between two of its numbers")
  func halves() {
    func check(_ bits: UInt32) {
      let number = Float(bitPattern: bits)
      let expected = Float16(number)
      let actual = Float16(bitPattern: number.float16Bits)
      guard actual.bitPattern != expected.bitPattern, !(actual.isNaN && expected.isNaN) else {
        return
      }
      Issue.record("\(number): \(actual), expected \(expected)")
    }
    for bits in stride(from: 0, through: UInt32.max, by: 509) { check(bits) }
    for half in 0..<UInt16(0x7C00) {
      let number = Float(Float16(bitPattern: half))
      let middle = (number + Float(Float16(bitPattern: half).nextUp)) / 2
      for bits in [number.bitPattern, middle.bitPattern] {
        for neighbor in [bits &- 1, bits, bits + 1] { check(neighbor) }
        check(bits | 0x8000_0000)
      }
    }
  }
}
