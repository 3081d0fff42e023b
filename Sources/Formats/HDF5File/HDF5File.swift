package import Bytes

/// An HDF5 file, opened for reading.
///
/// The file is read according to the HDF5 file format specification, version 3.0, with the
/// extensions of HDF5 2.0. Everything is checked: addresses against the file, counts before memory
/// is allocated, checksums where the format has them. Links into other files are never followed,
/// and data in other files is never read.
package final class HDF5File: Sendable {
  /// Limits on what is read.
  package struct Limits: Sendable {
    /// The largest number of members below a group that is listed.
    package var memberCount = 1_000_000
    /// The largest depth of a path in groups.
    package var depth = 100
    /// The largest number of soft links followed for one path.
    package var linkCount = 16
    /// The largest size of an attribute in bytes.
    package var attributeByteCount = 1 << 28
    /// The largest number of elements of an attribute.
    package var attributeElementCount = 1 << 20
    /// The largest size of a dataset that must be decoded into memory, in bytes.
    package var datasetByteCount = 1 << 32
    /// The largest ratio of the size of such a dataset to the file's size, for datasets larger than
    /// 64 MiB: by default the largest compression ratio of deflate. Small files that claim large
    /// arrays are rejected before decoding.
    package var expansion = 1032

    /// The largest number of bytes of one path in the file.
    package var pathByteCount = 1 << 14
    /// The largest number of bytes of the paths of all members that are listed at once.
    package var memberPathsByteCount = 1 << 28
    /// The largest ratio of the metadata that are read, counted each time, to the file's size, for
    /// more than 1 GiB.
    package var metadataReadings = 64

    /// The default limits.
    package init() {}

    /// The larger of 64 MiB and the largest size to which a file of a given size can be
    /// decompressed, within the absolute limit.
    func decodedByteCount(ofFileWith byteCount: Int) -> Int {
      let (product, overflow) = byteCount.multipliedReportingOverflow(by: expansion)
      return min(datasetByteCount, overflow ? .max : max(64 << 20, product))
    }

    /// The larger of 1 GiB and the number of bytes of metadata that are read in a file of a given
    /// size.
    func metadataByteCount(ofFileWith byteCount: Int) -> Int {
      let (product, overflow) = byteCount.multipliedReportingOverflow(by: metadataReadings)
      return overflow ? .max : max(1 << 30, product)
    }
  }

  /// The file's path as given.
  package let path: String
  /// The bytes that contain the file; a ``HDF5Dataset/Storage/fileRange(_:)`` is a range of them.
  package let store: ByteStore
  /// The file's range in the store: all of it, or a part such as a member of an archive.
  let byteRange: Range<Int>
  /// The limits on what is read.
  package let limits: Limits
  let reader: ObjectReader
  /// The links of groups by the addresses of their headers; `nil` for an object that is no group.
  let links = RecentValues<[Link]?>(limit: 1 << 24) { links in
    (links ?? []).reduce(64) { $0 + 96 + $1.name.count }
  }
  /// The attributes of objects by the addresses of their headers.
  let attributes = RecentValues<[AttributeEntry]>(limit: 1 << 24) { entries in
    entries.reduce(64) { $0 + 128 + $1.name.count }
  }

  /// Opens an HDF5 file.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when there is no such file,
  ///   ``WeighbridgeError/Code/malformed`` when it is not HDF5, damaged or truncated,
  ///   ``WeighbridgeError/Code/unsupported`` when its version is unknown.
  package convenience init(path: String, limits: Limits = Limits()) throws(WeighbridgeError) {
    try self.init(ByteStore(try MappedFile(path: path)), path: path, limits: limits)
  }

  /// Opens an HDF5 file that is already mapped or in memory; nothing is copied.
  ///
  /// - Parameters:
  ///   - store: The bytes that contain the file.
  ///   - byteRange: The file's range in the store; `nil` for all of it.
  ///   - path: The file's path, for errors.
  ///   - limits: The limits on what is read.
  /// - Throws: As ``init(path:limits:)``.
  package init(
    _ store: ByteStore, byteRange: Range<Int>? = nil, path: String, limits: Limits = Limits()
  ) throws(WeighbridgeError) {
    let range = byteRange ?? 0..<store.count
    self.path = path
    self.store = store
    self.byteRange = range
    self.limits = limits
    reader = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try ObjectReader(store, range, limits)
    }
  }

  /// The number of bytes of metadata that were read so far, counted each time.
  package var metadataByteCount: Int { reader.file.metadata.total }

  /// Whether bytes are an HDF5 file: its signature is at 0, 512, 1024, 2048, ...
  package static func isHDF5(_ bytes: RawSpan) -> Bool { Superblock.find(in: bytes) != nil }

  /// Runs `body` and adds the file and `path` to its errors; a byte offset becomes part of the
  /// reason.
  func locatingErrors<Result>(
    at path: String, _ body: () throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    try locating({ $0.at(path: path).at(file: self.path) }, body)
  }

  /// Runs `body` and adds the header's offset to errors about malformed data that have no offset.
  func locatingDamage<Result>(
    at header: ObjectHeader, _ body: () throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    let position = WeighbridgeError.Position.byte(reader.file.baseAddress + header.address)
    return try locating({ $0.code == .malformed ? $0.at(position) : $0 }, body)
  }
}

extension WeighbridgeError {
  /// The same error at a path within the file, with its byte offset moved to the reason.
  func at(path: String) -> WeighbridgeError {
    guard case .byte(let offset) = place.position else { return at(.path(path)) }
    return WeighbridgeError(code, "\(reason) (byte \(offset) of the file)").at(.path(path))
  }
}
