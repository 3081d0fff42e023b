#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The names of a folder's entries.
package enum FolderListing {
  /// Whether there is a folder at a path whose entries can be read.
  package static func canList(_ path: String) -> Bool {
    guard let stream = opendir(path) else { return false }
    closedir(stream)
    return true
  }

  /// The names, sorted; none when the folder cannot be read.
  ///
  /// - Parameter limit: The largest number of entries that are read.
  package static func names(in folder: String, limit: Int = 10_000) -> [String] {
    guard let stream = opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while names.count < limit, let entry = readdir(stream) {
      // The system ends the name with a NUL, and the entry lives until the next call.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee))
        {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
