import Bytes
import ConversionCore
import DarknetFormat

/// Finds `.cfg` and `.weights` files of a folder that may belong together, and says how to read
/// them.
struct DarknetFilePairs {
  /// A file in the same folder as another one, and whether it fits that one.
  struct Sibling {
    let path: String
    let fits: Bool
    /// How well its name matches; higher is better.
    let rank: Int

    var name: String { FilePath(path).name }
  }

  /// The maximum number of files in a folder that are opened.
  private static let fileLimit = 200
  /// The limits above which a `.cfg` that the user did not name is skipped, several times those of
  /// any network.
  private static let (byteLimit, sectionLimit) = (1 << 20, 2_000)

  let options: ReadOptions

  /// The `.cfg` files in the folder of a weights file, with those that fit it first.
  func configurations(nextTo path: String, for store: ByteStore) -> [Sibling] {
    sorted(
      files(nextTo: path, [".cfg"]).compactMap { file in
        guard let parameterCount = try? parameterCount(of: file) else { return nil }
        return Sibling(path: file, fits: parameterCount.fits(store), rank: rank(path, of: file))
      })
  }

  /// The `.weights` files in the folder of a `.cfg`, with those that fit it first.
  func weights(nextTo path: String, for parameterCount: DarknetParameterCount) -> [Sibling] {
    sorted(
      files(nextTo: path, [".weights", ".backup"]).compactMap { file in
        guard let mapped = try? MappedFile(path: file) else { return nil }
        let fits = parameterCount.fits(ByteStore(mapped))
        return Sibling(path: file, fits: fits, rank: rank(file, of: path))
      })
  }

  /// The number of parameters of a `.cfg`'s network; `nil` when the file is not a network's `.cfg`.
  ///
  /// - Throws: What ``DarknetConfiguration`` and ``DarknetImporter`` throw.
  func parameterCount(of path: String) throws(WeighbridgeError) -> DarknetParameterCount? {
    let store = ByteStore(try MappedFile(path: path))
    guard store.count <= Self.byteLimit,
      store.withBytes({ DarknetConfiguration.recognizes($0) })
    else { return nil }
    let configuration = try DarknetConfiguration(store)
    guard ["net", "network"].contains(configuration.sections[0].name),
      configuration.sections.count <= Self.sectionLimit
    else { return nil }
    return try DarknetParameterCount(configuration, options)
  }

  /// Finds a file that fits one of two files that do not fit each other, and says how to read both.
  func fitting(
    _ path: String, _ configuration: DarknetConfiguration, _ weightsPath: String,
    _ store: ByteStore
  ) -> String? {
    if let found = configurations(nextTo: weightsPath, for: store).first(where: \.fits) {
      return "\(found.name) beside it fits: use \(Self.command(found.path, weightsPath))"
    }
    guard let parameterCount = try? DarknetParameterCount(configuration, options),
      let found = weights(nextTo: path, for: parameterCount).first(where: \.fits)
    else { return nil }
    return "\(found.name) fits the .cfg: use \(Self.command(path, found.path))"
  }

  /// The command that reads a `.cfg` with a weights file.
  static func command(_ configuration: String, _ weights: String) -> String {
    let isDefault = FilePath(configuration).replacingExtension("weights") == weights
    return "\(APIName.readModel) \(configuration.shellQuoted)"
      + (isDefault ? "" : " \(APIName.weights) \(weights.shellQuoted)")
  }

  private func files(nextTo path: String, _ extensions: [String]) -> [String] {
    let filePath = FilePath(path)
    return FolderListing.names(in: filePath.folder).filter { name in
      name != filePath.name && extensions.contains { name.lowercased().hasSuffix($0) }
    }.prefix(Self.fileLimit).map(filePath.sibling)
  }

  private func sorted(_ siblings: [Sibling]) -> [Sibling] {
    siblings.enumerated().sorted { lhs, rhs in
      let (first, second) = (lhs.element, rhs.element)
      if first.fits != second.fits { return first.fits }
      return first.rank == second.rank ? lhs.offset < rhs.offset : first.rank > second.rank
    }.map(\.element)
  }

  /// How well the name of a weights file matches that of a `.cfg`: darknet writes `NAME_best`,
  /// `NAME_final`, `NAME_last` and `NAME_1000` for `NAME.cfg`.
  private func rank(_ weights: String, of configuration: String) -> Int {
    let (networkName, weightsName) = (FilePath(configuration).stem, FilePath(weights).stem)
    guard weightsName.hasPrefix(networkName) else { return 0 }
    switch weightsName.dropFirst(networkName.count) {
    case "": return 6
    case "_best": return 5
    case "_final": return 4
    case "_last": return 3
    case let suffix: return suffix.first == "_" ? 2 : 1
    }
  }
}
