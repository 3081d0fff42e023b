package import Bytes
import Synchronization

/// An HDF5 file, opened for reading. It answers with plain values.
///
/// The file is read by the HDF5 file format specification, version 3.0, and as HDF5 2.0 extends it.
/// Whatever is read is checked: addresses against the file, counts before memory is taken, checksums
/// where the format has them. Links into other files are never followed, data kept in other files
/// are never read.
package final class HDF5File: Sendable {
  /// Bounds on what is read.
  package struct Limits: Sendable {
    /// How many members may lie below a group that is walked.
    package var memberCount = 1_000_000
    /// How many groups deep a path may lead.
    package var depth = 100
    /// How many soft links may be followed for one path.
    package var linkCount = 16
    /// How large one attribute may be, in bytes.
    package var attributeByteCount = 1 << 28
    /// How many elements one attribute may have.
    package var attributeElementCount = 1 << 20
    /// How large a dataset may be that has to be decoded into memory, in bytes.
    package var datasetByteCount = 1 << 32
    /// How many times the file's size such a dataset may have, beyond the first 64 MiB: what
    /// deflate can reach. Small files that claim large arrays are refused before they are decoded.
    package var expansion = 1032

    /// The default limits.
    package init() {}

    /// The larger of what a file of a size can hold packed and 64 MiB, within the absolute limit.
    func decodedByteCount(ofFileWith byteCount: Int) -> Int {
      let (product, overflow) = byteCount.multipliedReportingOverflow(by: expansion)
      return min(datasetByteCount, overflow ? .max : max(64 << 20, product))
    }
  }

  /// The file's path as it was given.
  package let path: String
  /// The bytes that the file is in; a ``HDF5Dataset/Storage/fileRange(_:)`` is a range of them.
  package let store: ByteStore
  /// Where in the store the file is: all of it, or a part such as a member of an archive.
  let dimension: Range<Int>
  /// The bounds on what is read.
  package let limits: Limits
  let reader: ObjectReader
  /// What was read last, since what is asked for next is mostly there again.
  let cache = Mutex(HDF5Cache())

  /// Opens an HDF5 file.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when there is no such file,
  ///   ``WeighbridgeError/Code/malformed`` when it is not HDF5, damaged or cut off,
  ///   ``WeighbridgeError/Code/unsupported`` when its version is not known.
  package convenience init(path: String, limits: Limits = Limits()) throws(WeighbridgeError) {
    try self.init(ByteStore(try MappedFile(path: path)), path: path, limits: limits)
  }

  /// Opens an HDF5 file that is mapped already, or is in memory; nothing is copied.
  ///
  /// - Parameters:
  ///   - store: The mapped file or the memory.
  ///   - dimension: Where in the store the file is; `nil` when it is all of it.
  ///   - path: Its path, for errors.
  ///   - limits: The bounds on what is read.
  /// - Throws: As ``init(path:limits:)``.
  package init(
    _ store: ByteStore, dimension: Range<Int>? = nil, path: String, limits: Limits = Limits()
  ) throws(WeighbridgeError) {
    let range = dimension ?? 0..<store.count
    self.path = path
    self.store = store
    self.dimension = range
    self.limits = limits
    reader = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try ObjectReader(store, range)
    }
  }

  /// Whether bytes are an HDF5 file: its signature stands at 0, 512, 1024, 2048, ...
  package static func isHDF5(_ bytes: RawSpan) -> Bool { Superblock.find(in: bytes) != nil }

  /// Runs `body` and adds the file and `path` to its errors; the byte where it was becomes a part of
  /// the reason.
  func use<Result>(
    _ path: String, _ body: () throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    try locating({ $0.at(path: path).at(file: self.path) }, body)
  }

  /// Runs `body`, and says of damage without a byte of its own that it is where the header is.
  func damage<Result>(
    at header: ObjectHeader, _ body: () throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    let place = WeighbridgeError.Spot.byte(reader.file.baseAddress + header.address)
    return try locating({ $0.code == .malformed ? $0.at(place) : $0 }, body)
  }
}

extension WeighbridgeError {
  /// The same error at a path within the file, the byte offset kept as a part of the reason.
  func at(path: String) -> WeighbridgeError {
    guard case .byte(let offset) = place.spot else { return at(.path(path)) }
    return WeighbridgeError(code, "\(reason) (byte \(offset) of the file)").at(.path(path))
  }
}
