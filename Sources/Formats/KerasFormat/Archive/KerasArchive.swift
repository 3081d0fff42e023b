import Bytes
import HDF5File
import JSON
import ZipArchive

/// A `.keras` archive (Keras 2.12 and later): a ZIP archive with the model as JSON, its weights as
/// HDF5 and the version of Keras. It is read in place; nothing is unpacked to disk.
struct KerasArchive: Sendable {
  /// Limits on what is read.
  struct Limits: Sendable {
    /// The maximum number of members.
    var memberCount = 1 << 16
    /// The maximum number of bytes unpacked into memory. Stored members stay in the mapped file.
    var memory = 1 << 31

    /// The default limits.
    init() {}
  }

  static let configName = "config.json"
  static let metadataName = "metadata.json"
  static let weightsName = "model.weights.h5"
  /// Metadata that only Weighbridge writes; Keras ignores it.
  static let customMetadataName = "weighbridge.json"

  private let store: ByteStore
  private let path: String
  private let members: [String: ZipDirectory.Member]
  /// The version of Keras that wrote the archive.
  let version: KerasVersion
  /// The model as Keras wrote it.
  let config: JSONValue
  /// The metadata that Weighbridge adds: strings with their keys.
  let customMetadata: [(key: String, value: String)]
  /// The lines of the vocabularies that layers store in separate files, by the groups that the layers
  /// have in the file of weights: `/layers/string_lookup`.
  let vocabularies: [String: [String]]
  /// The number of bytes that may still be unpacked.
  private let remainingMemory: Int

  /// Whether bytes begin like a ZIP archive.
  static func recognizes(_ bytes: RawSpan) -> Bool { ZipDirectory.isMagic(bytes) }

  /// Reads everything but the weights.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the archive is damaged, or a member is
  ///   missing, occurs twice or has a path outside of the archive;
  ///   ``WeighbridgeError/Code/unsupported`` for members that Keras does not write;
  ///   ``WeighbridgeError/Code/limitExceeded``.
  init(_ store: ByteStore, path: String, limits: Limits = Limits()) throws(WeighbridgeError) {
    let directory = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try ZipDirectory(bytes, memberLimit: limits.memberCount)
    }
    try Self.check(directory)
    members = Dictionary(
      directory.members.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.store = store
    self.path = path
    var memory = limits.memory
    config = try Self.json(Self.configName, in: members, store, &memory)
    let metadata = try Self.json(Self.metadataName, in: members, store, &memory)
    version = try locating({ $0.at(.path(Self.metadataName)) }) { () throws(WeighbridgeError) in
      let reader = JSONReader(metadata, place: "")
      return try KerasVersion(checking: try reader.member("keras_version").string())
    }
    try KerasGeneration.check(version)
    let object =
      members[Self.customMetadataName] == nil
      ? .object([:]) : try Self.json(Self.customMetadataName, in: members, store, &memory)
    customMetadata = try locating({ $0.at(.path(Self.customMetadataName)) }) {
      () throws(WeighbridgeError) in
      try KerasCustomMetadata.read(object)
    }
    var vocabularies: [String: [String]] = [:]
    for name in directory.members.map(\.name) where Self.isVocabulary(name) {
      let (contents, range) = try Self.contents(name, in: members, store, &memory)
      let bytes = contents.withBytes { $0.copied(range) }
      let group = String(name.dropFirst("assets".count).dropLast("/vocabulary.txt".count))
      vocabularies[group] = String(decoding: bytes, as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    self.vocabularies = vocabularies
    remainingMemory = memory
  }

  /// The file of the vocabulary of the layer with a group.
  static func vocabularyName(of group: String) -> String { "assets\(group)/vocabulary.txt" }

  private static func isVocabulary(_ name: String) -> Bool {
    name.hasPrefix("assets/") && name.hasSuffix("/vocabulary.txt")
  }

  /// The weights, which stay in the mapped archive when they are stored without compression.
  func weightsFile(_ limits: HDF5File.Limits) throws(WeighbridgeError) -> HDF5File {
    var memory = remainingMemory
    let (contents, range) = try Self.contents(Self.weightsName, in: members, store, &memory)
    return try HDF5File(
      contents, byteRange: range, path: "\(path)/\(Self.weightsName)", limits: limits)
  }

  /// Reads the model.
  func model() throws(WeighbridgeError) -> KerasModelRecord {
    try locating({ $0.at(.path(Self.configName)) }) { () throws(WeighbridgeError) in
      try KerasModelRecord(parsing: config)
    }
  }

  /// Rejects members that Keras does not write, so that nothing in an archive goes unnoticed.
  private static func check(_ directory: ZipDirectory) throws(WeighbridgeError) {
    let names = directory.members.map(\.name)
    guard names.contains(configName) else {
      throw .malformed("is a ZIP archive without \(configName), so not a .keras file")
    }
    for member in directory.members
    where ![configName, metadataName, weightsName, customMetadataName].contains(member.name) {
      let parts = member.name.split(separator: "/", omittingEmptySubsequences: false)
      if member.name.hasPrefix("/") || parts.contains("..") || member.name.contains("\\") {
        throw .malformed("has a member \"\(member.name)\", whose name leads out of the archive")
      }
      guard member.byteCount > 0 || !member.name.hasSuffix("/") else { continue }  // a folder
      if isVocabulary(member.name) { continue }
      throw .unsupported(
        parts.first == "assets"
          ? "has files of layers (\(member.name)) other than vocabularies and cannot be read yet"
          : "has a member \"\(member.name)\", which no known version of Keras writes")
    }
  }

  private static func contents(
    _ name: String, in members: [String: ZipDirectory.Member], _ store: ByteStore,
    _ memory: inout Int
  ) throws(WeighbridgeError) -> (ByteStore, Range<Int>) {
    guard let member = members[name] else {
      throw .malformed("is a .keras archive without \(name)")
    }
    do throws(WeighbridgeError) {
      return try ZipReader.contents(of: member, in: store, memory: &memory)
    } catch {
      throw WeighbridgeError(error.code, error.reason).at(.path(name))
    }
  }

  private static func json(
    _ name: String, in members: [String: ZipDirectory.Member], _ store: ByteStore,
    _ memory: inout Int
  ) throws(WeighbridgeError) -> JSONValue {
    let (contents, range) = try contents(name, in: members, store, &memory)
    do throws(WeighbridgeError) {
      return try JSONValue(parsing: contents.withBytes { $0.copied(range) })
    } catch {
      // The byte offset is relative to the member.
      guard case .byte(let offset) = error.place.position else { throw error.at(.path(name)) }
      throw WeighbridgeError(error.code, "\(name), byte \(offset): \(error.reason)")
    }
  }
}
