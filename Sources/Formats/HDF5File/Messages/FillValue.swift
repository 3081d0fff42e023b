import Bytes

/// The value of elements that were never written (HDF5 file format specification 3.0, sections
/// IV.A.2.e and IV.A.2.f).
struct FillValue: Sendable {
  /// The bytes of one element; `nil` for zeros.
  let element: [UInt8]?
  /// Whether there is a fill value, possibly zeros. A file can specify that there is none.
  let isDefined: Bool
  /// Whether elements that are not stored have the fill value.
  let isWritten: Bool

  /// Reads the fill value of an object; the newer message takes precedence over the older one.
  init(_ header: ObjectHeader, _ reader: ObjectReader) throws(WeighbridgeError) {
    if let message = header.first(.fillValue) {
      self = try FillValue(reader.body(of: message))
    } else if let message = header.first(.oldFillValue) {
      var body = try reader.body(of: message)
      self.init(try Self.value(&body), isDefined: true, isWritten: true)
    } else {
      self.init(nil, isDefined: true, isWritten: true)
    }
  }

  private init(_ element: [UInt8]?, isDefined: Bool, isWritten: Bool) {
    self.element = element
    self.isDefined = isDefined
    self.isWritten = isWritten
  }

  private init(_ body: Cursor) throws(WeighbridgeError) {
    var body = body
    let version = try body.version(1...3, of: "the fill value")
    if version == 3 {
      let flags = try body.byte()
      isWritten = (flags >> 2) & 0b11 != 1
      isDefined = flags & 0b1_0000 == 0
      element = flags & 0b10_0000 != 0 ? try Self.value(&body) : nil
      return
    }
    try body.skip(1)
    isWritten = try body.byte() != 1
    let state = try body.byte()
    // Version 1 always has a size; it is 0 or -1 when no value is defined.
    isDefined = state != 0
    element = state != 0 ? try Self.value(&body) : nil
  }

  private static func value(_ body: inout Cursor) throws(WeighbridgeError) -> [UInt8]? {
    let size = try body.count(4)
    return size == 0 || size == Int(UInt32.max) ? nil : try body.bytes(size)
  }
}
