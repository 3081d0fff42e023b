import Bytes
import TensorEncoding

/// Numbers like those of trained weights, the same at every run.
struct SampleNumbers {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// Uniformly distributed from 0 to 1.
  mutating func uniform() -> Double { Double(generator.next() >> 11) * 0x1p-53 }

  /// Approximately normally distributed: the sum of twelve uniform numbers.
  mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + uniform() } }

  /// Integers of rows whose magnitudes differ.
  mutating func integers(rows: Int, columns: Int, deviation: Double) -> [Int32] {
    (0..<rows).flatMap { row in
      let scale = deviation * (1 + Double(row % 5))
      return (0..<columns).map { _ in Int32((normal() * scale).rounded()) }
    }
  }

  /// A number below a bound.
  mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }
}

extension [UInt8] {
  /// The bytes as numbers in single precision.
  var floats: [Float] {
    stride(from: 0, to: count, by: 4).map {
      span.bytes.unsafeLoadUnaligned(fromByteOffset: $0, as: Float.self)
    }
  }
}

extension EncodedElements {
  /// Entropy-coded integers in single precision.
  static func rans(_ content: RANSIntegers.Content, shape: [Int]) -> EncodedElements {
    EncodedElements(
      .rans, .float32, shape: shape, bytes: RANSIntegers.encode(content, shape: shape))
  }

  /// The same elements with other bytes.
  func replacing(_ bytes: [UInt8]) -> EncodedElements {
    EncodedElements(encoding, elementType, shape: shape, bytes: bytes)
  }

  var bytes: [UInt8] { withBytes { $0.copied(0..<$0.byteCount) } }
}
