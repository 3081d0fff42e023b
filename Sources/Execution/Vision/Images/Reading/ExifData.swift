import Bytes

/// Finds the orientation that a camera recorded in an image file.
///
/// Exif 2.32: a TIFF header, then a directory of 12-byte entries. Like image viewers, this ignores
/// data that does not have this form.
enum ExifData {
  private static let orientationTag = 0x0112

  /// Returns the range of a JPEG file's Exif data, in the segment APP1 before the first scan.
  static func inJPEG(_ file: RawSpan) -> Range<Int>? {
    let signature = Array("Exif\0\0".utf8)
    var offset = 2
    while offset + 4 <= file.byteCount, file[byte: offset] == 0xFF {
      let marker = file[byte: offset + 1]
      if marker == 0xFF {  // a fill byte
        offset += 1
        continue
      }
      let length = integer(file, offset + 2, 2) ?? 0
      let start = offset + 4
      let end = offset + 2 + length
      guard marker != 0xDA, length >= 2, end <= file.byteCount else { return nil }
      if marker == 0xE1, end - start > signature.count,
        signature.indices.allSatisfy({ file[byte: start + $0] == signature[$0] })
      {
        return start + signature.count..<end
      }
      offset = end
    }
    return nil
  }

  /// Returns the range of a PNG file's chunk `eXIf`.
  static func inPNG(_ file: RawSpan) -> Range<Int>? {
    let exifType = 0x6558_4966  // "eXIf"
    var offset = 8
    while let length = integer(file, offset, 4), let type = integer(file, offset + 4, 4) {
      let start = offset + 8
      guard length <= file.byteCount - start else { return nil }
      if type == exifType { return start..<start + length }
      offset = start + length + 4  // the checksum
    }
    return nil
  }

  /// Returns the orientation in Exif data, if there is one.
  static func orientation(_ file: RawSpan, _ range: Range<Int>) -> Orientation? {
    let data = file.extracting(range)
    let isLittleEndian: Bool
    switch integer(data, 0, 4) {
    case 0x4949_2A00: isLittleEndian = true
    case 0x4D4D_002A: isLittleEndian = false
    default: return nil
    }
    func number(_ offset: Int, _ count: Int) -> Int? {
      integer(data, offset, count, isLittleEndian: isLittleEndian)
    }
    guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
    for entry in 0..<count {
      let offset = directory + 2 + entry * 12
      guard let tag = number(offset, 2) else { return nil }
      // A single 16-bit value is stored in the entry itself.
      if tag == orientationTag { return number(offset + 8, 2).flatMap(Orientation.init(rawValue:)) }
    }
    return nil
  }

  /// Returns the integer in `count` bytes (at most 4) at an offset; `nil` when that is out of
  /// bounds.
  private static func integer(
    _ bytes: RawSpan, _ offset: Int, _ count: Int, isLittleEndian: Bool = false
  ) -> Int? {
    guard offset >= 0, offset <= bytes.byteCount - count else { return nil }
    return (0..<count).reduce(0) { number, index in
      number << 8 | Int(bytes[byte: offset + (isLittleEndian ? count - 1 - index : index)])
    }
  }
}
