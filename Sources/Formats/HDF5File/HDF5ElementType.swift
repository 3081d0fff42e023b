import Bytes
import CHDF5

/// How a dataset's elements are stored in the file.
struct HDF5ElementType {
  /// The type of the elements once they are little-endian.
  let elementType: ElementType
  /// Whether the bytes are in the file as they are needed.
  let isLittleEndian: Bool

  /// Reads a datatype.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` naming a type that has no ``ElementType``.
  init(_ type: borrowing HDF5Handle) throws(WeighbridgeError) {
    let identifier = type.identifier
    let size = H5Tget_size(identifier)
    let order = H5Tget_order(identifier)
    let element: ElementType?
    switch H5Tget_class(identifier) {
    case H5T_FLOAT: element = Self.float(identifier, size)
    case H5T_INTEGER: element = Self.integer(identifier, size)
    case H5T_ENUM: element = Self.isBool(identifier, size) ? .bool : nil
    // What h5py makes of bfloat16, which neither NumPy nor HDF5 has: two bytes without a meaning.
    case H5T_OPAQUE: element = size == 2 ? .bfloat16 : nil
    default: element = nil
    }
    let isOpaque = H5Tget_class(identifier) == H5T_OPAQUE
    guard let element, size == 1 || isOpaque || order == H5T_ORDER_LE || order == H5T_ORDER_BE
    else {
      throw WeighbridgeError(
        .unsupported, "has elements of \(Self.name(identifier, size)), which is no number type")
    }
    elementType = element
    isLittleEndian = size == 1 || isOpaque || order == H5T_ORDER_LE
  }

  /// An IEEE 754 format, or bfloat16: sign, exponent and fraction without gaps, biased exponent.
  private static func float(_ type: hid_t, _ size: Int) -> ElementType? {
    var (sign, exponent, exponentBits, fraction, fractionBits) = (0, 0, 0, 0, 0)
    guard
      H5Tget_fields(type, &sign, &exponent, &exponentBits, &fraction, &fractionBits) >= 0,
      H5Tget_offset(type) == 0, H5Tget_precision(type) == 8 * size,
      fraction == 0, exponent == fractionBits, sign == exponent + exponentBits,
      sign == 8 * size - 1, H5Tget_norm(type) == H5T_NORM_IMPLIED,
      exponentBits < 32, H5Tget_ebias(type) == 1 << (exponentBits - 1) - 1
    else { return nil }
    switch (exponentBits, fractionBits) {
    case (5, 10): return .float16
    case (8, 7): return .bfloat16
    case (8, 23): return .float32
    case (11, 52): return .float64
    default: return nil
    }
  }

  private static func integer(_ type: hid_t, _ size: Int) -> ElementType? {
    guard H5Tget_offset(type) == 0, H5Tget_precision(type) == 8 * size else { return nil }
    let signed = H5Tget_sign(type)
    guard signed == H5T_SGN_2 || signed == H5T_SGN_NONE else { return nil }
    switch (size, signed == H5T_SGN_2) {
    case (1, true): return .int8
    case (2, true): return .int16
    case (4, true): return .int32
    case (8, true): return .int64
    case (1, false): return .uint8
    case (2, false): return .uint16
    case (4, false): return .uint32
    case (8, false): return .uint64
    default: return nil
    }
  }

  /// What h5py makes of a boolean: an enumeration of one byte, FALSE 0 and TRUE 1.
  private static func isBool(_ type: hid_t, _ size: Int) -> Bool {
    guard size == 1, H5Tget_nmembers(type) == 2 else { return false }
    var (no, yes): (Int8, Int8) = (-1, -1)
    // Each call writes one value of the type, whose size was checked to be one byte.
    return H5Tenum_valueof(type, "FALSE", &no) >= 0 && H5Tenum_valueof(type, "TRUE", &yes) >= 0
      && no == 0 && yes == 1
  }

  /// The type in words, for messages.
  static func name(_ type: hid_t, _ size: Int) -> String {
    switch H5Tget_class(type) {
    case H5T_FLOAT: "floating-point numbers of \(size) bytes in an uncommon layout"
    case H5T_INTEGER: "integers of \(size) bytes in an uncommon layout"
    case H5T_STRING: "type string"
    case H5T_BITFIELD: "type bit field"
    case H5T_OPAQUE: "type opaque"
    case H5T_COMPOUND: "type compound"
    case H5T_REFERENCE: "type reference"
    case H5T_ENUM: "type enumeration"
    case H5T_VLEN: "type variable-length list"
    case H5T_ARRAY: "type array"
    case H5T_TIME: "type time"
    default: "an unknown type"
    }
  }
}
