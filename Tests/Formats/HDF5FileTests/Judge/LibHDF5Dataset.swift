import Bytes
import CHDF5

/// A dataset as libhdf5 reads it.
struct LibHDF5Dataset {
  let identifier: hid_t
  private let type: LibHDF5.Handle

  /// - Parameter dataset: Must stay open as long as this value lives.
  init(_ dataset: LibHDF5.Handle) throws(LibHDF5.Failure) {
    identifier = dataset.identifier
    type = try LibHDF5.Handle(H5Dget_type(identifier), "a dataset's type")
  }

  /// The line of a listing.
  func line(_ path: String) throws(LibHDF5.Failure) -> String {
    let space = try LibHDF5.Handle(H5Dget_space(identifier), "\(path): the shape")
    let list = try LibHDF5.Handle(H5Dget_create_plist(identifier), "\(path): the properties")
    guard H5Sget_simple_extent_type(space.identifier) != H5S_NULL,
      let (element, inner) = try Self.element(type), H5Pget_external_count(list.identifier) == 0,
      H5Pget_layout(list.identifier) != H5D_VIRTUAL, try isReadable(list)
    else { return "\(path) dataset of another type" }
    let rank = Int(H5Sget_simple_extent_ndims(space.identifier))
    var sizes = [hsize_t](repeating: 0, count: max(1, rank))
    // Writes `rank` numbers.
    try LibHDF5.check(
      H5Sget_simple_extent_dims(space.identifier, &sizes, nil), "\(path): the shape")
    let shape = sizes.prefix(rank).map { Int($0) } + inner
    let size = H5Tget_size(type.identifier)
    let (largest, overflow) = shape.reduce((1, false)) { product, size in
      let (next, overflow) = product.0.multipliedReportingOverflow(by: size)
      return (next, overflow || product.1)
    }
    guard !overflow, largest <= 1 << 24 else { return "\(path) dataset too large" }
    let count = Int(H5Sget_simple_extent_npoints(space.identifier))
    guard Self.isCommon(type) else {
      return "\(path) dataset \(element) \(shape) \(CRC32.checksum(try converted(count, element)))"
    }
    var bytes = [UInt8](repeating: 0, count: max(1, count * size))
    // Writes as many elements as the dataset has, in the type that the file has.
    try LibHDF5.check(
      H5Dread(
        identifier, type.identifier, chdf5_all(), chdf5_all(), chdf5_default(), &bytes),
      "\(path): the elements")
    bytes.removeLast(bytes.count - count * size)
    if try Self.isBigEndian(type) { Self.turn(&bytes, element.byteCount) }
    return "\(path) dataset \(element) \(shape) \(CRC32.checksum(bytes))"
  }

  /// Whether a filter was skipped for every chunk.
  private func isSkipped(_ filter: UInt32) throws(LibHDF5.Failure) -> Bool {
    var count: hsize_t = 0
    try LibHDF5.check(H5Dget_num_chunks(identifier, chdf5_all(), &count), "the chunks")
    for index in 0..<count {
      var offset = [hsize_t](repeating: 0, count: 32)
      var (mask, address, size): (UInt32, haddr_t, hsize_t) = (0, 0, 0)
      // Writes at most 32 coordinates.
      try LibHDF5.check(
        H5Dget_chunk_info(identifier, chdf5_all(), index, &offset, &mask, &address, &size),
        "a chunk")
      guard (mask >> filter) & 1 != 0 else { return false }
    }
    return true
  }

  /// Whether all filters are among those that we read and libhdf5 has built in, or were skipped.
  private func isReadable(_ list: LibHDF5.Handle) throws(LibHDF5.Failure) -> Bool {
    let count = try LibHDF5.check(H5Pget_nfilters(list.identifier), "the filters")
    for index in 0..<UInt32(count) {
      var (flags, parameterCount) = (UInt32(0), 0)
      // Writes no parameters and no name, whose counts are 0.
      let filter = H5Pget_filter2(
        list.identifier, index, &flags, &parameterCount, nil, 0, nil, nil)
      let known = [H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32]
      if known.contains(filter) { continue }
      guard try isSkipped(index) else { return false }
    }
    return true
  }

  private static func turn(_ bytes: inout [UInt8], _ size: Int) {
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<start + size].reverse()
    }
  }

  private static func isBigEndian(
    _ type: LibHDF5.Handle
  ) throws(LibHDF5.Failure) -> Bool {
    switch H5Tget_class(type.identifier) {
    case H5T_COMPOUND: try isBigEndian(LibHDF5.Handle(H5Tget_member_type(type.identifier, 0), ""))
    case H5T_ARRAY: try isBigEndian(LibHDF5.Handle(H5Tget_super(type.identifier), ""))
    case H5T_OPAQUE: false
    default: H5Tget_order(type.identifier) == H5T_ORDER_BE
    }
  }

  /// The number type and the dimensions of elements that are arrays; `nil` for another type.
  private static func element(
    _ type: LibHDF5.Handle
  ) throws(LibHDF5.Failure) -> (ElementType, [Int])? {
    let (identifier, size) = (type.identifier, H5Tget_size(type.identifier))
    switch H5Tget_class(identifier) {
    case H5T_FLOAT: return (float(identifier, size) ?? uncommonFloat(identifier)).map { ($0, []) }
    case H5T_INTEGER:
      let width = [1, 2, 4].first { size <= $0 } ?? 8
      return integer(identifier, width).map { ($0, []) }
    case H5T_OPAQUE:
      let tag = H5Tget_tag(identifier)
      defer { H5free_memory(tag) }
      return size == 2 && tag?.pointee == 0 ? (.bfloat16, []) : nil
    case H5T_ENUM:
      if isBool(identifier, size) { return (.bool, []) }
      return try element(LibHDF5.Handle(H5Tget_super(identifier), "a base type"))
    case H5T_ARRAY:
      var sizes = [hsize_t](repeating: 0, count: Int(H5Tget_array_ndims(identifier)))
      H5Tget_array_dims2(identifier, &sizes)  // writes as many numbers
      let base = try element(LibHDF5.Handle(H5Tget_super(identifier), "a base type"))
      return base.map { ($0.0, sizes.map { Int($0) } + $0.1) }
    case H5T_COMPOUND:
      guard H5Tget_nmembers(identifier) == 1 else { return nil }
      let member = try LibHDF5.Handle(H5Tget_member_type(identifier, 0), "a member")
      return H5Tget_size(member.identifier) == size ? try element(member) : nil
    default: return nil
    }
  }

  static func float(_ type: hid_t, _ size: Int) -> ElementType? {
    var (sign, exponent, exponentBits, fraction, fractionBits) = (0, 0, 0, 0, 0)
    guard
      H5Tget_fields(type, &sign, &exponent, &exponentBits, &fraction, &fractionBits) >= 0,
      H5Tget_offset(type) == 0, H5Tget_precision(type) == 8 * size,
      fraction == 0, exponent == fractionBits, sign == exponent + exponentBits,
      sign == 8 * size - 1, H5Tget_norm(type) == H5T_NORM_IMPLIED,
      exponentBits < 32, H5Tget_ebias(type) == 1 << (exponentBits - 1) - 1,
      [H5T_ORDER_LE, H5T_ORDER_BE].contains(H5Tget_order(type))
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
    let name = (H5Tget_sign(type) == H5T_SGN_2 ? "int" : "uint") + String(8 * size)
    return ElementType(rawValue: name)
  }

  private static func isBool(_ type: hid_t, _ size: Int) -> Bool {
    guard size == 1, H5Tget_nmembers(type) == 2 else { return false }
    var (no, yes): (Int8, Int8) = (-1, -1)
    // Each call writes one value of the type, which is of one byte.
    return H5Tenum_valueof(type, "FALSE", &no) >= 0 && H5Tenum_valueof(type, "TRUE", &yes) >= 0
      && no == 0 && yes == 1
  }
}
