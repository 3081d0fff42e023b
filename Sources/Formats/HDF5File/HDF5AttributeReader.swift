import Bytes
import CHDF5

/// Reads the value of one attribute.
struct HDF5AttributeReader {
  let limits: HDF5File.Limits

  /// The attribute's value.
  func value(of attribute: borrowing HDF5Handle) throws(WeighbridgeError) -> HDF5Attribute {
    let count = try elementCount(of: attribute)
    let type = try HDF5Handle(H5Aget_type(attribute.identifier), "its type cannot be read")
    switch H5Tget_class(type.identifier) {
    case H5T_STRING:
      let isVariable = try HDF5Library.check(
        H5Tis_variable_str(type.identifier), "its type cannot be read")
      return .strings(
        isVariable > 0
          ? try variableStrings(attribute, type, count) : try fixedStrings(attribute, type, count))
    case H5T_INTEGER:
      var values = [Int64](repeating: 0, count: count)
      // Writes `count` numbers of eight bytes, converted by HDF5.
      try read(attribute, chdf5_native_int64(), &values)
      return .integers(values.map(Int.init))
    case H5T_FLOAT:
      var values = [Double](repeating: 0, count: count)
      // Writes `count` numbers of eight bytes, converted by HDF5.
      try read(attribute, chdf5_native_double(), &values)
      return .reals(values)
    default:
      let name = HDF5ElementType.name(type.identifier, H5Tget_size(type.identifier))
      throw WeighbridgeError(.unsupported, "it has \(name), neither text nor numbers")
    }
  }

  /// 1 for a scalar, 0 for an attribute without a value, and the length of a list.
  private func elementCount(of attribute: borrowing HDF5Handle) throws(WeighbridgeError) -> Int {
    let space = try HDF5Handle(H5Aget_space(attribute.identifier), "its shape cannot be read")
    let rank = try HDF5Library.check(
      H5Sget_simple_extent_ndims(space.identifier), "its shape cannot be read")
    guard rank <= 1 else {
      throw WeighbridgeError(.unsupported, "it has \(rank) axes; a scalar or a list can be read")
    }
    let count = try Checked.count(
      HDF5Library.check(
        H5Sget_simple_extent_npoints(space.identifier), "its shape cannot be read"),
      of: "its length")
    guard count <= limits.attributeElementCount else {
      throw WeighbridgeError(
        .limitExceeded,
        "it has \(count) elements, over the limit of \(limits.attributeElementCount)")
    }
    return count
  }

  private func read(
    _ attribute: borrowing HDF5Handle, _ type: hid_t, _ buffer: UnsafeMutableRawPointer
  ) throws(WeighbridgeError) {
    try HDF5Library.check(
      H5Aread(attribute.identifier, type, buffer), "its value cannot be read")
  }

  private func fixedStrings(
    _ attribute: borrowing HDF5Handle, _ type: borrowing HDF5Handle, _ count: Int
  ) throws(WeighbridgeError) -> [String] {
    let size = H5Tget_size(type.identifier)
    let byteCount = try Checked.product([size, count], of: "its size")
    try checkSize(byteCount)
    var bytes = [UInt8](repeating: 0, count: byteCount)
    // Writes `count` strings of `size` bytes.
    try read(attribute, type.identifier, &bytes)
    let padding = H5Tget_strpad(type.identifier)
    var strings: [String] = []
    for index in 0..<count {
      strings.append(try text(bytes[index * size..<(index + 1) * size], padding))
    }
    return strings
  }

  /// A string without what fills it up to its fixed length.
  private func text(
    _ bytes: ArraySlice<UInt8>, _ padding: H5T_str_t
  ) throws(WeighbridgeError) -> String {
    var bytes = bytes
    switch padding {
    case H5T_STR_NULLTERM: bytes = bytes.prefix { $0 != 0 }
    case H5T_STR_SPACEPAD: while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    default: while bytes.last == 0 { bytes.removeLast() }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw WeighbridgeError(.malformed, "it is not UTF-8")
    }
    return text
  }

  private func variableStrings(
    _ attribute: borrowing HDF5Handle, _ type: borrowing HDF5Handle, _ count: Int
  ) throws(WeighbridgeError) -> [String] {
    let space = try HDF5Handle(H5Aget_space(attribute.identifier), "its shape cannot be read")
    var pointers = [UnsafeMutablePointer<CChar>?](repeating: nil, count: count)
    // Writes `count` pointers to strings of HDF5's own, which `defer` gives back.
    try read(attribute, type.identifier, &pointers)
    defer { chdf5_reclaim(type.identifier, space.identifier, &pointers) }
    var strings: [String] = []
    var byteCount = 0
    for pointer in pointers {
      // HDF5 terminates each string with a zero; a string never written is a null pointer.
      guard let text = pointer.map({ String(validatingCString: $0) }) ?? "" else {
        throw WeighbridgeError(.malformed, "it is not UTF-8")
      }
      byteCount += text.utf8.count
      try checkSize(byteCount)
      strings.append(text)
    }
    return strings
  }

  private func checkSize(_ byteCount: Int) throws(WeighbridgeError) {
    guard byteCount <= limits.attributeByteCount else {
      throw WeighbridgeError(
        .limitExceeded, "it has over \(limits.attributeByteCount) bytes, which is the limit")
    }
  }
}
