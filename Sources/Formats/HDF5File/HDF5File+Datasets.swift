package import Bytes
import CHDF5

extension HDF5File {
  /// The dataset at an absolute path: what it holds and where.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is none, or its bytes are not inside
  ///   the file; ``WeighbridgeError/Code/unsupported`` naming an element type, a filter or a place
  ///   outside the file that cannot be read; ``WeighbridgeError/Code/limitExceeded``.
  package func dataset(at path: String) throws(WeighbridgeError) -> HDF5Dataset {
    try use(path) { () throws(WeighbridgeError) in
      let dataset = try open(path, as: H5I_DATASET)
      let type = try HDF5Handle(H5Dget_type(dataset.identifier), "the type cannot be read")
      let element = try HDF5ElementType(type)
      let shape = try shape(of: dataset)
      let factors = shape + [element.elementType.byteCount]
      let byteCount = try Checked.product(factors, of: "the dataset's size")
      let storage = try storage(of: dataset, byteCount: byteCount, element.isLittleEndian)
      return HDF5Dataset(
        path: path, elementType: element.elementType, shape: shape, byteCount: byteCount,
        storage: storage)
    }
  }

  /// A dataset's bytes: dense, row-major, little-endian. A dataset never written gives its fill
  /// value. Copies `byteCount` bytes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when HDF5 cannot decode them;
  ///   ``WeighbridgeError/Code/limitExceeded`` when they are larger than the limit.
  package func contents(of dataset: HDF5Dataset) throws(WeighbridgeError) -> [UInt8] {
    if case .fileRange(let range) = dataset.storage {
      return store.withBytes { $0.copied(range) }
    }
    return try use(dataset.path) { () throws(WeighbridgeError) in
      let limit = limits.decodedByteCount(ofFileWith: store.count)
      guard dataset.byteCount <= limit else {
        throw WeighbridgeError(
          .limitExceeded, "takes \(dataset.byteCount) bytes decoded, over the limit of \(limit)")
      }
      return try decoded(dataset)
    }
  }
}

extension HDF5File {
  private func shape(of dataset: borrowing HDF5Handle) throws(WeighbridgeError) -> [Int] {
    let space = try HDF5Handle(H5Dget_space(dataset.identifier), "the shape cannot be read")
    guard H5Sget_simple_extent_type(space.identifier) != H5S_NULL else {
      throw WeighbridgeError(.unsupported, "has no elements, not even a shape (a null dataspace)")
    }
    let rank = try HDF5Library.check(
      H5Sget_simple_extent_ndims(space.identifier), "the shape cannot be read")
    var dimensions = [hsize_t](repeating: 0, count: Int(rank))
    // Writes `rank` numbers, and the array has as many.
    try HDF5Library.check(
      H5Sget_simple_extent_dims(space.identifier, &dimensions, nil), "the shape cannot be read")
    var shape: [Int] = []
    for dimension in dimensions { shape.append(try Checked.count(dimension, of: "a size")) }
    return shape
  }

  private func storage(
    of dataset: borrowing HDF5Handle, byteCount: Int, _ isLittleEndian: Bool
  ) throws(WeighbridgeError) -> HDF5Dataset.Storage {
    let list = try HDF5Handle(
      H5Dget_create_plist(dataset.identifier), "the storage properties cannot be read")
    guard H5Pget_external_count(list.identifier) == 0 else {
      throw WeighbridgeError(.unsupported, "keeps its bytes in another file, which is never read")
    }
    let filters = try filters(in: list)
    guard byteCount > 0 else { return .fileRange(0..<0) }
    switch H5Pget_layout(list.identifier) {
    case H5D_CONTIGUOUS where filters == 0:
      let range = try range(of: dataset, byteCount: byteCount)
      return range.flatMap { isLittleEndian ? .fileRange($0) : nil } ?? .encoded
    case H5D_CONTIGUOUS, H5D_CHUNKED, H5D_COMPACT: return .encoded
    case H5D_VIRTUAL:
      throw WeighbridgeError(
        .unsupported, "is a virtual dataset, made of parts of others; it cannot be read")
    default: throw HDF5Library.failure("the storage layout is not known")
    }
  }

  /// Where a contiguous dataset is; `nil` when it was never written.
  private func range(
    of dataset: borrowing HDF5Handle, byteCount: Int
  ) throws(WeighbridgeError) -> Range<Int>? {
    let offset = H5Dget_offset(dataset.identifier)
    guard UInt64(offset) != chdf5_no_address() else { return nil }
    let start = try Checked.count(offset, of: "the dataset's address")
    let end = try Checked.sum(start, byteCount, of: "the dataset's end")
    guard end <= dimension.count else {
      throw WeighbridgeError(
        .malformed, "lies at bytes \(start) to \(end) of a file of \(dimension.count)")
    }
    return dimension.lowerBound + start..<dimension.lowerBound + end
  }

  /// The number of filters, each of which must be one that HDF5 has built in.
  private func filters(in list: borrowing HDF5Handle) throws(WeighbridgeError) -> Int32 {
    let count = try HDF5Library.check(
      H5Pget_nfilters(list.identifier), "the filters cannot be read")
    for index in 0..<UInt32(count) {
      var flags: UInt32 = 0
      var parameterCount = 0
      var name = [CChar](repeating: 0, count: 256)
      // Writes no parameters (their count is 0) and at most the name's 256 characters.
      let filter = H5Pget_filter2(
        list.identifier, index, &flags, &parameterCount, nil, name.count, &name, nil)
      let known = [H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32]
      guard known.contains(filter) else {
        let name = String(
          decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        throw WeighbridgeError(
          .unsupported,
          "is packed with the filter \(filter)\(name.isEmpty ? "" : " (\(name))"); "
            + "gzip, shuffle and fletcher32 can be read")
      }
    }
    return count
  }

  private func decoded(_ dataset: HDF5Dataset) throws(WeighbridgeError) -> [UInt8] {
    let object = try open(dataset.path, as: H5I_DATASET)
    let stored = try HDF5Handle(H5Dget_type(object.identifier), "the type cannot be read")
    let type = try HDF5Handle(H5Tcopy(stored.identifier), "the type cannot be copied")
    if dataset.elementType.byteCount > 1, H5Tget_class(type.identifier) != H5T_OPAQUE {
      // The same numbers in our byte order; H5Dread turns what differs.
      try HDF5Library.check(
        H5Tset_order(type.identifier, H5T_ORDER_LE), "the byte order cannot be set")
    }
    guard H5Tget_size(type.identifier) == dataset.elementType.byteCount,
      try shape(of: object) == dataset.shape
    else { throw WeighbridgeError(.malformed, "is not what it was when the file was opened") }
    var bytes = [UInt8](repeating: 0, count: dataset.byteCount)
    try HDF5Library.check(
      // Writes the product of the shape and the element size, which is the array's size.
      H5Dread(
        object.identifier, type.identifier, chdf5_all(), chdf5_all(), chdf5_default(), &bytes),
      "the elements cannot be read")
    return bytes
  }
}
