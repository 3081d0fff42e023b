import CHDF5
import Foundation
import HDF5File

/// The value of an attribute as libhdf5 reads it.
struct LibHDF5Attribute {
  private let identifier: hid_t
  private let type: LibHDF5.Handle
  private let space: LibHDF5.Handle

  /// - Parameter attribute: Must stay open as long as this value lives.
  init(_ attribute: LibHDF5.Handle) throws(LibHDF5.Failure) {
    identifier = attribute.identifier
    type = try LibHDF5.Handle(H5Aget_type(identifier), "an attribute's type")
    space = try LibHDF5.Handle(H5Aget_space(identifier), "an attribute's space")
  }

  /// The value; `nil` when it is neither text nor numbers, or has several dimensions.
  func value() throws(LibHDF5.Failure) -> HDF5Attribute? {
    guard H5Sget_simple_extent_ndims(space.identifier) <= 1 else { return nil }
    let count = Int(H5Sget_simple_extent_npoints(space.identifier))
    switch H5Tget_class(type.identifier) {
    case H5T_STRING:
      let isVariable = H5Tis_variable_str(type.identifier) > 0
      let bytes = isVariable ? try variableStrings(count) : try fixedStrings(count)
      let strings = bytes.compactMap { String(validating: $0, as: UTF8.self) }
      return strings.count == count ? .strings(strings) : nil
    case H5T_INTEGER: return .integers(try integers(count, type))
    case H5T_ENUM:
      return .integers(
        try integers(count, LibHDF5.Handle(H5Tget_super(type.identifier), "a base type")))
    case H5T_COMPOUND where H5Tget_nmembers(type.identifier) == 1:
      let member = try LibHDF5.Handle(H5Tget_member_type(type.identifier, 0), "a member")
      guard H5Tget_class(member.identifier) == H5T_INTEGER else { return nil }
      return .integers(try integers(count, member))
    case H5T_FLOAT:
      var values = [Double](repeating: 0, count: max(1, count))
      // Writes `count` numbers of eight bytes.
      if count > 0 { try read(chdf5_native_double(), &values) }
      return .doubles(Array(values.prefix(count)))
    default: return nil
    }
  }

  private func read(
    _ type: hid_t, _ buffer: UnsafeMutableRawPointer
  ) throws(LibHDF5.Failure) {
    try LibHDF5.check(H5Aread(identifier, type, buffer), "an attribute's value")
  }

  /// Numbers that the file has in a type, which are converted once they are read.
  private func integers(
    _ count: Int, _ base: LibHDF5.Handle
  ) throws(LibHDF5.Failure) -> [Int] {
    guard count > 0 else { return [] }
    var values = [Int64](repeating: 0, count: count)
    // Writes `count` elements of at most eight bytes, and then as many of eight.
    try read(type.identifier, &values)
    try LibHDF5.check(
      H5Tconvert(
        base.identifier, chdf5_native_int64(), count, &values, nil, chdf5_default()), "numbers")
    return values.map(Int.init)
  }

  private func fixedStrings(_ count: Int) throws(LibHDF5.Failure) -> [[UInt8]] {
    let size = H5Tget_size(type.identifier)
    var bytes = [UInt8](repeating: 0, count: max(1, size * count))
    // Writes `count` strings of `size` bytes.
    if count > 0 { try read(type.identifier, &bytes) }
    return (0..<count).map { index in
      var text = bytes[index * size..<(index + 1) * size]
      switch H5Tget_strpad(type.identifier) {
      case H5T_STR_NULLTERM: text = text.prefix { $0 != 0 }
      case H5T_STR_SPACEPAD: while text.last == UInt8(ascii: " ") { text.removeLast() }
      default: while text.last == 0 { text.removeLast() }
      }
      return Array(text)
    }
  }

  private func variableStrings(_ count: Int) throws(LibHDF5.Failure) -> [[UInt8]] {
    guard count > 0 else { return [] }
    var pointers = [UnsafeMutablePointer<CChar>?](repeating: nil, count: count)
    // Writes `count` pointers to strings of HDF5's own, which `defer` gives back.
    try read(type.identifier, &pointers)
    defer { chdf5_reclaim(type.identifier, space.identifier, &pointers) }
    return pointers.map { pointer in
      // Each string ends with a zero.
      pointer.map { UnsafeBufferPointer(start: $0, count: strlen($0)).map(UInt8.init(bitPattern:)) }
        ?? []
    }
  }
}
