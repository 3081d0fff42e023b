import Bytes
import Digests
import Foundation
import Testing

/// Digests against the vectors that others published or computed.
@Suite struct DigestTests {
  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The examples of NIST for FIPS 180-4, and its message of a million letters.
  @Test(
    "SHA-256 gives the digests of NIST's examples",
    arguments: [
      ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
  func sha(_ text: String, _ count: Int, _ expected: String) throws {
    let store = ByteStore(Array(String(repeating: text, count: count).utf8))
    #expect(hexadecimal(try sha256(of: store)) == expected)
    let pending = PendingDigest(sha256Of: store)
    #expect(hexadecimal(try pending.value()) == expected)
    pending.wait()
    #expect(pending.isDone)
    #expect(hexadecimal(try pending.value()) == expected)
  }

  @Test("SHA-256 of a mapped file is that of its bytes, an empty file included")
  func mapped() throws {
    for count in [0, 100_000] {
      let path = NSTemporaryDirectory() + "digest-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let bytes = Self.numbers(count)
      try Data(bytes).write(to: URL(filePath: path))
      let file = ByteStore(try MappedFile(path: path))
      #expect(try sha256(of: file) == sha256(of: ByteStore(bytes)))
    }
  }

  /// i * 31 + 7, modulo 256.
  private static func numbers(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31 + 7) }
  }

  /// `xxhash.xxh3_128(...).hexdigest()` of Python's xxhash 4.1.0 for the first bytes of these
  /// numbers: lengths on both sides of each border between XXH3's ways.
  private static let digests: [(count: Int, digest: String)] = [
    (0, "99aa06d3014798d86001c324468d497f"), (1, "495b62073ef70ca44c5cca45d0f4811f"),
    (3, "46f66cb93538156515f7093b173d005c"), (4, "7fefeeffb4d0eab3b987ca5d9241572a"),
    (8, "803c675a846cc6c256bb836ceb6d4baa"), (9, "d46556872d230f224376673580310154"),
    (16, "650fe308c566747df853dd94614dfa07"), (17, "18217300b5132d5a78c349fe81b2f26c"),
    (128, "b4f87b99d2db8a511e04fad9f0cacb4d"), (129, "6881633650cd8924c51bc887976aef63"),
    (240, "de57aab31e77a2ff93e173833f75ab66"), (241, "92b991a7192f3f080b3b630948ce4a00"),
    (1024, "4c17271c906df79223bc880ebf0d29c6"), (2000, "6e49d9b3dde8ee9219eb4cda7a0f1a0d"),
  ]

  @Test("XXH3-128 gives the digests of Python's xxhash, whole and in pieces")
  func xxh3() throws {
    var stream = try XXH3Stream()
    for (count, expected) in Self.digests {
      let bytes = Self.numbers(count)
      let digest = XXH3Digest(of: bytes.span.bytes)
      #expect(hexadecimal(digest.bytes) == expected, "\(count) bytes")
      for size in [1, 7, 256, 5000] {
        stream.reset()
        for start in stride(from: 0, to: count, by: size) {
          stream.update(Array(bytes[start..<min(start + size, count)]).span.bytes)
        }
        #expect(stream.digest() == digest, "\(count) bytes in pieces of \(size)")
        #expect(stream.digest() == digest, "a digest may be asked for twice")
      }
    }
  }

  @Test("A digest is read from 16 bytes and from no other number")
  func stored() throws {
    let digest = XXH3Digest(of: Self.numbers(5).span.bytes)
    #expect(XXH3Digest(digest.bytes) == digest)
    for count in [0, 15, 17] { #expect(XXH3Digest([UInt8](repeating: 0, count: count)) == nil) }
  }
}
