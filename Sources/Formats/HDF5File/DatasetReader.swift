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
    guard !header.has(.externalFiles) else {
      throw .unsupported("keeps its bytes in another file, which is never read")
    }
    _ = try pipeline()
    guard byteCount > 0 else { return .fileRange(0..<0) }
    switch try layout() {
    case .contiguous(let address, let size):
      guard let address else { return .encoded }
      let range = try range(at: address, size)
      let start = reader.file.byteRange.lowerBound
      return element.isLittleEndian
        ? .fileRange(start + range.lowerBound..<start + range.upperBound) : .encoded
    case .chunked, .compact: return .encoded
    case .virtual:
      throw .unsupported(
        "is a virtual dataset, made of parts of other datasets, which cannot be read; HDF5's "
          + "h5repack copies its data")
    }
  }

  /// Returns the file range of a contiguous dataset.
  private func range(at address: Int, _ size: Int?) throws(WeighbridgeError) -> Range<Int> {
    guard (size ?? byteCount) >= byteCount else {
      throw .malformed("has \(size ?? 0) bytes stored, but elements of \(byteCount)")
    }
    let start = try Checked.sum(
      reader.file.baseAddress, address, of: "the dataset's address")
    let end = try Checked.sum(start, byteCount, of: "the dataset's end")
    guard end <= reader.file.count else {
      throw .malformed(
        "is at bytes \(start) to \(end), beyond the end of the file at \(reader.file.count)")
    }
    return start..<end
  }

  /// Reads the elements into memory: dense, row-major, little-endian.
  ///
  /// - Parameter limit: The largest size of a chunk in bytes.
  func contents(atMost limit: Int) throws(WeighbridgeError) -> [UInt8] {
    var output: [UInt8]
    switch try layout() {
    case .compact(var value):
      output = try value.bytes(byteCount)
    case .contiguous(let address?, let size):
      output = reader.file.copy(try range(at: address, size))
    case .contiguous: output = try filled(true)
    case .chunked(let layout):
      output = try chunks(layout, atMost: limit)
    case .virtual: throw .unsupported("is a virtual dataset")
    }
    if !element.isLittleEndian { Self.swapBytes(&output, element.elementType.byteCount) }
    return output
  }

  private func chunks(
    _ layout: ChunkedLayout, atMost limit: Int
  ) throws(WeighbridgeError) -> [UInt8] {
    guard layout.elementSize == type.size else {
      throw .malformed(
        "has elements of \(type.size) bytes, but chunks with elements of \(layout.elementSize)")
    }
    let grid = try ChunkGrid(layout, space)
    guard grid.chunkByteCount <= limit else {
      throw .limitExceeded("has chunks of \(grid.chunkByteCount) bytes, over the limit of \(limit)")
    }
    var output = try filled(layout.address == nil)
    // Chunks at the edges contain more elements than the dataset.
    let chunks = ChunkReader(
      file: reader.file, layout: layout, grid: grid, pipeline: try pipeline(),
      limit: limit > .max / 4 ? .max : 4 * limit)
    try chunks.read(into: &output)
    return output
  }

  /// Returns the elements of a dataset before any is written.
  ///
  /// - Parameter isUnwritten: Whether none of them will be read from the file.
  private func filled(_ isUnwritten: Bool) throws(WeighbridgeError) -> [UInt8] {
    if isUnwritten, !fill.isDefined, fill.isWritten {
      throw .malformed("was never written, but says that it has no fill value")
    }
    guard let value = fill.element, fill.isWritten else {
      return [UInt8](repeating: 0, count: byteCount)
    }
    guard value.count == type.size else {
      throw .malformed("has a fill value of \(value.count) bytes for elements of \(type.size)")
    }
    var output: [UInt8] = []
    output.reserveCapacity(byteCount)
    for _ in 0..<byteCount / value.count { output += value }
    return output
  }

  private static func swapBytes(_ bytes: inout [UInt8], _ size: Int) {
    for start in stride(from: 0, to: bytes.count, by: size) {
      for index in 0..<size / 2 { bytes.swapAt(start + index, start + size - 1 - index) }
    }
  }
}
