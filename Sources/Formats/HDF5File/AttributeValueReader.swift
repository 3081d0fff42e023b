import Bytes

/// Reads the value of one attribute.
struct AttributeValueReader {
  private let reader: ObjectReader
  private let limits: HDF5File.Limits

  init(_ reader: ObjectReader, _ limits: HDF5File.Limits) {
    self.reader = reader
    self.limits = limits
  }

  /// Reads the attribute's value.
  func value(of message: AttributeMessage) throws(WeighbridgeError) -> HDF5Attribute {
    let (type, space, value) = try message.parts(reader)
    return try self.value(type, shape: space.shape, value)
  }

  /// - Parameter shape: The sizes of the dimensions; `nil` for an attribute without a value.
  private func value(
    _ type: Datatype, shape: [Int]?, _ bytes: Cursor
  ) throws(WeighbridgeError) -> HDF5Attribute {
    switch type.kind {
    case .enumeration(let base, _): return try value(base, shape: shape, bytes)
    case .array(let inner, let base):
      return try value(base, shape: shape.map { $0 + inner }, bytes)
    case .compound(let members) where members.count == 1 && members[0].type.size == type.size:
      return try value(members[0].type, shape: shape, bytes)
    default: break
    }
    let count = try elementCount(shape)
    switch type.kind {
    case .variableString: return .strings(try variableLengthStrings(count, bytes))
    case .string(let padding):
      try checkSize(Checked.product([type.size, count], of: "its size"))
      var strings: [String] = []
      for element in try elements(type.size, count, bytes) {
        strings.append(try string(element[...], padding))
      }
      return .strings(strings)
    case .integer(let layout):
      return .integers(try elements(type.size, count, bytes).map { layout.value($0[...]) })
    case .float(let layout):
      guard layout.isReadable else {
        throw .unsupported("it has \(type.name), and only numbers and strings can be read")
      }
      return .doubles(try elements(type.size, count, bytes).map { layout.value($0[...]) })
    default:
      throw .unsupported("it has \(type.name), neither text nor numbers")
    }
  }

  /// Returns the number of elements: 1 for a scalar, 0 for an attribute without a value, or the
  /// length of a list.
  private func elementCount(_ shape: [Int]?) throws(WeighbridgeError) -> Int {
    guard let shape else { return 0 }
    guard shape.count <= 1 else {
      throw .unsupported("it has \(shape.count) axes; a scalar or a list can be read")
    }
    let count = shape.first ?? 1
    guard count <= limits.attributeElementCount else {
      throw .limitExceeded(
        "it has \(count) elements, over the limit of \(limits.attributeElementCount)")
    }
    return count
  }

  private func elements(
    _ size: Int, _ count: Int, _ bytes: Cursor
  ) throws(WeighbridgeError) -> [[UInt8]] {
    var (elements, bytes) = ([[UInt8]](), bytes)
    for _ in 0..<count { elements.append(try bytes.bytes(size)) }
    return elements
  }

  /// Returns a fixed-length string without its padding.
  private func string(
    _ bytes: ArraySlice<UInt8>, _ padding: Datatype.Padding
  ) throws(WeighbridgeError) -> String {
    var bytes = bytes
    switch padding {
    case .zeroTerminated: bytes = bytes.prefix { $0 != 0 }
    case .spaces: while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    case .zeros: while bytes.last == 0 { bytes.removeLast() }
    }
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw .malformed("it is not UTF-8")
    }
    return string
  }

  private func variableLengthStrings(
    _ count: Int, _ bytes: Cursor
  ) throws(WeighbridgeError) -> [String] {
    var (strings, bytes, heap) = ([String](), bytes, GlobalHeap(reader.file))
    var byteCount = 0
    for _ in 0..<count {
      // A string that was never written is empty.
      let value = try heap.value(&bytes) ?? []
      byteCount += value.count
      try checkSize(byteCount)
      guard let string = String(validating: value.prefix { $0 != 0 }, as: UTF8.self) else {
        throw .malformed("it is not UTF-8")
      }
      strings.append(string)
    }
    return strings
  }

  private func checkSize(_ byteCount: Int) throws(WeighbridgeError) {
    guard byteCount <= limits.attributeByteCount else {
      throw .limitExceeded("it has over \(limits.attributeByteCount) bytes, which is the limit")
    }
  }
}
