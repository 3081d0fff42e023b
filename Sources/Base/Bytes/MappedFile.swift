#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file mapped for reading, unmapped and closed when it is released.
///
/// The mapping is private and read-only. If the file is truncated meanwhile, later reads fail with
/// a bus error, as with every mapped file; ``checkUnchanged()`` detects other changes.
package struct MappedFile: ~Copyable, Sendable {
  /// The file's path as it was given.
  package let path: String
  /// The file's size in bytes.
  package let count: Int
  private let descriptor: Int32
  private let base: UInt  // 0 for an empty file, which cannot be mapped
  private let modificationTime: timespec

  /// Opens and maps a regular file.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when it cannot be opened or is not a regular file.
  package init(path: String) throws(WeighbridgeError) {
    guard !path.utf8.contains(0) else { throw .missing("a path cannot contain a NUL byte") }
    // O_NONBLOCK: opening a FIFO must not wait for its writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .missing("cannot open: \(lastSystemError())").at(file: path)
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      close(descriptor)
      throw .missing(isFolder ? "is a folder, not a file" : "is not a file")
        .at(file: path)
    }
    let count = Int(status.st_size)
    var base: UInt = 0
    if count > 0 {
      let address = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
      guard let address = unsafe address, unsafe address != MAP_FAILED else {
        let reason = lastSystemError()
        close(descriptor)
        throw .missing("cannot map: \(reason)").at(file: path)
      }
      base = UInt(bitPattern: address)
    }
    self.path = path
    self.count = count
    self.descriptor = descriptor
    self.base = base
    modificationTime = Self.modificationTime(status)
  }

  private static func modificationTime(_ status: stat) -> timespec {
    #if canImport(Darwin)
      status.st_mtimespec
    #else
      status.st_mtim
    #endif
  }

  /// Checks that the file has not been written to or truncated since it was opened.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged``.
  package borrowing func checkUnchanged() throws(WeighbridgeError) {
    var status = stat()
    let isAvailable = unsafe fstat(descriptor, &status) == 0
    let time = Self.modificationTime(status)
    guard isAvailable, Int(status.st_size) == count, time.tv_sec == modificationTime.tv_sec,
      time.tv_nsec == modificationTime.tv_nsec
    else {
      throw .damaged("was changed while it was read; try again when nobody writes to it")
        .at(file: path)
    }
  }

  deinit {
    // The range is the one that `mmap` returned, and nothing can refer to its bytes any longer:
    // every access goes through `withBytes`, whose span cannot escape.
    if let address = unsafe UnsafeMutableRawPointer(bitPattern: base) {
      unsafe munmap(address, count)
    }
    close(descriptor)
  }

  /// Calls `body` with all bytes of the file.
  package borrowing func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The mapping stays valid while `self` is borrowed, and its pages are never written.
    try unsafe body(
      UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: base), count: count).bytes)
  }

  /// Calls `body` with the open file's descriptor, for calls such as `copy_file_range`.
  package borrowing func withDescriptor<Result, Failure: Error>(
    _ body: (Int32) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(descriptor)
  }

  /// How a file's bytes will be read.
  package enum Access: Sendable {
    /// At random: the system reads from the disk only what is needed.
    case random
    /// Sequentially: the system reads ahead.
    case sequential
  }

  /// Tells the system how the bytes will be read from now on.
  package borrowing func advise(_ access: Access) {
    advise(0..<count, access == .random ? MADV_RANDOM : MADV_NORMAL)
  }

  /// Returns a range's memory to the system; reading it again reads the file again.
  package borrowing func release(_ range: Range<Int>) { advise(range, MADV_DONTNEED) }

  private borrowing func advise(_ range: Range<Int>, _ advice: Int32) {
    let range = range.clamped(to: 0..<count)
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    // Partial pages are excluded.
    let start = (range.lowerBound + page - 1) / page * page
    let end = range.upperBound < count ? range.upperBound / page * page : count
    guard start < end, let address = unsafe UnsafeMutableRawPointer(bitPattern: base + UInt(start))
    else {
      return
    }
    // Whole pages inside the mapping; private and clean, so nothing is lost.
    _ = unsafe madvise(address, end - start, advice)
  }
}
