#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the system says of a file; it changes whenever the file's bytes do.
struct FileStatus: Hashable, Sendable {
  /// The size in bytes.
  var byteCount: Int
  /// When the bytes were written, in nanoseconds since 1970.
  var modified: Int
  /// When the bytes, the name or the permissions were changed; nobody can set it.
  var changed: Int

  /// What stands at a path.
  enum Kind {
    case file(FileStatus)
    /// A folder; one behind a symbolic link is not.
    case folder
    case other
  }

  /// The kind of what stands at a path; `other` when nothing does.
  static func kind(_ path: String) -> Kind {
    var status = stat()
    guard lstat(path, &status) == 0 else { return .other }
    if status.st_mode & S_IFMT == S_IFDIR { return .folder }
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .other }
    return .file(FileStatus(status))
  }

  fileprivate static func time(_ time: timespec) -> Int {
    Int(time.tv_sec) * 1_000_000_000 + time.tv_nsec
  }

  /// Whether so much time has passed since the last change that another one would have another time:
  /// file systems count in steps of up to two seconds.
  var isSettled: Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Self.time(now) - max(modified, changed) > 2_000_000_000
  }
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
