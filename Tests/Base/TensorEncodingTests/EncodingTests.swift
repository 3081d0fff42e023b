import Bytes
import Testing

@testable import TensorEncoding

@Suite struct EncodingTests {
  @Test(
    "Byte planes lose nothing, whatever the type",
    arguments: ElementType.allCases, [0, 1, 9, 5000, 140_000])
  func planes(_ type: ElementType, _ count: Int) throws {
    var numbers = SampleNumbers(seed: 6)
    let bytes =
      type.isFloat
      ? FloatElements.bytes(count: count, type) { _ in Float(numbers.normal() * 0.05) }
      : (0..<count * type.byteCount).map { _ in UInt8(numbers.below(7)) }
    let stored = BytePlanes.encode(bytes.span.bytes, type)
    let elements = EncodedElements(.bytePlanes, type, shape: [count], bytes: stored)
    #expect(try elements.decoded() == bytes)
    if count == 140_000, type == .float32 { #expect(stored.count * 100 < bytes.count * 85) }
    if count == 140_000, type == .bfloat16 { #expect(stored.count * 100 < bytes.count * 69) }
  }

  @Test("NaN, infinities and zeros with a sign stay as they are in byte planes")
  func special() throws {
    let numbers: [Float] = [.nan, -.infinity, .infinity, -0.0, 0, .leastNonzeroMagnitude]
    let bytes = FloatElements.bytes(count: 6, .float32) { numbers[$0] }
    let stored = BytePlanes.encode(bytes.span.bytes, .float32)
    #expect(
      try EncodedElements(.bytePlanes, .float32, shape: [6], bytes: stored).decoded() == bytes)
  }

  @Test("Halves are rounded to the nearest, ties to even")
  func halves() throws {
    // 1 + 2^-11 lies between two float16, 1 + 2^-8 between two bfloat16.
    let numbers: [Float] = [1.00048828125, 1.0014648, 65504, 1.00390625, 1.01171875, -3.1415927]
    let cases: [(HalfPrecision, [Float])] = [
      (.float16, [1, 1.0019531, 65504, 1.0039062, 1.0117188, -3.140625]),
      (.bfloat16, [1, 1, 65536, 1, 1.015625, -3.140625]),
    ]
    for (half, expected) in cases {
      let elements = EncodedElements(
        .half(half), .float32, shape: [6], bytes: half.encode(numbers))
      #expect(elements.byteCount == 12)
      #expect(try elements.decoded().floats == expected)
    }
  }

  @Test("Integers have the scale, zero point and offset of their block", arguments: 2...8)
  func linear(_ bits: Int) throws {
    var numbers = SampleNumbers(seed: UInt64(bits))
    for isSigned in [true, false] {
      let lowest = isSigned ? -(1 << (bits - 1)) : 0
      let integers = (0..<3 * 50 * 2).map { _ in lowest + numbers.below(1 << bits) }
      let linear = LinearIntegers(
        bits: bits, isSigned: isSigned, blockShape: [1, 32, 2], hasZeroPoints: true,
        hasOffsets: true)
      let scales = (1...6).map { Float($0) / 3 }
      let (zeroPoints, offsets) = ((0..<6).map { Int32($0) - 2 }, (0..<6).map { Float($0) * 0.7 })
      let content = LinearIntegers.Content(
        integers: integers.map { Int8(truncatingIfNeeded: $0) }, scales: scales,
        zeroPoints: zeroPoints, offsets: offsets)
      let stored = linear.encode(content, shape: [3, 50, 2])
      let actual = try EncodedElements(
        .linear(linear), .float32, shape: [3, 50, 2], bytes: stored
      ).decoded().floats
      for (index, integer) in integers.enumerated() {
        let block = index / 100 * 2 + index / 2 % 50 / 32
        let product = Float(integer - Int(zeroPoints[block])) * scales[block]
        #expect(actual[index] == product + offsets[block])
      }
      let read = try linear.content(stored.span.bytes, shape: [3, 50, 2])
      #expect(read.integers == content.integers)
    }
  }

  @Test("Positions choose from the table of their block", arguments: 1...8)
  func lookup(_ bits: Int) throws {
    var numbers = SampleNumbers(seed: UInt64(bits))
    let lookup = LookupTables(bits: bits, blockShape: [2, 7])
    let positions = (0..<35).map { _ in UInt8(numbers.below(1 << bits)) }
    let tables = (0..<3 << bits).map { _ in Float(numbers.normal()) }
    let stored = lookup.encode(.init(positions: positions, tables: tables), shape: [5, 7])
    let actual = try EncodedElements(.lookup(lookup), .float32, shape: [5, 7], bytes: stored)
      .decoded().floats
    for index in 0..<35 {
      #expect(actual[index] == tables[(index / 14) << bits + Int(positions[index])])
    }
  }

  @Test("Encodings decode to every floating-point type, and to no other")
  func types() throws {
    let stored = RANSIntegers.encode(.init(integers: [1, -2, 7], steps: [0.25]), shape: [3])
    for type in ElementType.allCases {
      let elements = EncodedElements(.rans, type, shape: [3], bytes: stored)
      guard type.isFloat else {
        let error = #expect(throws: WeighbridgeError.self) { try elements.decoded() }
        #expect(error?.code == .malformed)
        #expect(error?.reason.contains("cannot be encoded as") == true, "\(error as Any)")
        continue
      }
      let numbers: [Float] = [0.25, -0.5, 1.75]
      #expect(try elements.decoded() == FloatElements.bytes(count: 3, type) { numbers[$0] })
    }
  }

  @Test("Parameters that do not fit the tensor are refused")
  func parameters() {
    let blocks = "do not divide a tensor of [2, 4]"
    let invalid: [(encoding: TensorEncoding, phrase: String)] = [
      (.linear(LinearIntegers(bits: 1, isSigned: true, blockShape: [1, 4])), "have 1 bits"),
      (.linear(LinearIntegers(bits: 9, isSigned: true, blockShape: [1, 4])), "have 9 bits"),
      (.linear(LinearIntegers(bits: 8, isSigned: true, blockShape: [0, 4])), blocks),
      (.linear(LinearIntegers(bits: 8, isSigned: true, blockShape: [3, 4])), blocks),
      (.linear(LinearIntegers(bits: 8, isSigned: true, blockShape: [4])), blocks),
      (.lookup(LookupTables(bits: 0, blockShape: [2, 4])), "have 0 bits"),
      (.lookup(LookupTables(bits: 9, blockShape: [2, 4])), "have 9 bits"),
      (.lookup(LookupTables(bits: 8, blockShape: [2, 5])), blocks),
    ]
    for (encoding, phrase) in invalid {
      let elements = EncodedElements(encoding, .float32, shape: [2, 4], bytes: [0, 1, 2])
      let error = #expect(throws: WeighbridgeError.self) { try elements.decoded() }
      #expect(error?.code == .malformed)
      #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    }
  }
}
