import Bytes

/// An object that is larger than the blocks of its heap and stored separately.
struct HugeObject {
  private let address: Int
  private let byteCount: Int
  private let filtered: (mask: UInt32, byteCount: Int)?

  /// Reads the location of an object.
  init(_ record: inout Cursor, isFiltered: Bool) throws(WeighbridgeError) {
    address = try record.address(of: "a huge object")
    byteCount = try record.length()
    filtered =
      isFiltered
      ? (UInt32(truncatingIfNeeded: try record.unsigned(4)), try record.length()) : nil
  }

  /// Reads the huge objects of a heap, by number.
  static func all(
    at address: Int, isFiltered: Bool, in file: FileBytes
  ) throws(WeighbridgeError) -> [Int: HugeObject] {
    var tree = try BTree2(at: address, in: file)
    var objects: [Int: HugeObject] = [:]
    for var record in try tree.records() {
      let object = try HugeObject(&record, isFiltered: isFiltered)
      objects[try record.length()] = object
    }
    return objects
  }

  func contents(in heap: inout FractalHeap) throws(WeighbridgeError) -> Cursor {
    let block = try heap.file.block(at: address, byteCount: byteCount, of: "a huge object")
    try heap.count(byteCount, at: address, decodedTo: filtered?.byteCount ?? byteCount)
    guard let filtered else { return block }
    var stored = block
    let pipeline = heap.pipeline
    let bytes = try locating({ $0.at(.byte(block.fileOffset)) }) { () throws(WeighbridgeError) in
      try pipeline.decode(
        stored.bytes(byteCount), mask: filtered.mask, to: filtered.byteCount)
    }
    return Cursor(bytes, origin: block.fileOffset, heap.file.widths)
  }
}
