package import Bytes
import Digests
import JSON
import ProtobufWire

/// Writes a Core ML package: a folder with a manifest, a model and a file of constants. The same
/// model always yields the same bytes, and nothing is at the path before all are complete.
///
/// ```swift
/// var writer = try CoreMLPackageWriter(layout, to: path)
/// for constant in constants {
///   try writer.beginBlob()
///   try writer.append(elements(of: constant))
/// }
/// try writer.commit(model, replacing: true)
/// ```
package struct CoreMLPackageWriter: ~Copyable {
  private let folder: AtomicFolder
  private let layout: MILBlob.Layout
  private var file: AtomicFile
  private var digest: XXH3Stream
  private var next = 0

  private static let (modelName, weightsName) = ("model.mlmodel", "weights")
  private static let itemFolder = "com.apple.CoreML"
  /// The path by which a program refers to the file of constants.
  package static let blobFile = "@model_path/\(weightsName)/weight.bin"

  /// Begins a package.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, also where something is at the path that is
  ///   not a package.
  package init(_ layout: MILBlob.Layout, to path: String) throws(WeighbridgeError) {
    try Self.checkReplaceable(path)
    let folder = try AtomicFolder(path: path)
    let items = "\(folder.temporaryPath)/Data/\(Self.itemFolder)"
    try makeFolder("\(folder.temporaryPath)/Data")
    try makeFolder(items)
    if !layout.blobs.isEmpty { try makeFolder("\(items)/\(Self.weightsName)") }
    var file = try AtomicFile(
      path: layout.blobs.isEmpty
        ? "\(items)/unused" : "\(items)/\(Self.weightsName)/weight.bin")
    var digest = try XXH3Stream()
    let header = layout.header
    unsafe digest.update(header.span.bytes)
    try unsafe file.append(header.span.bytes)
    self.folder = folder
    self.file = file
    self.digest = digest
    self.layout = layout
  }

  /// Refuses to replace anything but a package.
  private static func checkReplaceable(_ path: String) throws(WeighbridgeError) {
    guard exists(path) else { return }
    let names = Set(FolderListing.names(in: path))
    guard isFolder(path), !isLink(path) else {
      throw .outputFailed("is not a folder, and a Core ML package is one").at(file: path)
    }
    guard names.isSuperset(of: ["Data", "Manifest.json"]) else {
      throw .outputFailed(
        "is a folder that is not a Core ML package, and only packages are replaced"
      ).at(file: path)
    }
  }

  /// Begins the next constant of the layout.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func beginBlob() throws(WeighbridgeError) {
    try append(bytes: layout.bytes(before: next))
    next += 1
  }

  /// Appends elements, little-endian and in row-major order.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``.
  package mutating func append(_ bytes: RawSpan) throws(WeighbridgeError) {
    digest.update(bytes)
    try file.append(bytes)
  }

  private mutating func append(bytes: [UInt8]) throws(WeighbridgeError) {
    try unsafe append(bytes.span.bytes)
  }

  /// Writes the model and the manifest, and puts the package in place.
  ///
  /// - Parameter replacing: Whether a package at the path may be replaced.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``; ``WeighbridgeError/Code/unsupported`` for
  ///   what a message cannot hold.
  package consuming func commit(
    _ model: CoreMLModel, replacing: Bool
  ) throws(WeighbridgeError) {
    guard let descriptor = CoreMLSchema.model else {
      preconditionFailure("the compiled schema has no model")
    }
    precondition(
      next == layout.blobs.count && file.count == layout.byteCount, "constants are missing")
    let bytes = try ProtobufPieces.bytes(model.record, as: descriptor)
    guard bytes.count <= CoreMLWriter.maximumFileSize else {
      throw .unsupported("a model of \(bytes.count) bytes without its weights is more than 2 GB")
    }
    let hasWeights = !layout.blobs.isEmpty
    let weightsDigest = digest.digest()
    if hasWeights { try file.commit(replacing: true) }
    let temporaryPath = folder.temporaryPath
    try Self.write(bytes, to: "\(temporaryPath)/Data/\(Self.itemFolder)/\(Self.modelName)")
    let manifest = Self.manifest(
      model: unsafe XXH3Digest(of: bytes.span.bytes), weights: hasWeights ? weightsDigest : nil)
    try Self.write(Array((manifest.text() + "\n").utf8), to: "\(temporaryPath)/Manifest.json")
    try folder.commit(replacing: replacing)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(WeighbridgeError) {
    var file = try AtomicFile(path: path)
    try unsafe file.append(bytes.span.bytes)
    try file.commit(replacing: true)
  }

  private static func manifest(model: XXH3Digest, weights: XXH3Digest?) -> JSONValue {
    var entries: JSONObject = [
      identifier(model): item(modelName, "CoreML Model Specification")
    ]
    if let weights { entries[identifier(weights)] = item(weightsName, "CoreML Model Weights") }
    return .object([
      "fileFormatVersion": "1.0.0", "itemInfoEntries": .object(entries),
      "rootModelIdentifier": .string(identifier(model)),
    ])
  }

  private static func item(_ name: String, _ description: String) -> JSONValue {
    .object([
      "author": .string(itemFolder), "description": .string(description), "name": .string(name),
      "path": .string("\(itemFolder)/\(name)"),
    ])
  }

  /// A digest in the form of a UUID of version 8, which is for identifiers of one's own.
  private static func identifier(_ digest: XXH3Digest) -> String {
    var bytes = digest.bytes
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { byte in
      let text = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "0" + text : text
    }
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
    return groups.map { digits[$0].joined() }.joined(separator: "-")
  }
}
