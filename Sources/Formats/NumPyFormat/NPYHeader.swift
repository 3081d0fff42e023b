import Bytes

/// The header of a `.npy` file (NumPy format versions 1.0, 2.0 and 3.0).
struct NPYHeader {
  /// The extension of files and archive members.
  static let fileExtension = ".npy"
  /// The alignment in bytes of the elements in a written file; the header is padded to it.
  static let alignment = 64
  private static let magic: [UInt8] = [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59]

  var elementType: ElementType
  var isBigEndian = false
  var isFortranOrder = false
  var shape: [Int]
  /// The size in bytes of everything before the elements.
  var byteCount = 0

  static func isMagic(_ bytes: RawSpan) -> Bool {
    bytes.byteCount >= magic.count && bytes.copied(0..<magic.count) == magic
  }

  init(elementType: ElementType, shape: [Int]) {
    self.elementType = elementType
    self.shape = shape
  }

  /// Reads the header at the start of `bytes`.
  init(_ bytes: RawSpan, limits: NumPyLimits) throws(WeighbridgeError) {
    guard Self.isMagic(bytes) else {
      throw .malformed("does not begin with the .npy signature").at(.byte(0))
    }
    var cursor = ByteCursor(Self.magic.count..<bytes.byteCount)
    let major = try cursor.integer(UInt8.self, from: bytes)
    let minor = try cursor.integer(UInt8.self, from: bytes)
    guard (1...3).contains(major), minor == 0 else {
      throw .unsupported("has .npy version \(major).\(minor); 1.0, 2.0 and 3.0 can be read")
        .at(.byte(6))
    }
    let length =
      major == 1
      ? Int(try cursor.integer(UInt16.self, from: bytes))
      : Int(try cursor.integer(UInt32.self, from: bytes))
    guard length <= limits.headerByteCount else {
      throw .limitExceeded(
        "has a header of \(length) bytes, over the limit of \(limits.headerByteCount)")
    }
    let start = cursor.offset
    let text = try cursor.bytes(length, from: bytes)
    do {
      self = try NPYDictionary.header(text, axisLimit: limits.axisCount)
    } catch {
      throw error.at(.byte(start))
    }
    byteCount = cursor.offset
  }

  /// The size of the elements in bytes.
  func dataByteCount() throws(WeighbridgeError) -> Int {
    try Checked.product(shape + [elementType.byteCount], of: "the size of the array")
  }

  /// The header in NumPy's format, padded so that the elements are aligned to 64 bytes.
  func serialized() -> [UInt8] {
    let dimensions =
      shape.count == 1 ? "\(shape[0])," : shape.map(String.init).joined(separator: ", ")
    let text =
      "{'descr': '\(elementType.npyType)', 'fortran_order': False, 'shape': (\(dimensions)), }"
    let isVersion2 = Self.magic.count + 4 + text.utf8.count + Self.alignment > Int(UInt16.max)
    let prefix = Self.magic.count + 2 + (isVersion2 ? 4 : 2)
    let unpadded = prefix + text.utf8.count + 1
    let total = (unpadded + Self.alignment - 1) / Self.alignment * Self.alignment
    var bytes = Self.magic + [isVersion2 ? 2 : 1, 0]
    bytes.append(littleEndian: total - prefix, byteCount: isVersion2 ? 4 : 2)
    bytes += text.utf8
    bytes += [UInt8](repeating: UInt8(ascii: " "), count: total - bytes.count - 1)
    return bytes + [UInt8(ascii: "\n")]
  }
}

extension ElementType {
  /// The type in NumPy's array protocol, little-endian; bfloat16 is written as float32.
  fileprivate var npyType: String {
    switch self {
    case .float16: "<f2"
    case .bfloat16, .float32: "<f4"
    case .float64: "<f8"
    case .int8: "|i1"
    case .int16: "<i2"
    case .int32: "<i4"
    case .int64: "<i8"
    case .uint8: "|u1"
    case .uint16: "<u2"
    case .uint32: "<u4"
    case .uint64: "<u8"
    case .bool: "|b1"
    }
  }
}
