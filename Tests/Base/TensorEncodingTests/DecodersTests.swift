import Bytes
import Testing

@testable import TensorEncoding

/// Decoders that use vector registers, compared with plain loops. (`WEIGHBRIDGE_MAX_ISA` selects
/// the registers.)
@Suite struct DecodersTests {
  /// Decodes symbols as `Schemas/wbm.md` specifies; `nil` for bytes that no encoder writes.
  private static func symbols(
    _ bytes: [UInt8], _ frequencies: [UInt16], lanes: Int, count: Int
  ) -> [UInt8]? {
    var start = 0
    let slots = frequencies.enumerated().flatMap { symbol, frequency in
      defer { start += Int(frequency) }
      return [(symbol: Int, start: Int)](repeating: (symbol, start), count: Int(frequency))
    }
    var position = 0
    func number(_ size: Int) -> Int? {
      guard position + size <= bytes.count else { return nil }
      defer { position += size }
      return (0..<size).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
    }
    var (states, symbols): ([Int], [UInt8]) = ([], [])
    for _ in 0..<lanes {
      guard let state = number(4) else { return nil }
      states.append(state)
    }
    for index in 0..<count {
      var state = states[index % lanes]
      let slot = slots[state % 4096]
      symbols.append(UInt8(slot.symbol))
      state = Int(frequencies[slot.symbol]) * (state / 4096) + state % 4096 - slot.start
      if state < 1 << 16 {
        guard let word = number(2) else { return nil }
        state = state << 16 + word
      }
      states[index % lanes] = state
    }
    return position == bytes.count && states.allSatisfy { $0 == 1 << 16 } ? symbols : nil
  }

  private static func decode(
    _ bytes: [UInt8], _ table: SymbolTable, lanes: Int, count: Int
  ) -> [UInt8]? {
    // The bytes after the symbols must not change.
    var symbols = [UInt8](repeating: 77, count: count + 64)
    let isValid = bytes.withUnsafeBytes { bytes in
      symbols.withUnsafeMutableBufferPointer {
        RANSCoder.decode(
          bytes, RANSCoder.slots(table), lanes: lanes,
          to: UnsafeMutableBufferPointer(rebasing: $0[..<count]))
      }
    }
    #expect(symbols[count...].allSatisfy { $0 == 77 })
    return isValid ? Array(symbols[..<count]) : nil
  }

  @Test(
    "Symbols round-trip, and changed bytes are refused or read as the specification says",
    arguments: [1, 2, 4, 8, 16, 32])
  func symbols(_ lanes: Int) throws {
    var numbers = SampleNumbers(seed: UInt64(lanes))
    var refusedCount = 0
    for deviation in [0, 0.4, 2, 9, 60] {
      for count in [0, 1, 31, 32, 33, 200, 1500] {
        let symbols = (0..<count).map { _ in
          UInt8(max(0, min(255, 128 + (numbers.normal() * deviation).rounded())))
        }
        var counts = [Int](repeating: 0, count: 256)
        for symbol in symbols + [128] { counts[Int(symbol)] += 1 }
        let table = try #require(SymbolTable(counts: counts))
        let coded = RANSCoder.encode(symbols[...], table, lanes: lanes)
        #expect(Self.decode(coded, table, lanes: lanes, count: count) == symbols)
        for round in 0..<30 {
          var bytes = coded
          // Changes any byte or the states only, or removes bytes.
          if round % 3 == 0 { bytes.removeLast(numbers.below(min(bytes.count, 80)) + 1) }
          let end = round % 3 == 1 ? min(4 * lanes, bytes.count) : bytes.count
          if end > 0 { bytes[numbers.below(end)] ^= UInt8(1 + numbers.below(255)) }
          let expected = Self.symbols(bytes, table.frequencies, lanes: lanes, count: count)
          #expect(Self.decode(bytes, table, lanes: lanes, count: count) == expected)
          if expected == nil { refusedCount += 1 }
        }
      }
    }
    #expect(refusedCount > 500)
  }

  @Test("Packed numbers of every width are unpacked", arguments: 1...16)
  func packed(_ bits: Int) {
    var numbers = SampleNumbers(seed: UInt64(bits))
    for count in [0, 1, 7, 8, 9, 40, 333] {
      let all = (0..<count).map { _ in UInt32(numbers.below(1 << bits)) }
      let bytes = PackedBits.pack(all, bits: bits)
      #expect(
        PackedBits.unpack(bytes.span.bytes, count: count, bits: bits) == all.map { Int32($0) })
      let signed = all.map { Int32($0) - ($0 >> (bits - 1) == 1 ? 1 << bits : 0) }
      #expect(
        PackedBits.unpack(bytes.span.bytes, count: count, bits: bits, isSigned: true) == signed)
    }
  }

  @Test("Every binary16 becomes its number")
  func halves() throws {
    let bytes = (0..<65_536).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let actual = try EncodedElements(.half(.float16), .float32, shape: [65_536], bytes: bytes)
      .decoded().floats
    #expect(actual.count == 65_536)
    for (index, number) in actual.enumerated() {
      let half = Float16(bitPattern: UInt16(index))
      #expect(half.isNaN ? number.isNaN : number.bitPattern == Float(half).bitPattern)
    }
  }

  static let grids: [(shape: [Int], block: [Int])] = [
    ([], []), ([1], [1]), ([5000], [32]), ([5000], [1]), ([300, 40], [1, 40]),
    ([300, 40], [300, 1]), ([300, 40], [7, 40]), ([300, 40], [7, 9]),
    ([4, 6, 3, 3], [4, 1, 3, 3]),
    ([40, 60, 3, 3], [1, 60, 3, 3]), ([40, 6, 5, 3], [40, 4, 5, 2]), ([1, 900], [1, 7]),
    ([6, 1, 50], [2, 1, 8]), ([0, 4], [1, 4]), ([70_000], [70_000]), ([3, 1, 1], [1, 1, 1]),
  ]

  @Test("Blocks divide tensors of every rank", arguments: grids)
  func blocks(_ grid: (shape: [Int], block: [Int])) throws {
    let count = grid.shape.reduce(1, *)
    let blocks = zip(grid.shape, grid.block).map { ($0 + $1 - 1) / $1 }
    let integers = (0..<count).map { Int8(truncatingIfNeeded: $0 % 7 - 3) }
    let scales = (0..<blocks.reduce(1, *)).map { Float($0 + 1) / 8 }
    let linear = LinearIntegers(bits: 5, isSigned: true, blockShape: grid.block)
    let stored = linear.encode(.init(integers: integers, scales: scales), shape: grid.shape)
    for type in [ElementType.float32, .float64] {
      let decoded = try EncodedElements(.linear(linear), type, shape: grid.shape, bytes: stored)
        .decoded()
      let expected = (0..<count).map { position in
        var (remaining, block, step) = (position, 0, 1)
        for axis in grid.shape.indices.reversed() {
          block += remaining % grid.shape[axis] / grid.block[axis] * step
          step *= blocks[axis]
          remaining /= grid.shape[axis]
        }
        return Float(integers[position]) * scales[block]
      }
      #expect(decoded == FloatElements.bytes(count: count, type) { expected[$0] })
    }
  }

  @Test("Changed planes are refused or decoded, without a trap")
  func hostilePlanes() throws {
    var numbers = SampleNumbers(seed: 9)
    let count = 17_000  // as many as have 32 lanes
    let plain = FloatElements.bytes(count: count, .float32) { _ in Float(numbers.normal()) }
    let valid = EncodedElements(
      .bytePlanes, .float32, shape: [count], bytes: BytePlanes.encode(plain.span.bytes, .float32))
    #expect(try valid.decoded() == plain)
    var refusedCount = 0
    for round in 0..<600 {
      var bytes = valid.bytes
      bytes[numbers.below(round % 2 == 0 ? 300 : bytes.count)] = UInt8(numbers.below(256))
      if round % 5 == 0 { bytes = Array(bytes.prefix(numbers.below(bytes.count))) }
      do throws(WeighbridgeError) {
        #expect(try valid.replacing(bytes).decoded().count == 4 * count)
      } catch {
        refusedCount += 1
        #expect(error.code == .malformed)
      }
    }
    #expect(refusedCount > 200)
  }
}
