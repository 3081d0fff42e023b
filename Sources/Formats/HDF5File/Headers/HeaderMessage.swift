/// One message of an object header (HDF5 file format specification 3.0, section IV.A.2).
struct HeaderMessage: Sendable {
  /// The kinds of message that are needed for reading; the raw values are those of the format.
  enum Kind: UInt16, Sendable {
    case dataspace = 0x01
    case linkInfo = 0x02
    case datatype = 0x03
    case oldFillValue = 0x04
    case fillValue = 0x05
    case link = 0x06
    case externalFiles = 0x07
    case dataLayout = 0x08
    case filterPipeline = 0x0B
    case attribute = 0x0C
    case sharedMessageTable = 0x0F
    case continuation = 0x10
    case symbolTable = 0x11
    case driverInfo = 0x14
    case attributeInfo = 0x15
    case cacheImage = 0x18
  }

  let kind: Kind
  /// Whether the body is only a reference to a shared message.
  let isShared: Bool
  /// The content.
  let body: Cursor
}
