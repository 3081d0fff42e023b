#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The names of a folder's entries.
package enum FolderListing {
  /// Whether there is a folder at a path whose entries can be read.
  package static func canList(_ path: String) -> Bool {
    guard let stream = unsafe opendir(path) else { return false }
    unsafe closedir(stream)
    return true
  }

  /// The names, sorted; none when the folder cannot be read.
  ///
  /// - Parameter limit: The largest number of entries that are read.
  package static func names(in folder: String, limit: Int = 10_000) -> [String] {
    guard let stream = unsafe opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while names.count < limit, let entry = unsafe readdir(stream) {
      // The system ends the name with a NUL, and the entry lives until the next call.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(
          to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)
        ) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
