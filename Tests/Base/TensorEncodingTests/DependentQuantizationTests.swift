import Bytes
import Testing

@testable import TensorEncoding

/// Integers that represent multiples of a step by dependent quantization.
@Suite struct DependentQuantizationTests {
  /// Returns the multiples that integers represent, column by column, with a table of states.
  private static func multiples(_ integers: [Int32], columns: Int) -> [Int32] {
    // The state after an even and after an odd integer.
    let nextStates = [[0, 1], [2, 3], [5, 4], [7, 6], [1, 0], [3, 2], [4, 5], [6, 7]]
    var result = integers
    for column in 0..<columns {
      var state = 0
      for (row, index) in stride(from: column, to: integers.count, by: columns).enumerated() {
        if row % 256 == 0 { state = 0 }
        let integer = integers[index]
        result[index] = 2 * integer - (state % 2 == 1 ? integer.signum() : 0)
        state = nextStates[state][integer.isMultiple(of: 2) ? 0 : 1]
      }
    }
    return result
  }

  static let shapes: [(shape: [Int], deviation: Double)] = [
    ([7], 3), ([16, 3, 3, 3], 2), ([600, 130], 4), ([300, 1100], 0.6), ([40, 5000], 6),
    ([20, 30], 90_000),
  ]

  @Test("Multiples and numbers round-trip", arguments: shapes)
  func roundTrip(_ sample: (shape: [Int], deviation: Double)) throws {
    var numbers = SampleNumbers(seed: 1)
    let (rows, columns) = RANSIntegers.matrix(sample.shape)
    let integers = numbers.integers(rows: rows, columns: columns, deviation: sample.deviation)
    let expected = Self.multiples(integers, columns: columns)
    for steps in [[0.1], (0..<rows).map { 0.01 * Float($0 % 7 + 1) }] {
      let content = RANSIntegers.Content(integers: integers, steps: steps, isDependent: true)
      #expect(content.multiples(shape: sample.shape) == expected)
      let elements = EncodedElements.rans(content, shape: sample.shape)
      #expect(
        try elements.decoded().floats
          == expected.enumerated().map {
            Float($1) * steps[steps.count == 1 ? 0 : $0 / columns]
          })
      let read = try elements.withBytes { (bytes) throws(WeighbridgeError) in
        try RANSIntegers.content(bytes, shape: sample.shape)
      }
      #expect(read.integers == integers && read.isDependent)
    }
  }

  @Test("The flag takes no space")
  func size() {
    let integers = (0..<4000).map { Int32($0 % 11 - 5) }
    let sizes = [false, true].map {
      RANSIntegers.encode(
        .init(integers: integers, steps: [1], isDependent: $0), shape: [40, 100]
      ).count
    }
    #expect(sizes[0] == sizes[1])
  }

  @Test("An integer whose double does not fit in 32 bits is refused")
  func large() throws {
    // One that is far from all others becomes an escape, the last four bytes.
    var integers = [Int32](repeating: 1, count: 1000)
    for index in integers.indices where index % 3 == 0 { integers[index] = 0 }
    integers[999] = 1 << 20
    let valid = EncodedElements.rans(
      .init(integers: integers, steps: [1], isDependent: true), shape: [10, 100])
    #expect(try valid.decoded().floats.count == 1000)
    let escapes: [(number: Int32, isRefused: Bool)] = [
      (1 << 30 - 1, false), (-(1 << 30 - 1), false), (1 << 30, true), (-(1 << 30), true),
      (.max, true), (.min, true),
    ]
    for (escape, isRefused) in escapes {
      var bytes = valid.bytes
      #expect(bytes.suffix(4) == [0, 0, 16, 0])
      bytes.removeLast(4)
      bytes.append(littleEndian: Int(escape), byteCount: 4)
      let elements = valid.replacing(bytes)
      do throws(WeighbridgeError) {
        _ = try elements.decoded()
        #expect(!isRefused)
      } catch {
        #expect(isRefused && error.code == .malformed, "\(error)")
      }
    }
  }

  @Test("Changed bytes are refused or decoded, without a trap")
  func hostile() throws {
    var numbers = SampleNumbers(seed: 4)
    let integers = numbers.integers(rows: 300, columns: 20, deviation: 12)
    let valid = EncodedElements.rans(
      .init(integers: integers, steps: [0.5], isDependent: true), shape: [300, 20])
    var (decodedCount, refusedCount) = (0, 0)
    for _ in 0..<3000 {
      var bytes = valid.bytes
      for _ in 0...numbers.below(3) {
        bytes[numbers.below(numbers.below(2) == 0 ? 60 : bytes.count)] = UInt8(numbers.below(256))
      }
      do throws(WeighbridgeError) {
        #expect(try valid.replacing(bytes).decoded().count == 24_000)
        decodedCount += 1
      } catch {
        #expect(error.code == .malformed)
        refusedCount += 1
      }
    }
    #expect(decodedCount > 0 && refusedCount > 0)
    for kind in [UInt8(3), 7, 8, 12, 132] {
      let error = #expect(throws: WeighbridgeError.self) {
        try valid.replacing([kind] + valid.bytes.dropFirst()).decoded()
      }
      #expect(error?.code == .malformed)
      #expect(error?.reason.contains("are not known") == true, "\(error as Any)")
    }
  }
}
