package import Bytes
import CHDF5

/// An HDF5 file, opened for reading. It answers with plain values.
///
/// libhdf5 runs behind one lock for the whole process, so the answers may be asked for from any
/// task. Links into other files are never followed, data kept in other files is never read.
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
  /// All bytes of the file; a ``HDF5Dataset/Storage/fileRange(_:)`` is a range of them.
  package let store: ByteStore
  /// The bounds on what is read.
  package let limits: Limits
  let identifier: hid_t

  /// Opens an HDF5 file.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when there is no such file,
  ///   ``WeighbridgeError/Code/malformed`` when it is not HDF5, damaged or cut off,
  ///   ``WeighbridgeError/Code/unsupported`` when its version is not known.
  package convenience init(path: String, limits: Limits = Limits()) throws(WeighbridgeError) {
    try self.init(ByteStore(try MappedFile(path: path)), path: path, limits: limits)
  }

  /// Opens an HDF5 file that is mapped already.
  ///
  /// - Parameters:
  ///   - store: The mapped file.
  ///   - path: Its path, for errors.
  ///   - limits: The bounds on what is read.
  /// - Throws: As ``init(path:limits:)``.
  package init(
    _ store: ByteStore, path: String, limits: Limits = Limits()
  ) throws(WeighbridgeError) {
    self.path = path
    self.store = store
    self.limits = limits
    identifier = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try store.withBytes { bytes throws(WeighbridgeError) in _ = try HDF5Superblock(in: bytes) }
      return try store.withDescriptor { descriptor throws(WeighbridgeError) in
        // The very file that is mapped, even when another has taken its path meanwhile.
        let name = descriptor.map { "/dev/fd/\($0)" } ?? path
        return try HDF5Library.use { () throws(WeighbridgeError) in
          try HDF5Library.check(chdf5_open(name), "cannot be opened")
        }
      }
    }
  }

  deinit { HDF5Library.close(identifier) }

  /// Whether bytes are an HDF5 file: its signature stands at 0, 512, 1024, 2048, ...
  package static func isHDF5(_ bytes: RawSpan) -> Bool { HDF5Superblock.find(in: bytes) != nil }

  /// Runs `body` with libhdf5 to itself, and adds the file and `path` to its errors.
  func use<Result: Sendable>(
    _ path: String, _ body: () throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    try locating({ $0.at(file: self.path).at(.path(path)) }) { () throws(WeighbridgeError) in
      try HDF5Library.use(body)
    }
  }
}
