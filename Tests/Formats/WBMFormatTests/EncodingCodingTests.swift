import Bytes
import Digests
import ProtobufWire
import TensorEncoding
import Testing

@testable import WBMFormat

@Suite struct EncodingCodingTests {
  private static let encodings: [TensorEncoding] = [
    .half(.float16), .half(.bfloat16), .bytePlanes, .rans,
    .linear(LinearIntegers(bits: 4, isSigned: true, blockShape: [1, 2])),
    .linear(
      LinearIntegers(
        bits: 8, isSigned: false, blockShape: [2, 3], hasZeroPoints: true, hasOffsets: true)),
    .lookup(LookupTables(bits: 1, blockShape: [2, 1])),
  ]

  /// A tensor of shape `[2, 3]` in an encoding.
  private static func elements(_ encoding: TensorEncoding) -> EncodedElements {
    let numbers: [Float] = [1, 2, 3, 4, 5, 6]
    let plain = FloatElements.bytes(count: 6, .float32) { numbers[$0] }
    var bytes: [UInt8] = []
    switch encoding {
    case .plain: bytes = plain
    case .half(let half): bytes = half.encode(numbers)
    case .bytePlanes: bytes = BytePlanes.encode(plain.span.bytes, .float32)
    case .linear(let linear):
      let scales = [Float](repeating: 0.5, count: linear.blockShape == [2, 3] ? 1 : 4)
      let content = LinearIntegers.Content(
        integers: [1, 2, 3, 4, 5, 6], scales: scales,
        zeroPoints: linear.hasZeroPoints ? [3] : [], offsets: linear.hasOffsets ? [1] : [])
      bytes = linear.encode(content, shape: [2, 3])
    case .lookup(let lookup):
      let content = LookupTables.Content(
        positions: [0, 1, 0, 1, 1, 0], tables: [1, 2, 3, 4, 5, 6])
      bytes = lookup.encode(content, shape: [2, 3])
    case .rans:
      bytes = RANSIntegers.encode(.init(integers: [1, 2, 3, 4, 5, 6], steps: [2]), shape: [2, 3])
    }
    return EncodedElements(encoding, .float32, shape: [2, 3], bytes: bytes)
  }

  private static func bytes(of elements: EncodedElements) -> [UInt8] {
    elements.withBytes { $0.copied(0..<$0.byteCount) }
  }

  /// A file whose only tensor has an encoding.
  private static func write(_ encoding: TensorEncoding, to path: String) throws {
    let elements = elements(encoding)
    var header = SampleHeaders.tiny
    let decoded = try elements.decoded()
    let digest = XXH3Digest(of: decoded.span.bytes)
    header.tensors = [WBMTensor(name: "w", elements, decodedDigest: digest)]
    for index in header.graph.values.indices where header.graph.values[index].tensor != nil {
      header.graph.values[index].dimensions = [.fixed(2), .fixed(3)]
    }
    var writer = try WBMWriter(path: path, header: header)
    let bytes = bytes(of: elements)
    try writer.append(bytes.span.bytes)
    try writer.commit(replacing: true)
  }

  @Test("Every encoding reads back with its parameters and elements", arguments: encodings)
  func roundTrip(_ encoding: TensorEncoding) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    try Self.write(encoding, to: path)
    let file = try WBMFile(path: path)
    #expect(file.header.tensors[0].encoding == encoding)
    try file.checkIntegrity()
    #expect(try file.decodedElements(ofTensor: 0) == Self.elements(encoding).decoded())
  }

  @Test(
    "Elements that decode to something other than what was written are reported as damage",
    arguments: encodings)
  func damage(_ encoding: TensorEncoding) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a")
    try Self.write(encoding, to: path)
    let file = try WBMFile(path: path)
    var header = file.header
    header.tensors[0].decodedDigest = XXH3Digest([UInt8](repeating: 7, count: 16))
    var writer = try WBMWriter(path: path, header: header)
    let bytes = Self.bytes(of: Self.elements(encoding))
    try writer.append(bytes.span.bytes)
    try writer.commit(replacing: true)
    let damaged = try WBMFile(path: path)
    #expect(
      damaged.damage() == [.elements(0, "tensor #0 w does not decode to what was written")])
    let error = #expect(throws: WeighbridgeError.self) {
      try damaged.decodedElements(ofTensor: 0)
    }
    #expect(error?.code == .damaged)
    #expect(
      error?.reason.contains("does not decode to what was written") == true, "\(error as Any)")
  }

  @Test("A header without the digest of the elements is refused")
  func noDigest() throws {
    var header = SampleHeaders.tiny
    header.tensors[0].encoding = .half(.float16)
    let bytes = try header.serialized()
    let error = #expect(throws: WeighbridgeError.self) {
      try WBMHeader(bytes.span.bytes, limits: ProtobufLimits())
    }
    #expect(error?.code == .malformed)
    #expect(error?.reason.contains("the digest of the") == true, "\(error as Any)")
  }
}
