import CSystemCalls

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder that appears under its name only when it is complete.
///
/// It is filled under a temporary name beside the final one, and put in place with one rename. A
/// previous folder of that name is removed after that; if anything fails before, it stays as it is.
package struct AtomicFolder: ~Copyable {
  /// The path under which the folder will appear.
  package let path: String
  /// The path under which it is filled.
  package let temporaryPath: String
  private var isCommitted = false

  /// Creates an empty folder.
  ///
  /// - Parameter path: The path under which it will appear.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package init(path: String) throws(WeighbridgeError) {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    guard !path.isEmpty, path != "/", !path.utf8.contains(0) else {
      throw .outputFailed("is not a name of a folder").at(file: String(path))
    }
    let suffix = "\(getpid())-\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).tmp"
    let temporaryPath = "\(path).\(suffix)"
    guard unsafe mkdir(temporaryPath, 0o777) == 0 else {
      throw .outputFailed("cannot be created as a folder: \(lastSystemError())")
        .at(file: String(path))
    }
    (self.path, self.temporaryPath) = (String(path), temporaryPath)
  }

  deinit { if !isCommitted { Self.remove(temporaryPath) } }

  /// Puts the folder in place.
  ///
  /// - Parameter replacing: Whether a folder of that name may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; what was there is then untouched.
  package consuming func commit(replacing: Bool) throws(WeighbridgeError) {
    if !exists(path) {
      guard succeeds({ unsafe rename(temporaryPath, path) }) else { throw failure }
      isCommitted = true
    } else {
      guard replacing else { throw .outputFailed("exists already").at(file: path) }
      guard succeeds({ unsafe system_exchange(temporaryPath, path) }) else { throw failure }
      // The old folder now has the temporary name, under which it is removed.
    }
  }

  private var failure: WeighbridgeError {
    .outputFailed("cannot write: \(lastSystemError())").at(file: path)
  }

  /// The deepest nesting of folders that are removed.
  private static let depthLimit = 32

  /// Removes a folder with all that is in it; links are removed, not followed.
  private static func remove(_ path: String, depth: Int = 0) {
    if !isLink(path), isFolder(path), depth < depthLimit {
      for name in FolderListing.names(in: path) { remove("\(path)/\(name)", depth: depth + 1) }
      unsafe rmdir(path)
    } else {
      unsafe unlink(path)
    }
  }
}
