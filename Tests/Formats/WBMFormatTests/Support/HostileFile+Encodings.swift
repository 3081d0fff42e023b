import Bytes
import Digests
import TensorEncoding

extension HostileFile {
  /// Attacks on encoded tensors.
  static let encodings: [HostileFile] = [
    HostileFile(
      "encoding-without-digest", "decoded tensor w has 0 bytes, expected 16",
      story: "Encoded elements that nothing checks once they are decoded."
    ) { $0.encode(7, [0], decodedDigest: []) },
    HostileFile(
      "encoding-digest-of-plain", "decoded tensor w has 16 bytes, expected 0",
      story: "A plain tensor with a digest of something else."
    ) { $0.encode(1, RawModel.elements) },
    HostileFile(
      "encoding-without-parameters", "lacks the parameters of its encoding",
      story: "Integers that do not say how many bits they have."
    ) { $0.encode(5, [0]) },
    HostileFile(
      "encoding-other-parameters", "parameters of another encoding",
      story: "Entropy-coded integers with the parameters of a lookup table."
    ) { $0.encode(7, [0], parameters: lookup(bits: 1, blockShape: [3])) },
    HostileFile(
      "encoding-bits", "indices have 60 bits", story: "A table of 2^60 numbers."
    ) { $0.encode(6, [0], parameters: lookup(bits: 60, blockShape: [3])) },
    HostileFile(
      "encoding-blocks", "do not divide",
      story: "Blocks of no elements, of which there are endless."
    ) { $0.encode(6, [0], parameters: lookup(bits: 1, blockShape: [0])) },
    HostileFile(
      "encoding-length", "needs 12", story: "A table that ends in the middle of a number."
    ) { $0.encode(6, [0, 0, 0, 0, 1, 2, 3, 4, 5], parameters: lookup(bits: 1, blockShape: [3])) },
    HostileFile(
      "encoding-of-integers", "int32 cannot be encoded as",
      story: "Halves of whole numbers."
    ) { $0.encode(2, [0, 0, 0, 0, 0, 0], type: 7) },
    damaged(
      "rans-empty", "cannot be decoded", story: "Integers without a byte.", []),
    damaged(
      "rans-elsewhere", "does not decode to what was written",
      story: "Integers that decode, but to others than were written.",
      RANSIntegers.encode(.init(integers: [1, 2, 4], steps: [1]), shape: [3])),
    damaged(
      "rans-classes", "in 65 classes are not known", story: "More classes than there may be.",
      [0, 0, 65, 0, 0, 128, 63]),
    damaged(
      "rans-step", "a step is nan", story: "A step that is not a number.",
      [0, 0, 1, 0, 0, 192, 127, 0, 1, 1, 1, 128, 32]),
    damaged(
      "rans-frequencies", "adds up to 1", story: "A table of symbols that decodes nothing.",
      [0, 0, 1, 0, 0, 128, 63, 0, 1, 1, 1, 1]),
    damaged(
      "rans-low-bits", "have 200 low bits", story: "Low bits by which a shift is not defined.",
      [0, 0, 1, 0, 0, 128, 63, 200, 1, 1, 1, 128, 32]),
    damaged(
      "rans-escapes", "4294967295 of 3 integers are escapes",
      story: "Four thousand million escapes for three integers.",
      [0, 0, 1, 0, 0, 128, 63, 0, 1, 1, 1, 128, 32, 4, 0, 0, 0, 255, 255, 255, 255]),
    damaged(
      "rans-state", "does not match its symbol table",
      story: "A state at which no encoder ends.",
      [0, 0, 1, 0, 0, 128, 63, 0, 1, 1, 1, 128, 32, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0]),
    damaged(
      "rans-dependent-escape", "does not match its symbol table",
      story: "An integer of dependent quantization of which twice as much has no room in 32 bits.",
      [4, 0, 1, 0, 0, 128, 63, 0, 1, 0, 0, 128, 32, 4, 0, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0]
        + [0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0, 0]),
    damaged(
      "rans-trailing", "follow the last chunk", story: "Bytes that belong to no chunk.",
      [0, 0, 1, 0, 0, 128, 63, 0, 1, 1, 1, 128, 32, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 9]),
    HostileFile(
      "rans-claim", "cannot hold its shape",
      story: "A petabyte of weights in a few bytes."
    ) { $0.claim() },
    damaged(
      "planes-kind", "an unknown mode", encoding: 4,
      story: "Planes that are stored in a third way.",
      [2, 0, 0, 0, 0]),
    damaged(
      "planes-short", "needs 3 bytes", encoding: 4, story: "A plane that ends too early.",
      [0, 0, 0, 0, 0, 1, 2]),
  ]

  /// A file that opens, and whose only tensor cannot be decoded to what its digest says.
  private static func damaged(
    _ name: String, _ phrase: String, encoding: UInt64 = 7, story: String, _ bytes: [UInt8]
  ) -> HostileFile {
    HostileFile(name, phrase, code: .damaged, opens: true, story: story) {
      $0.encode(encoding, bytes)
    }
  }

  private static func lookup(bits: UInt64, blockShape: [UInt64]) -> [UInt8] {
    Wire.bytes(10, Wire.number(1, bits) + Wire.bytes(2, blockShape.flatMap(Wire.varint)))
  }
}

/// A function, because debug builds reject a span of a global in a default argument.
private func digest(_ bytes: [UInt8]) -> [UInt8] { XXH3Digest(of: bytes.span.bytes).bytes }

extension RawModel {
  /// Replaces the bytes of the tensor by others in an encoding.
  fileprivate mutating func encode(
    _ encoding: UInt64, _ bytes: [UInt8], type: UInt64 = 3, shape: [UInt64] = [3],
    decodedDigest: [UInt8] = digest(elements), parameters: [UInt8] = []
  ) {
    let digest = digest(bytes)
    tensors = [
      Wire.string(1, "w") + Wire.number(2, type) + Wire.number(3, encoding)
        + Wire.bytes(4, shape.flatMap(Wire.varint))
        + (bytes.isEmpty ? [] : Wire.number(6, UInt64(bytes.count))) + Wire.bytes(7, digest)
        + (decodedDigest.isEmpty ? [] : Wire.bytes(8, decodedDigest)) + parameters
    ]
    data = bytes
    if type != 3 {
      values[1] =
        Wire.string(1, "w") + Wire.number(2, type) + Wire.bytes(3, Wire.number(1, 3))
        + Wire.number(4, 0)
    }
  }

  /// Makes the tensor claim to have 2^48 elements.
  fileprivate mutating func claim() {
    encode(
      7, RANSIntegers.encode(.init(integers: [1, 2, 4], steps: [1]), shape: [3]),
      shape: [1 << 48])
    let size = Wire.bytes(3, Wire.number(1, 1 << 48))
    values = ["x", "w", "y"].map { Wire.string(1, $0) + Wire.number(2, 3) + size }
    values[1] += Wire.number(4, 0)
  }
}
