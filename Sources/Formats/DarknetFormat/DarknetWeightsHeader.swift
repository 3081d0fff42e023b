package import Bytes

/// The header of a `.weights` file. It is followed by little-endian float32 numbers, layer by
/// layer.
package struct DarknetWeightsHeader: Hashable, Sendable {
  /// The major version of the program that wrote the file.
  package let major: Int
  /// The minor version.
  package let minor: Int
  /// The revision.
  package let revision: Int
  /// The number of images seen in training, including repetitions.
  package let seen: UInt64
  /// The size of the header: 16 bytes with a 32-bit counter of images, 20 with a 64-bit one.
  package let byteCount: Int

  /// Reads the header as a fork of darknet does.
  ///
  /// From version 0.2 on, the counter has 64 bits, except that pjreddie's darknet reads 32 bits if
  /// the major or minor version is 1000 or more.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the file is too short, or does not begin
  ///   with a version.
  package init(_ store: ByteStore, fork: DarknetFork) throws(WeighbridgeError) {
    self = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try DarknetWeightsHeader(bytes, fork: fork)
    }
  }

  private init(_ bytes: borrowing RawSpan, fork: DarknetFork) throws(WeighbridgeError) {
    guard bytes.byteCount >= 16 else {
      throw .malformed(
        "has \(bytes.byteCount) bytes, but the header of a darknet .weights file alone has 16")
    }
    var cursor = ByteCursor(0..<bytes.byteCount)
    var numbers: [Int] = []
    for _ in 0..<3 {
      numbers.append(Int(Int32(bitPattern: try cursor.integer(UInt32.self, from: bytes))))
    }
    guard numbers.allSatisfy({ (0...Self.maximumVersionNumber).contains($0) }) else {
      throw .malformed(
        "begins with \(numbers), which is not a version: this is not a darknet .weights file"
      ).at(.byte(0))
    }
    (major, minor, revision) = (numbers[0], numbers[1], numbers[2])
    let isForced32Bit = fork == .pjreddie && (major >= 1000 || minor >= 1000)
    if major * 10 + minor >= 2, !isForced32Bit {
      seen = try cursor.integer(UInt64.self, from: bytes)
    } else {
      seen = UInt64(try cursor.integer(UInt32.self, from: bytes))
    }
    byteCount = cursor.offset
  }

  /// A number that no part of a version exceeds.
  private static let maximumVersionNumber = 100_000

  /// Whether bytes can be a `.weights` file, which has no signature: a version that darknet has
  /// written, a plausible counter, and a whole number of floats after the header.
  package static func recognizes(_ bytes: borrowing RawSpan) -> Bool {
    guard let header = try? DarknetWeightsHeader(bytes, fork: .alexeyab) else { return false }
    let version = [header.major, header.minor, header.revision]
    return version.contains { $0 > 0 } && version.allSatisfy { $0 <= 1_001 }
      && header.seen < 1 << 40 && bytes.byteCount > header.byteCount
      && (bytes.byteCount - header.byteCount) % 4 == 0
  }

  /// Whether the matrices of connected layers are stored `[in, out]`.
  package var isTransposed: Bool { major > 1000 || minor > 1000 }

  /// The version as a string.
  package var version: String { "\(major).\(minor).\(revision)" }

  /// The header of a new file: the version that the fork writes, and zero images seen.
  package static func bytes(fork: DarknetFork) -> [UInt8] {
    let revision: UInt8 = fork == .alexeyab ? 5 : 0
    return [0, 0, 0, 0, 2, 0, 0, 0, revision, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
  }
}
