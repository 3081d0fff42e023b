package import Bytes
import Digests

/// Writes a `.wbm` file, with its tensors piece by piece.
///
/// ```swift
/// var writer = try WBMWriter(path: "model.wbm", header: header)
/// for array in arrays { try array.withBytes { bytes in try writer.append(bytes) } }
/// try writer.commit(replacing: true)
/// ```
///
/// It keeps the header and one piece in memory, never a whole tensor. Nothing appears at the path
/// before ``commit(replacing:)``.
package struct WBMWriter: ~Copyable {
  private static let pieceSize = 1 << 18

  private var file: AtomicFile
  private var stream: XXH3Stream
  /// The header to be written, with sizes, offsets and the digests computed so far.
  package private(set) var header: WBMHeader
  // It never changes, but if it is a constant, Swift 6.2 rejects the call of a mutating method in
  // the initializer.
  private var tensorDataOffset: Int
  /// The index of the current tensor.
  private var current = 0
  /// The number of bytes of the current tensor that have been written.
  private var writtenByteCount = 0

  /// Begins a file.
  ///
  /// - Parameter header: The header; its tensors' sizes, offsets and digests are computed.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the header breaks a rule,
  ///   ``WeighbridgeError/Code/unsupported`` when a string contains a NUL,
  ///   ``WeighbridgeError/Code/limitExceeded`` when no reader would accept it,
  ///   ``WeighbridgeError/Code/outputFailed``.
  package init(path: String, header: WBMHeader) throws(WeighbridgeError) {
    var header = header
    try header.layOut()
    // Digests have a fixed size, so the header already has its final size.
    let offset: Int
    (header, offset) = try WBMHeaderWriting.prepared(header)
    let file = try AtomicFile(path: path)
    let stream = try XXH3Stream()
    self.file = file
    self.stream = stream
    self.header = header
    tensorDataOffset = offset
    self.file.skip(offset)
    finishTensors()
  }

  /// The index of the tensor whose bytes are next; `nil` when all are written.
  package var nextTensor: Int? { current < header.tensors.count ? current : nil }

  /// Appends the next bytes of the tensors, in the order of the header. Each piece belongs to one
  /// tensor; a tensor without elements has none.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a tensor has fewer bytes than given,
  ///   ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    var start = 0
    guard bytes.byteCount > 0 else { return }
    try checkCapacity(bytes.byteCount)
    while start < bytes.byteCount {
      // A piece is digested and written while it is in the cache.
      let end = min(start + Self.pieceSize, bytes.byteCount)
      let piece = bytes.extracting(start..<end)
      stream.update(piece)
      try file.append(piece)
      start = end
    }
    writtenByteCount += bytes.byteCount
    finishTensors()
  }

  /// Appends bytes of a store. If it is a mapped file, its memory is released piece by piece.
  ///
  /// - Throws: As ``append(_:)``.
  package mutating func append(
    _ range: Range<Int>, of store: ByteStore
  ) throws(WeighbridgeError) {
    try checkCapacity(range.count)
    var start = range.lowerBound
    while start < range.upperBound {
      let piece = start..<min(start + (1 << 20), range.upperBound)
      try store.withBytes { (bytes) throws(WeighbridgeError) in
        try append(bytes.extracting(piece))
      }
      store.release(piece)
      start = piece.upperBound
    }
  }

  /// Writes all tensors in pieces, which several threads produce.
  ///
  /// - Parameters:
  ///   - pieces: All bytes of all tensors, in the order of the header.
  ///   - batchSize: The maximum size in bytes of several pieces that are written at once. By default
  ///     64 KiB, so that a thousand small tensors cost one system call.
  ///   - work: Claims and writes batches until there are none left, then returns.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the pieces do not match the tensors;
  ///   ``WeighbridgeError/Code/outputFailed``; the error with which a batch was abandoned.
  package mutating func writeTensors(
    _ pieces: [WBMParallelTensorWriter.Piece], batchSize: Int = 1 << 16,
    _ work: (WBMParallelTensorWriter) -> Void
  ) throws(WeighbridgeError) {
    try checkPieces(pieces)
    let starts = header.tensors.map { tensorDataOffset + $0.offset }
    let end = tensorDataOffset + (header.tensors.last.map { $0.offset + $0.byteCount } ?? 0)
    try file.reserve(end)
    let tensorWriter = try WBMParallelTensorWriter(
      pieces, batchSize: batchSize, starts: starts, file: file.positionalWriter)
    work(tensorWriter)
    for (index, digest) in try tensorWriter.finish().enumerated() {
      header.tensors[index].digest = digest
    }
    current = header.tensors.count
    file.skip(end - file.count)
  }

  /// Checks that pieces are consecutive and fill every tensor.
  private func checkPieces(_ pieces: [WBMParallelTensorWriter.Piece]) throws(WeighbridgeError) {
    var sizes = [Int](repeating: 0, count: header.tensors.count)
    var isInOrder = true
    var last = 0
    for piece in pieces {
      isInOrder = isInOrder && piece.tensor >= last && piece.range.lowerBound == sizes[piece.tensor]
      sizes[piece.tensor] += piece.range.count
      last = piece.tensor
    }
    guard isInOrder, sizes == header.tensors.map(\.byteCount) else {
      throw .mismatch("the pieces do not fill the tensors in order").at(file: file.path)
    }
  }

  /// Waits until the tensors written so far are on the disk, so that ``commit(replacing:)`` only
  /// has to wait for the header.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package borrowing func syncTensors() throws(WeighbridgeError) { try file.syncData() }

  /// Replaces the provenance, so that the digests of sources can be computed while tensors are
  /// written.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the header would have a different size.
  package mutating func replaceProvenance(
    _ provenance: WBMProvenance
  ) throws(WeighbridgeError) {
    guard try provenance.headerByteCount() == header.provenance.headerByteCount() else {
      throw .mismatch("the new provenance differs in size from the first")
    }
    header.provenance = provenance.sorted()
  }

  /// Writes the header and preamble, reads them back, syncs the file and moves it to its path.
  ///
  /// - Parameter replacing: Whether an existing file may be replaced.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when tensors are missing,
  ///   ``WeighbridgeError/Code/outputFailed``; an existing file is then unchanged.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    if let nextTensor {
      throw .mismatch(
        "\(header.tensors[nextTensor].title(nextTensor)) has \(header.tensors[nextTensor].byteCount) bytes, but \(writtenByteCount) were given"
      ).at(file: file.path)
    }
    try WBMHeaderWriting.writeHeader(
      header, version: WBMPreamble.currentVersion, tensorDataOffset: tensorDataOffset, to: file)
    try file.commit(replacing: replacing)
  }

  private func checkCapacity(_ byteCount: Int) throws(WeighbridgeError) {
    guard byteCount > 0 else { return }
    guard let nextTensor else {
      throw .mismatch("\(byteCount) bytes were given after the last tensor")
    }
    let tensor = header.tensors[nextTensor]
    guard byteCount <= tensor.byteCount - writtenByteCount else {
      throw .mismatch(
        "\(tensor.title(nextTensor)) has \(tensor.byteCount) bytes, but \(byteCount) more were "
          + "given after the first \(writtenByteCount)"
      )
    }
  }

  /// Stores the digest of each complete tensor, and adds the padding before the next one.
  private mutating func finishTensors() {
    while let index = nextTensor, writtenByteCount == header.tensors[index].byteCount {
      header.tensors[index].digest = stream.digest()
      stream.reset()
      current += 1
      writtenByteCount = 0
      guard let next = nextTensor else { return }
      file.skip(tensorDataOffset + header.tensors[next].offset - file.count)
    }
  }
}

extension WBMProvenance {
  /// The size of a header with nothing else, in bytes.
  fileprivate func headerByteCount() throws(WeighbridgeError) -> Int {
    try WBMHeader(graph: WBMGraph(), provenance: self, schema: []).serializedByteCount()
  }
}
