package import Bytes
import JSON

/// A Core ML package: a folder with a manifest that names the model's file.
package struct CoreMLPackage: Sendable {
  /// The package's path, without a trailing slash.
  package let path: String
  /// The path of the model's file.
  package let model: String

  /// The maximum size of a manifest in bytes.
  private static let manifestLimit = 1 << 20

  /// Opens a package.
  ///
  /// - Returns: `nil` when the path is not a folder with the parts of a package.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when its manifest is missing or a link, or names no
  ///   model or one outside the package; ``WeighbridgeError/Code/unsupported`` for a later version of the
  ///   manifest; ``WeighbridgeError/Code/missing`` when the model does not exist.
  package init?(at path: String) throws(WeighbridgeError) {
    var path = path[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    self.path = String(path)
    let names = FolderListing.names(in: self.path)
    let hasPackageExtension = path.hasSuffix(".mlpackage") && FolderListing.canList(self.path)
    guard hasPackageExtension || names.contains("Data") && names.contains("Manifest.json") else {
      return nil
    }
    let manifest = "\(path)/Manifest.json"
    guard names.contains("Manifest.json") else {
      throw .malformed(
        "is a Core ML package without its Manifest.json: copy the folder as a whole, or give the "
          + ".mlmodel file in its folder Data"
      ).at(file: self.path)
    }
    guard !isLink(manifest) else {
      throw .malformed("has a link as its Manifest.json, expected the manifest itself")
        .at(file: self.path)
    }
    let file = try MappedFile(path: manifest)
    let member = try locating({ $0.at(file: manifest) }) { () throws(WeighbridgeError) in
      try Self.rootModel(file)
    }
    model = "\(path)/Data/\(member)"
    var place = "\(path)/Data"
    for part in member.split(separator: "/") {
      guard !isLink(place) else { break }
      place += "/\(part)"
    }
    guard !isLink(place) else {
      throw .malformed(
        "has a link as its \(place.dropFirst(path.count + 1)), expected what it names"
      )
      .at(file: self.path)
    }
    guard (try? MappedFile(path: model)) != nil else {
      throw .missing(
        "has no file Data/\(member), which its manifest names: copy the folder as a whole"
      ).at(file: self.path)
    }
  }

  /// The size of all files in the package, in bytes.
  ///
  /// - Complexity: O(n) in the number of files.
  package var byteCount: Int { Self.byteCount(of: path, depth: 0) }

  /// The size of a file, or of those in a folder: weights are four levels below the package. What
  /// is deeper or a link is not part of a package.
  private static func byteCount(of path: String, depth: Int) -> Int {
    guard depth <= 4, !isLink(path) else { return 0 }
    guard isFolder(path) else { return (try? MappedFile(path: path))?.count ?? 0 }
    return FolderListing.names(in: path).reduce(0) { sum, name in
      let result = sum.addingReportingOverflow(byteCount(of: "\(path)/\(name)", depth: depth + 1))
      return result.overflow ? .max : result.partialValue
    }
  }

  /// Whether a manifest's version is at most 1.0.0.
  private static func isKnown(_ version: String) -> Bool {
    let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard let major = parts.first ?? nil, !parts.contains(nil) else { return false }
    return major < 1 || major == 1 && parts.dropFirst().allSatisfy { $0 == 0 }
  }

  /// The path of the model's file in the folder `Data`, as given in the manifest.
  private static func rootModel(
    _ file: borrowing MappedFile
  ) throws(WeighbridgeError) -> String {
    guard file.count <= manifestLimit else {
      throw .limitExceeded("has \(file.count) bytes, over the limit of \(manifestLimit)")
    }
    var limits = JSONValue.Limits()
    limits.depth = 16
    let manifest = try JSONValue(
      parsing: file.withBytes { $0.copied(0..<$0.byteCount) }, limits: limits
    ).object
    if let version = manifest?["fileFormatVersion"]?.string, !isKnown(version) {
      throw .unsupported(
        "is a manifest of the version \(version), and those up to 1.0.0 can be read")
    }
    guard let root = manifest?["rootModelIdentifier"]?.string,
      let path = manifest?["itemInfoEntries"]?.object?[root]?.object?["path"]?.string
    else {
      throw .malformed("is a manifest that names no model")
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !["", ".", ".."].contains($0) }), !path.utf8.contains(0) else {
      throw .malformed(
        "is a manifest whose model has the path \(path), which leads out of the package"
      )
    }
    return path
  }
}
