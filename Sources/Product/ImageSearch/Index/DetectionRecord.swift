/// The stored form of an image's detections: width and height (4 bytes each), for each detection
/// the class (4 bytes), confidence, x, y, width and height (8 bytes each), and a digest of all
/// that; little-endian.
enum DetectionRecord {
  private static let headerSize = 8
  private static let detectionSize = 44

  static func bytes(_ detections: [Detection], width: Int, height: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: width, byteCount: 4)
    bytes.append(littleEndian: height, byteCount: 4)
    for detection in detections {
      bytes.append(littleEndian: detection.classIndex, byteCount: 4)
      let box = detection.box
      for number in [detection.confidence, box.x, box.y, box.width, box.height] {
        bytes.append(littleEndian: Int(bitPattern: UInt(number.bitPattern)), byteCount: 8)
      }
    }
    return StoredDigest.appended(to: bytes)
  }

  /// Returns the image's size in pixels and the number of detections; `nil` when the bytes are not
  /// those that were written.
  static func header(_ record: RawSpan) -> (width: Int, height: Int, count: Int)? {
    guard let size = StoredDigest.checkedSize(record), size >= headerSize,
      (size - headerSize) % detectionSize == 0
    else { return nil }
    let (width, height) = (integer(record, 0), integer(record, 4))
    guard width > 0, height > 0 else { return nil }
    return (width, height, (size - headerSize) / detectionSize)
  }

  // The following functions access the detections of a record whose header has been read.

  static func classIndex(_ index: Int, in record: RawSpan) -> Int {
    integer(record, start(index))
  }

  static func confidence(_ index: Int, in record: RawSpan) -> Double {
    number(record, start(index) + 4)
  }

  static func box(_ index: Int, in record: RawSpan) -> Box {
    let start = start(index) + 12
    return Box(
      x: number(record, start), y: number(record, start + 8), width: number(record, start + 16),
      height: number(record, start + 24))
  }

  private static func start(_ index: Int) -> Int { headerSize + index * detectionSize }

  // These loads check that they are inside the record.

  private static func integer(_ record: RawSpan, _ offset: Int) -> Int {
    unsafe Int(
      UInt32(littleEndian: record.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  private static func number(_ record: RawSpan, _ offset: Int) -> Double {
    unsafe Double(
      bitPattern: UInt64(
        littleEndian: record.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)))
  }
}
