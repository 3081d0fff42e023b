package import Bytes
import CHDF5
import Synchronization

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
  /// The bytes that the file is in; a ``HDF5Dataset/Storage/fileRange(_:)`` is a range of them.
  package let store: ByteStore
  /// Where in the store the file is: all of it, or a part such as a member of an archive.
  let dimension: Range<Int>
  /// The bounds on what is read.
  package let limits: Limits
  let identifier: hid_t
  /// Used while libhdf5 is; the lock is for the compiler.
  let trail = Mutex(HDF5OpenGroups())

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
    identifier = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try store.withBytes { bytes throws(WeighbridgeError) in
        _ = try HDF5Superblock(in: bytes.extracting(range))
      }
      return try store.withDescriptor { descriptor throws(WeighbridgeError) in
        guard let descriptor, range == 0..<store.count else {
          return try Self.openImage(store, range)
        }
        // The very file that is mapped, even when another has taken its path meanwhile.
        return try HDF5Library.use { () throws(WeighbridgeError) in
          try HDF5Library.check(chdf5_open("/dev/fd/\(descriptor)"), "cannot be opened")
        }
      }
    }
  }

  /// Opens bytes of a store where they are.
  private static func openImage(
    _ store: ByteStore, _ range: Range<Int>
  ) throws(WeighbridgeError) -> hid_t {
    try store.withBytes { bytes throws(WeighbridgeError) in
      // A store's bytes neither move nor change while it lives, and the object being made keeps it
      // until its own `deinit` has closed the file. HDF5 only reads.
      let image = bytes.extracting(range).withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
      return try HDF5Library.use { () throws(WeighbridgeError) in
        // A path that no file can have, and no other open image has.
        try HDF5Library.check(
          chdf5_open_image(
            UnsafeRawPointer(bitPattern: image), range.count, "/dev/null/image-\(image)"),
          "cannot be opened")
      }
    }
  }

  deinit { HDF5Library.close(trail.withLock { $0.groups } + [identifier]) }

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
