import Bytes
import CHDF5

/// Numbers in an uncommon layout, which libhdf5 converts.
extension LibHDF5Dataset {
  /// The elements of an uncommon layout, converted by libhdf5.
  func converted(
    _ count: Int, _ element: ElementType
  ) throws(LibHDF5.Failure) -> [UInt8] {
    var values = [UInt64](repeating: 0, count: max(1, count))
    let integer = element.isSignedInteger ? chdf5_native_int64() : chdf5_native_uint64()
    // Writes `count` numbers of eight bytes.
    try LibHDF5.check(
      H5Dread(
        identifier, element.isFloat ? chdf5_native_double() : integer, chdf5_all(), chdf5_all(),
        chdf5_default(), &values), "the elements")
    return values.prefix(count).flatMap { value in
      let bits =
        element == .float32 ? UInt64(Float(Double(bitPattern: value)).bitPattern) : value
      return (0..<element.byteCount).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
    }
  }

  /// Whether the elements are in a common layout, or not numbers themselves.
  static func isCommon(_ type: LibHDF5.Handle) -> Bool {
    let (identifier, size) = (type.identifier, H5Tget_size(type.identifier))
    switch H5Tget_class(identifier) {
    case H5T_FLOAT: return float(identifier, size) != nil
    case H5T_INTEGER:
      return H5Tget_offset(identifier) == 0 && H5Tget_precision(identifier) == 8 * size
        && [1, 2, 4, 8].contains(size)
    default: return true
    }
  }

  /// The type that contains the floats of an uncommon layout; `nil` for those of a VAX.
  static func uncommonFloat(_ type: hid_t) -> ElementType? {
    var (sign, exponent, exponentBits, fraction, fractionBits) = (0, 0, 0, 0, 0)
    guard
      H5Tget_fields(type, &sign, &exponent, &exponentBits, &fraction, &fractionBits) >= 0,
      [H5T_ORDER_LE, H5T_ORDER_BE].contains(H5Tget_order(type))
    else { return nil }
    let bias = Int(H5Tget_ebias(type))
    let fits =
      exponentBits <= 8 && fractionBits <= 23 && (1 << exponentBits) - 2 - bias <= 127
      && bias + fractionBits <= 150
    return fits ? .float32 : .float64
  }
}
