import Bytes

/// A path, split into folder and name.
package struct FilePath {
  /// The folder with its trailing slash; empty when there is none.
  package let folder: String
  /// The last component.
  package let name: String

  package init(_ path: String) {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    folder = String(path[..<start])
    name = String(path[start...])
  }

  /// The name without its extension.
  package var stem: String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The path with another extension.
  package func replacingExtension(_ other: String) -> String { "\(folder)\(stem).\(other)" }

  /// Returns the path of a file in the same folder.
  package func sibling(_ name: String) -> String { folder + name }

  /// The files that a path written in this file may refer to: relative to this file's folder,
  /// directly in that folder, and relative to the working directory. A Windows path is looked up by
  /// its name too.
  package func candidates(for other: String) -> [String] {
    let sameFolder = sibling(FilePath(other.replacing("\\", with: "/")).name)
    return other.hasPrefix("/") ? [other, sameFolder] : [sibling(other), sameFolder, other]
  }

  /// Whether a path leads to a file that can be opened.
  package static func isFile(_ path: String) -> Bool { (try? MappedFile(path: path)) != nil }
}

extension FilePath {
  /// Whether the file is named as darknet names weights.
  package var isNamedLikeDarknetWeights: Bool {
    name.hasSuffix(".weights") || name.hasSuffix(".backup") || name.contains(".conv.")
  }
}
