package import Bytes
import Digests
package import ProtobufWire

/// An open `.wbm` file: its header, and its tensors as ranges of one mapped file.
///
/// Opening maps the file once and parses the header, whatever the size of the tensors.
package struct WBMFile: Sendable {
  /// Limits on what is read.
  package struct Limits: Sendable {
    /// The maximum size of the header in bytes.
    package var headerByteCount = 64 << 20
    /// The limits on the header's messages.
    package var messages = ProtobufLimits()

    /// The limits of `Schemas/wbm.md`.
    package init() {
      messages.depth = 64
      messages.messageCount = 1_000_000
      messages.fieldCount = 4_000_000
      messages.packedNumberCount = 8_000_000
      messages.memory = .max
    }
  }

  /// The file's path as given.
  package let path: String
  /// The file's format version.
  package let version: WBMVersion
  /// Everything about the model except the tensors' elements.
  package let header: WBMHeader
  /// The bytes of the whole file.
  package let store: ByteStore
  /// The offset of the tensor data in the file.
  package let tensorDataOffset: Int

  /// Opens a file and checks everything except the tensors' bytes.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing``, ``WeighbridgeError/Code/malformed``,
  ///   ``WeighbridgeError/Code/damaged``, ``WeighbridgeError/Code/truncated``,
  ///   ``WeighbridgeError/Code/unsupported`` for another version,
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package init(path: String, limits: Limits = Limits()) throws(WeighbridgeError) {
    try self.init(ByteStore(MappedFile(path: path)), path: path, limits: limits)
  }

  /// Reads a file whose bytes are already available.
  ///
  /// - Parameter path: The path for errors.
  /// - Throws: As ``init(path:limits:)``, except for a missing file.
  package init(
    _ store: ByteStore, path: String, limits: Limits = Limits()
  ) throws(WeighbridgeError) {
    let (preamble, header) = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try store.withBytes { (bytes) throws(WeighbridgeError) in
        try Self.parse(bytes, limits: limits)
      }
    }
    self.path = path
    self.store = store
    self.header = header
    version = preamble.version
    tensorDataOffset = preamble.tensorDataOffset
  }

  /// Whether bytes begin like a `.wbm` file.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    WBMPreamble.isMagic(bytes)
  }

  /// The range of a tensor's bytes in ``store``. The index must be one of the table.
  package func range(ofTensor index: Int) -> Range<Int> {
    let tensor = header.tensors[index]
    let start = tensorDataOffset + tensor.offset  // within the file, as checked while parsing
    return start..<start + tensor.byteCount
  }

  /// Checks a whole file except for the bytes of its tensors and the padding between them.
  static func parse(
    _ bytes: RawSpan, limits: Limits
  ) throws(WeighbridgeError) -> (WBMPreamble, WBMHeader) {
    let preamble = try WBMPreamble(bytes)
    guard preamble.headerByteCount <= limits.headerByteCount else {
      throw .limitExceeded(
        "has a header of \(preamble.headerByteCount) bytes, over the limit of \(limits.headerByteCount)"
      )
    }
    let end = WBMPreamble.byteCount + preamble.headerByteCount
    let headerBytes = bytes.extracting(WBMPreamble.byteCount..<end)
    guard XXH3Digest(of: headerBytes) == preamble.headerDigest else {
      throw .damaged("has a damaged header: its digest does not match")
        .at(.byte(WBMPreamble.byteCount))
    }
    guard bytes.isZero(end..<preamble.tensorDataOffset) else {
      throw .damaged("has padding after its header that is not zero").at(.byte(end))
    }
    let header = try WBMHeader(headerBytes, limits: limits.messages)
    try header.checkRules()
    try header.checkLayout(byteCount: bytes.byteCount - preamble.tensorDataOffset)
    return (preamble, header)
  }
}

extension RawSpan {
  /// Whether all bytes of a range are zero.
  func isZero(_ range: Range<Int>) -> Bool {
    range.allSatisfy { self[byte: $0] == 0 }
  }
}
