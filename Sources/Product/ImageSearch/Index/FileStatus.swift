#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The metadata of a file, which change whenever the file's bytes do.
struct FileStatus: Hashable, Sendable {
  /// The size in bytes.
  var byteCount: Int
  /// The time at which the bytes were written, in nanoseconds since 1970.
  var modified: Int
  /// The time at which the bytes, the name or the permissions changed; it cannot be set.
  var changed: Int

  /// The kind of a file system entry.
  enum Kind {
    case file(FileStatus)
    /// A folder, but not a symbolic link to one.
    case folder
    case other
  }

  /// Returns the kind of the entry at a path; `other` when there is none.
  static func kind(_ path: String) -> Kind {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return .other }
    if status.st_mode & S_IFMT == S_IFDIR { return .folder }
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .other }
    return .file(FileStatus(status))
  }

  fileprivate static func time(_ time: timespec) -> Int {
    Int(time.tv_sec) * 1_000_000_000 + time.tv_nsec
  }

  /// Whether enough time has passed since the last change for another one to have a different time:
  /// file systems have a resolution of up to two seconds.
  var isSettled: Bool {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return isSettled(at: Self.time(now))
  }

  /// The same at a time in nanoseconds since 1970.
  func isSettled(at now: Int) -> Bool { now - max(modified, changed) > 2_000_000_000 }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    self.init(
      byteCount: Int(status.st_size), modified: Self.time(modified), changed: Self.time(changed))
  }
}
