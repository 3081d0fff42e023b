import Bytes
import ConversionCore
import DarknetFormat

/// The `.cfg` and `.weights` files of a folder that may belong together, and how to read them.
struct DarknetFilePairs {
  /// A file, and whether it fits the one for which it was found.
  struct Neighbor {
    let path: String
    let fits: Bool
    /// How well its name matches; higher is better.
    let rank: Int

    var name: String { FilePath(path).name }
  }

  /// The largest number of files of a folder that are opened.
  private static let limit = 200
  /// The limits above which a `.cfg` is skipped, several times those of any network, since the user
  /// did not name it.
  private static let (byteLimit, sectionLimit) = (1 << 20, 2_000)

  let options: ReadOptions

  /// The `.cfg` files next to a file, those that fit it first.
  func configurations(beside path: String, for store: ByteStore) -> [Neighbor] {
    sorted(
      files(beside: path, [".cfg"]).compactMap { file in
        guard let demand = try? demand(of: file) else { return nil }
        return Neighbor(path: file, fits: demand.fits(store), rank: rank(path, of: file))
      })
  }

  /// The `.weights` files next to a `.cfg`, those that fit it first.
  func weights(beside path: String, for demand: DarknetParameterCount) -> [Neighbor] {
    sorted(
      files(beside: path, [".weights", ".backup"]).compactMap { file in
        guard let mapped = try? MappedFile(path: file) else { return nil }
        let fits = demand.fits(ByteStore(mapped))
        return Neighbor(path: file, fits: fits, rank: rank(file, of: path))
      })
  }

  /// The number of parameters of a `.cfg`'s network; `nil` when the file is not a network's `.cfg`.
  ///
  /// - Throws: What ``DarknetConfiguration`` and ``DarknetImporter`` throw.
  func demand(of path: String) throws(WeighbridgeError) -> DarknetParameterCount? {
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

  /// Finds a file that fits one of two mismatched files, and says how to read them.
  func fitting(
    _ path: String, _ configuration: DarknetConfiguration, _ weightsPath: String,
    _ store: ByteStore
  ) -> String? {
    if let found = configurations(beside: weightsPath, for: store).first(where: \.fits) {
      return "\(found.name) beside it fits: use \(Self.command(found.path, weightsPath))"
    }
    guard let demand = try? DarknetParameterCount(configuration, options),
      let found = weights(beside: path, for: demand).first(where: \.fits)
    else { return nil }
    return "\(found.name) fits the .cfg: use \(Self.command(path, found.path))"
  }

  /// The command that reads a `.cfg` with a weights file.
  static func command(_ configuration: String, _ weights: String) -> String {
    let isDefault = FilePath(configuration).replacingExtension("weights") == weights
    return "\(APIName.readModel) \(configuration.shellWord)"
      + (isDefault ? "" : " \(APIName.weights) \(weights.shellWord)")
  }

  private func files(beside path: String, _ extensions: [String]) -> [String] {
    let own = FilePath(path)
    return FolderListing.names(in: own.folder).filter { name in
      name != own.name && extensions.contains { name.lowercased().hasSuffix($0) }
    }.prefix(Self.limit).map(own.beside)
  }

  private func sorted(_ neighbors: [Neighbor]) -> [Neighbor] {
    neighbors.enumerated().sorted { first, second in
      let (one, other) = (first.element, second.element)
      if one.fits != other.fits { return one.fits }
      return one.rank == other.rank ? first.offset < second.offset : one.rank > other.rank
    }.map(\.element)
  }

  /// How well the name of a weights file matches that of a `.cfg`: darknet writes `NAME_best`,
  /// `NAME_final`, `NAME_last` and `NAME_1000` for `NAME.cfg`.
  private func rank(_ weights: String, of configuration: String) -> Int {
    let (stem, base) = (FilePath(configuration).base, FilePath(weights).base)
    guard base.hasPrefix(stem) else { return 0 }
    switch base.dropFirst(stem.count) {
    case "": return 6
    case "_best": return 5
    case "_final": return 4
    case "_last": return 3
    case let rest: return rest.first == "_" ? 2 : 1
    }
  }
}
