#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether anything exists at a path.
package func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// Whether there is a folder at a path.
package func isFolder(_ path: String) -> Bool {
  var status = stat()
  return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// Creates a folder, unless it already exists.
///
/// - Throws: ``WeighbridgeError/Code/outputFailed``.
package func makeFolder(_ path: String) throws(WeighbridgeError) {
  guard unsafe mkdir(path, 0o777) != 0, !isFolder(path) else { return }
  throw .outputFailed("cannot be created as a folder: \(lastSystemError())").at(file: path)
}

/// Whether there is a symbolic link at a path.
package func isLink(_ path: String) -> Bool {
  var status = stat()
  return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
}
