import Bytes
import Testing

@testable import TensorEncoding

@Suite struct RANSIntegersTests {
  static let shapes: [(shape: [Int], deviation: Double)] = [
    ([1], 3), ([7], 0), ([16, 3, 3, 3], 2), ([64, 9], 0.3), ([40, 5000], 6), ([3, 70_000], 40),
    ([100, 50], 700), ([20, 30], 90_000),
  ]

  @Test("Integers and numbers round-trip", arguments: shapes)
  func roundTrip(_ sample: (shape: [Int], deviation: Double)) throws {
    var numbers = SampleNumbers(seed: 1)
    let (rows, columns) = RANSIntegers.matrix(sample.shape)
    let integers = numbers.integers(rows: rows, columns: columns, deviation: sample.deviation)
    let steps = [0.01, 0.02, 0.4].map { Float($0) }
    let several = (0..<rows).map { steps[$0 % 3] * 3 }
    let powers = (0..<rows).map { StepScale.multiply(0.37, eighths: Int8($0 % 90 - 40)) }
    for steps in [[0.1], several, powers] {
      let content = RANSIntegers.Content(integers: integers, steps: steps)
      let elements = EncodedElements.rans(content, shape: sample.shape)
      #expect(try elements.decoded().floats == content.numbers(shape: sample.shape))
      let read = try elements.withBytes { (bytes) throws(WeighbridgeError) in
        try RANSIntegers.content(bytes, shape: sample.shape)
      }
      #expect(read.integers == integers)
    }
  }

  @Test("Steps in eighths of powers of 2 take a byte for each row")
  func eighths() throws {
    let integers = [Int32](repeating: 1, count: 4000)
    let one = RANSIntegers.encode(.init(integers: integers, steps: [2]), shape: [400, 10])
    let powers = (0..<400).map { StepScale.multiply(2, eighths: Int8($0 % 100)) }
    let each = RANSIntegers.encode(.init(integers: integers, steps: powers), shape: [400, 10])
    #expect(each.count == one.count + 400)
    // 2^(3/8) is 1.2968395546510096.
    #expect(StepScale.multiply(1, eighths: 3) == 1.2968395546510096)
    #expect(StepScale.multiply(1, eighths: -13) == 1.2968395546510096 / 4)
  }

  @Test("Coded integers take at most 2 % more than their entropy")
  func size() {
    var numbers = SampleNumbers(seed: 2)
    let integers = (0..<1 << 18).map { _ in Int32((numbers.normal() * 9).rounded()) }
    var counts: [Int32: Double] = [:]
    for integer in integers { counts[integer, default: 0] += 1 }
    let total = Double(integers.count)
    let entropy = counts.values.reduce(0) { $0 - $1 * Logarithms.base2($1 / total) } / 8
    let bytes = RANSIntegers.encode(.init(integers: integers, steps: [1]), shape: [64, 4096])
    #expect(Double(bytes.count) < 1.02 * entropy)
  }

  @Test("Small matrices do not pay for tables: 64 rows of 9 in less than 5 bits each")
  func small() {
    var numbers = SampleNumbers(seed: 3)
    // Normal with a deviation of 3: an entropy of log2(3 * sqrt(2 pi e)) = 3.63 bits.
    let integers = (0..<576).map { _ in Int32((numbers.normal() * 3).rounded()) }
    let bytes = RANSIntegers.encode(.init(integers: integers, steps: [1]), shape: [64, 9])
    #expect(bytes.count * 8 < 576 * 41 / 10 + 8 * 24)
  }

  @Test("Changed and truncated bytes are refused or decoded, without a trap")
  func hostile() throws {
    var numbers = SampleNumbers(seed: 4)
    let integers = numbers.integers(rows: 50, columns: 100, deviation: 12)
    let valid = EncodedElements.rans(.init(integers: integers, steps: [0.5]), shape: [50, 100])
    var refusedCount = 0
    for _ in 0..<4000 {
      var bytes = valid.bytes
      for _ in 0...numbers.below(3) {
        bytes[numbers.below(numbers.below(2) == 0 ? 60 : bytes.count)] = UInt8(numbers.below(256))
      }
      if numbers.below(4) == 0 { bytes = Array(bytes.prefix(numbers.below(bytes.count))) }
      do throws(WeighbridgeError) {
        #expect(try valid.replacing(bytes).decoded().count == 20_000)
      } catch {
        refusedCount += 1
        #expect(error.code == .malformed)
      }
    }
    #expect(refusedCount > 2000)
  }

  @Test("Every cut is refused")
  func cut() throws {
    var numbers = SampleNumbers(seed: 5)
    let integers = numbers.integers(rows: 5, columns: 40, deviation: 12)
    let valid = EncodedElements.rans(.init(integers: integers, steps: [0.5]), shape: [5, 40])
    for count in 0..<valid.byteCount {
      let error = #expect(throws: WeighbridgeError.self) {
        try valid.replacing(Array(valid.bytes.prefix(count))).decoded()
      }
      #expect(error?.code == .malformed)
    }
    let error = #expect(throws: WeighbridgeError.self) {
      try valid.replacing(valid.bytes + [0]).decoded()
    }
    #expect(error?.code == .malformed)
    #expect(error?.reason.contains("1 bytes follow the last chunk") == true, "\(error as Any)")
  }

  @Test(
    "A tensor that claims more elements than its bytes can hold is refused before memory is taken")
  func claims() throws {
    let valid = EncodedElements.rans(.init(integers: [1, 2, 3], steps: [1]), shape: [3])
    for shape in [[1 << 40], [1 << 31, 1 << 31], [1 << 20, 1 << 30], [1 << 40, 0]] {
      let elements = EncodedElements(.rans, .float32, shape: shape, bytes: valid.bytes)
      let error = #expect(throws: WeighbridgeError.self) { try elements.decoded() }
      #expect(error?.code == .malformed)
    }
  }
}
