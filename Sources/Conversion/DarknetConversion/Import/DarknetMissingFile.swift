package import Bytes
package import ConversionCore
import DarknetFormat

/// The errors for one of the two files of a darknet model given alone.
package struct DarknetMissingFile {
  private let options: ReadOptions
  private let neighbors: DarknetFilePairs

  package init(_ options: ReadOptions) {
    self.options = options
    neighbors = DarknetFilePairs(options: options)
  }

  /// The error for a weights file alone: its `.cfg` is needed.
  package func configuration(of path: String, _ store: ByteStore) -> WeighbridgeError {
    let given = [options.architecture, options.weights].compactMap(\.self)
    let own = given.first { (try? neighbors.demand(of: $0)) != nil }
    let found = neighbors.configurations(beside: path, for: store)
    let command = DarknetFilePairs.command(own ?? found.first?.path ?? "NETWORK.cfg", path)
    let offer =
      own != nil
      ? "use \(command)"
      : Self.offer(found, command) ?? "none is beside it; use \(command) with yours"
    let verb = FilePath(path).isNamedAsWeights ? "is" : "looks like"
    return .missing(
      "\(verb) a darknet .weights file, which holds numbers only: the .cfg file of the network is "
        + "needed and comes first; \(offer)"
    ).at(file: path)
  }

  /// The error for a `.cfg` alone: its weights are not where they are expected.
  ///
  /// - Throws: What is wrong with the `.cfg` itself.
  func weights(
    of path: String, _ configuration: DarknetConfiguration, expected: String
  ) throws(WeighbridgeError) -> WeighbridgeError {
    let demand = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try DarknetParameterCount(configuration, options)
    }
    let found = neighbors.weights(beside: path, for: demand)
    let command = found.first.map { DarknetFilePairs.command(path, $0.path) }
    let offer =
      command.flatMap { Self.offer(found, $0) }
      ?? "name them with \(APIName.weights), or make some up with \(APIName.randomSeed) SEED"
    return .missing(
      "its weights are expected in \(expected), which cannot be opened; \(offer)"
    ).at(file: path)
  }

  /// The candidates next to the file, and the command that uses the first one.
  private static func offer(
    _ found: [DarknetFilePairs.Neighbor], _ command: String
  ) -> String? {
    guard let first = found.first?.name else { return nil }
    let fitting = found.filter(\.fits).map(\.name)
    switch (fitting.count, found.count) {
    case (1, 1): return "\(first) beside it fits: use \(command)"
    case (1, _): return "of the \(found.count) beside it only \(first) fits: use \(command)"
    case (2..., _):
      return "\(String.listing(fitting)) beside it fit, so choose one: use for example \(command)"
    case (_, 1): return "\(first) beside it does not fit; to see why, use \(command)"
    default:
      return "\(String.listing(found.map(\.name))) beside it do not fit; to see why, use for "
        + "example \(command)"
    }
  }
}
