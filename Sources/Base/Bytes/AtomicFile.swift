import CSystemCalls

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that appears under its name only when it is complete.
///
/// It is written as an unnamed file where the system can do so (so that nothing is left behind
/// however the process ends), otherwise under a temporary name in the same folder.
/// ``commit(replacing:)`` puts it in place with one rename. A previous file of that name is never
/// lost.
package struct AtomicFile: ~Copyable {
  /// The path under which the file will appear.
  package let path: String
  /// The number of bytes appended so far.
  package private(set) var count = 0
  private let descriptor: Int32
  private var temporaryPath: String?

  /// The system starts writing appended bytes to the disk in parts of at least this many bytes.
  private static let writebackSize = 1 << 22

  /// The offset up to which the system has been told to write.
  private var writebackStart = 0

  /// Creates a new file.
  ///
  /// - Parameters:
  ///   - path: The path under which it will appear.
  ///   - isNamed: Whether it has a temporary name from the start, so that another library can open
  ///     it.
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when the folder cannot be written or `path`
  ///   is a folder.
  package init(path: String, isNamed: Bool = false) throws(WeighbridgeError) {
    (descriptor, temporaryPath) = try Self.create(path, isNamed: isNamed)
    self.path = path
  }

  deinit {
    close(descriptor)
    if let temporaryPath { unsafe unlink(temporaryPath) }
  }

  /// Appends bytes, and has the system write finished parts to the disk in the background, so that
  /// ``commit(replacing:)`` has less to wait for.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, for example when the disk is full.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    try write(bytes, at: count)
    count += bytes.byteCount
    guard count - writebackStart >= Self.writebackSize else { return }
    positionalWriter.startWriting(writebackStart..<count)
    writebackStart = count
  }

  /// Writes bytes at an offset without moving the end, for a header that is only known at the end.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, for example when the disk is full.
  package borrowing func write(_ bytes: RawSpan, at offset: Int) throws(WeighbridgeError) {
    try positionalWriter.write(bytes, at: offset)
  }

  /// Writes at offsets, from several threads at once. It must not outlive the file.
  package var positionalWriter: PositionalWriter {
    PositionalWriter(descriptor: descriptor, path: path)
  }

  /// The temporary name, while there is one.
  package var temporaryName: String? { temporaryPath }

  /// Removes the temporary name, if there is one, and updates ``count`` after another library wrote
  /// to the file. The file can still be read until it is closed, but no longer be put in place.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func unlinkTemporaryName() throws(WeighbridgeError) {
    if let temporaryPath { unsafe unlink(temporaryPath) }
    temporaryPath = nil
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw writeError(errno) }
    count = Int(status.st_size)
  }

  /// Reserves disk space for the file's first bytes where the system can do so. The space is then
  /// allocated as a whole instead of page by page (a third of the time of the writes on ext4), and a
  /// full disk is noticed before the work.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when the disk has too little space.
  package borrowing func reserve(_ byteCount: Int) throws(WeighbridgeError) {
    guard byteCount > 0, system_reserve(descriptor, Int64(byteCount)) != 0, errno == ENOSPC else {
      return
    }
    throw writeError(errno)
  }

  /// Skips bytes, which read as zeros.
  package mutating func skip(_ byteCount: Int) {
    count += byteCount
  }

  /// Appends a range of another file. Where the system can copy it, its bytes do not pass through
  /// this process.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(
    _ range: Range<Int>, of store: ByteStore
  ) throws(WeighbridgeError) {
    var next = range.lowerBound
    store.withDescriptor { source in
      guard let source else { return }
      while next < range.upperBound {
        let copied = system_copy_range(
          source, Int64(next), descriptor, Int64(count), range.upperBound - next)
        guard copied > 0 else { return }  // the plain copy below finishes, or reports the failure
        next += copied
        count += copied
      }
    }
    let remainder = next..<range.upperBound
    if !remainder.isEmpty {
      try store.withBytes { (bytes) throws(WeighbridgeError) in
        try append(bytes.extracting(remainder))
      }
    }
  }

  /// Waits until everything written so far is on the disk.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package borrowing func syncData() throws(WeighbridgeError) {
    guard succeeds({ fdatasync(descriptor) }) else { throw writeError(errno) }
  }

  /// Calls `body` with everything written so far, mapped, to read it back before the commit.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed`` when it cannot be mapped.
  package borrowing func withWrittenBytes(
    _ body: (RawSpan) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard count > 0, let address = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0),
      unsafe address != MAP_FAILED
    else { throw writeError(errno) }
    defer { unsafe munmap(address, count) }
    // The mapping covers `count` bytes and outlives the call of `body`.
    try unsafe body(UnsafeRawBufferPointer(start: address, count: count).bytes)
  }

  /// Syncs the file and puts it in place.
  ///
  /// - Parameter replacing: Whether a file of that name may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; a previous file is then untouched.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    let (descriptor, path, size) = (descriptor, path, off_t(count))
    guard succeeds({ ftruncate(descriptor, size) }), succeeds({ fsync(descriptor) }) else {
      throw writeError(errno)
    }
    if temporaryPath == nil { try linkName(replacing: replacing) }
    guard let temporary = temporaryPath else { return }  // linked directly under its final name
    guard succeeds({ unsafe replacing ? rename(temporary, path) : link(temporary, path) }) else {
      throw writeError(errno)
    }
    if replacing { temporaryPath = nil }
  }

  /// Links an unnamed file under its final name, or under a temporary one if that is taken.
  private mutating func linkName(replacing: Bool) throws(WeighbridgeError) {
    let open = "/proc/self/fd/\(descriptor)"
    let link = { (name: String) in
      succeeds { unsafe linkat(AT_FDCWD, open, AT_FDCWD, name, AT_SYMLINK_FOLLOW) }
    }
    if link(path) { return }
    guard errno == EEXIST, replacing else { throw writeError(errno) }
    let name = Self.temporaryName(for: path)
    guard link(name) else { throw writeError(errno) }
    temporaryPath = name
  }

  private func writeError(_ number: Int32) -> WeighbridgeError {
    WeighbridgeError(.outputFailed, "cannot write: \(describe(systemError: number))")
      .at(file: path)
  }

  /// Opens an unnamed file, or one with a temporary name, in the folder of `path`.
  private static func create(
    _ path: String, isNamed: Bool
  ) throws(WeighbridgeError) -> (descriptor: Int32, temporaryPath: String?) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .outputFailed("is not a file name").at(file: path)
    }
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw .outputFailed(
        isFolder ? "is a folder" : "exists and is not a regular file"
      ).at(file: path)
    }
    let folder = folder(of: path)
    let unnamed = unsafe isNamed ? -1 : system_open_unnamed(folder, 0o666)
    if unnamed >= 0 { return (unnamed, nil) }
    let name = temporaryName(for: path)
    let named = unsafe open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o666)
    guard named >= 0 else {
      throw .outputFailed("cannot write in \(folder): \(lastSystemError())").at(file: path)
    }
    return (named, name)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// A name that no other process uses, in the folder of `path`.
  private static func temporaryName(for path: String) -> String {
    "\(path).\(getpid())-\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).tmp"
  }
}
