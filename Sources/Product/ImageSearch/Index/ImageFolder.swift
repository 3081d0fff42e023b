/// The files in a folder and the folders inside it.
struct ImageFolder {
  /// A regular file.
  struct File: Sendable {
    let path: String
    let status: FileStatus
  }

  private static let fileLimit = 10_000_000

  /// The absolute path, with a trailing slash.
  let path: String
  /// The files, by path; hidden ones and those in linked folders are left out.
  private(set) var files: [File] = []
  /// The folders that cannot be listed.
  private(set) var unreadable: [String] = []

  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/missing`` when it is not a folder that can be
  ///   listed.
  init(_ folder: String) throws(WeighbridgeError) {
    let resolved = canonicalPath(folder)
    guard FolderListing.canList(resolved) else {
      throw .missing("is not a folder that can be listed").at(file: folder)
    }
    path = resolved.hasSuffix("/") ? resolved : resolved + "/"
    var pending = [path]
    while let next = pending.popLast() {
      guard FolderListing.canList(next) else {
        unreadable.append(next)
        continue
      }
      for name in FolderListing.names(in: next, limit: Self.fileLimit) where !name.hasPrefix(".") {
        switch FileStatus.kind(next + name) {
        case .file(let status): files.append(File(path: next + name, status: status))
        case .folder: pending.append(next + name + "/")
        case .other: break
        }
      }
    }
    files.sort { $0.path < $1.path }
  }
}
