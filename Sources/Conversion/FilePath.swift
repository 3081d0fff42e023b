import Bytes

/// A path as text, taken apart.
struct FilePath {
  /// The folder with its slash; empty when there is none.
  let folder: String
  /// The last part.
  let name: String

  init(_ path: String) {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    folder = String(path[..<start])
    name = String(path[start...])
  }

  /// The name without its extension.
  var base: String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The path with another extension.
  func replacingExtension(_ other: String) -> String { "\(folder)\(base).\(other)" }

  /// A file in the same folder.
  func beside(_ other: String) -> String { folder + other }

  /// Where a path that stands in this file may lead: from its folder on, in its folder, and from the
  /// working directory on. A path of Windows counts by its name too.
  func candidates(for other: String) -> [String] {
    let named = beside(FilePath(other.replacing("\\", with: "/")).name)
    return other.hasPrefix("/") ? [other, named] : [beside(other), named, other]
  }

  /// Whether a path leads to a file that can be opened.
  static func isFile(_ path: String) -> Bool { (try? MappedFile(path: path)) != nil }
}
