import Bytes

/// Reads a dataset: first the parts of its header that describe it, then its storage.
struct DatasetReader {
  private let reader: ObjectReader
  private let header: ObjectHeader
  private let type: Datatype
  private let space: Dataspace
  private let fill: FillValue
  let element: HDF5ElementType
  /// The sizes of the dimensions, including those of elements that are arrays.
  let shape: [Int]
  let byteCount: Int
  /// The size of all elements in the file, uncompressed.
  private let storedByteCount: Int

  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a type or shape that cannot be read.
  init(_ header: ObjectHeader, _ reader: ObjectReader) throws(WeighbridgeError) {
    self.reader = reader
    self.header = header
    type = try DatatypeParser.type(Self.body(.datatype, header, reader))
    element = try HDF5ElementType(type)
    space = try Dataspace(Self.body(.dataspace, header, reader))
    guard let outerShape = space.shape else {
      throw .unsupported("has no elements, not even a shape (a null dataspace)")
    }
    shape = outerShape + element.innerShape
    byteCount = try Checked.product(
      shape + [element.elementType.byteCount], of: "the dataset's size")
    storedByteCount = try Checked.product(
      outerShape + [type.size], of: "the dataset's size")
    fill = try FillValue(header, reader)
  }

  private static func body(
    _ kind: HeaderMessage.Kind, _ header: ObjectHeader, _ reader: ObjectReader
  ) throws(WeighbridgeError) -> Cursor {
    guard let message = header.first(kind) else {
      throw .malformed("has no message about its \(kind)")
    }
    return try reader.body(of: message)
  }

  private func pipeline() throws(WeighbridgeError) -> FilterPipeline {
    guard let message = header.first(.filterPipeline) else { return .none }
    return try FilterPipeline(reader.body(of: message))
  }

  private func layout() throws(WeighbridgeError) -> DataLayout {
    try DataLayout(Self.body(.dataLayout, header, reader))
  }

  /// Returns the location of the elements.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a location or filter that cannot be read.
  func storage() throws(WeighbridgeError) -> HDF5Dataset.Storage {
    if let message = header.first(.externalFiles) { throw externalFile(message) }
    let pipeline = try pipeline()
    guard byteCount > 0 else { return .fileRange(0..<0) }
    switch try layout() {
    case .contiguous(let address, let size):
      guard let address else { return .encoded }
      let range = try range(at: address, size)
      let start = reader.file.byteRange.lowerBound
      return element.isPlain
        ? .fileRange(start + range.lowerBound..<start + range.upperBound) : .encoded
    case .chunked(let layout):
      if !pipeline.isReadable { try chunkReader(layout, atMost: .max).checkFilters() }
      return .encoded
    case .compact: return .encoded
    case .virtual:
      throw .unsupported(
        "is a virtual dataset, made of parts of other datasets, which cannot be read; HDF5's "
          + "h5repack copies its data")
    }
  }

  /// Returns the error about a dataset whose bytes are in other files.
  private func externalFile(_ message: HeaderMessage) -> WeighbridgeError {
    func firstName() throws(WeighbridgeError) -> String {
      var body = message.body
      try body.skip(8)  // version and counts
      var heap = try LocalHeap(at: body.address(of: "the names of files"), in: reader.file)
      return String(decoding: try heap.string(at: body.length()).prefix(200), as: UTF8.self)
    }
    let name = (try? firstName()).map { ", \($0)," } ?? ","
    return .unsupported(
      "keeps its bytes in another file\(name) which is never read; HDF5's h5repack writes both to "
        + "one file")
  }

  /// Returns the file range of a contiguous dataset.
  private func range(at address: Int, _ size: Int?) throws(WeighbridgeError) -> Range<Int> {
    guard (size ?? storedByteCount) >= storedByteCount else {
      throw .malformed("has \(size ?? 0) bytes stored, but elements of \(storedByteCount)")
    }
    let start = try Checked.sum(
      reader.file.baseAddress, address, of: "the dataset's address")
    let end = try Checked.sum(start, storedByteCount, of: "the dataset's end")
    guard end <= reader.file.count else {
      throw .malformed(
        "is at bytes \(start) to \(end), beyond the end of the file at \(reader.file.count)")
    }
    return start..<end
  }

  /// Reads the elements into memory: dense, row-major, little-endian.
  ///
  /// - Parameter limit: The largest size of the elements in the file, uncompressed, and of a chunk,
  ///   in bytes.
  func contents(atMost limit: Int) throws(WeighbridgeError) -> [UInt8] {
    guard storedByteCount <= limit else {
      throw .limitExceeded("takes \(storedByteCount) bytes decoded, over the limit of \(limit)")
    }
    var output: [UInt8]
    switch try layout() {
    case .compact(var value):
      output = try value.bytes(storedByteCount)
    case .contiguous(let address?, let size):
      output = reader.file.copy(try range(at: address, size))
    case .contiguous: output = try filled(true)
    case .chunked(let layout):
      output = try chunks(layout, atMost: limit)
    case .virtual:
      throw .unsupported(
        "is a virtual dataset, whose elements are in other files; only datasets in this file can "
          + "be read")
    }
    element.convert(&output)
    return output
  }

  private func chunks(
    _ layout: ChunkedLayout, atMost limit: Int
  ) throws(WeighbridgeError) -> [UInt8] {
    let chunks = try chunkReader(layout, atMost: limit)
    var output = try filled(layout.address == nil)
    try chunks.read(into: &output)
    return output
  }

  private func chunkReader(
    _ layout: ChunkedLayout, atMost limit: Int
  ) throws(WeighbridgeError) -> ChunkReader {
    let grid = try ChunkGrid(layout, space, elementSize: type.size)
    guard grid.chunkByteCount <= limit else {
      throw .limitExceeded("has chunks of \(grid.chunkByteCount) bytes, over the limit of \(limit)")
    }
    // Chunks at the edges contain more elements than the dataset.
    return ChunkReader(
      file: reader.file, layout: layout, grid: grid, pipeline: try pipeline(),
      limit: limit > .max / 4 ? .max : 4 * limit)
  }

  /// Returns the elements of a dataset before any is written.
  ///
  /// - Parameter isUnwritten: Whether none of them will be read from the file.
  private func filled(_ isUnwritten: Bool) throws(WeighbridgeError) -> [UInt8] {
    if isUnwritten, !fill.isDefined, fill.isWritten {
      throw .malformed("was never written, but says that it has no fill value")
    }
    guard let value = fill.element, fill.isWritten else {
      return [UInt8](repeating: 0, count: storedByteCount)
    }
    guard value.count == type.size else {
      throw .malformed(
        "has a fill value of \(value.count) bytes for elements of \(type.size), expected as many")
    }
    var output: [UInt8] = []
    output.reserveCapacity(storedByteCount)
    for _ in 0..<storedByteCount / value.count { output += value }
    return output
  }
}
