package import Bytes
import Vision

/// The image files that the user's arguments refer to.
package struct ImageFiles {
  /// The files, in the order of the arguments; those of a folder sorted by name.
  package private(set) var paths: [String] = []
  /// The files in the folders that are not images.
  package private(set) var others: [String] = []

  /// Lists folders, without their subfolders and hidden files.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` for a folder without images.
  package init(_ arguments: [String]) throws(WeighbridgeError) {
    for argument in arguments {
      guard isFolder(argument) else {
        paths.append(argument)
        continue
      }
      let count = paths.count
      try addFiles(of: argument)
      guard paths.count > count else {
        throw .missing("is a folder without JPEG or PNG images").at(file: argument)
      }
    }
  }

  private mutating func addFiles(of folder: String) throws(WeighbridgeError) {
    for name in FolderListing.names(in: folder, limit: 1_000_000) where !name.hasPrefix(".") {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      guard !isFolder(path) else { continue }
      if try ImageFormat(contentsOf: path) != nil {
        paths.append(path)
      } else {
        others.append(path)
      }
    }
  }
}
