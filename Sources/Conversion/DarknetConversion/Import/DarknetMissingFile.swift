package import Bytes
package import ConversionCore
import DarknetFormat

/// The errors for a darknet model of which one of the two files is missing.
package struct DarknetMissingFile {
  private let options: ReadOptions
  private let filePairs: DarknetFilePairs

  package init(_ options: ReadOptions) {
    self.options = options
    filePairs = DarknetFilePairs(options: options)
  }

  /// The error for a weights file without its `.cfg`.
  package func configuration(of path: String, _ store: ByteStore) -> WeighbridgeError {
    let given = [options.architecture, options.weights].compactMap(\.self)
    let configuration = given.first { (try? filePairs.parameterCount(of: $0)) != nil }
    let found = filePairs.configurations(nextTo: path, for: store)
    let command = DarknetFilePairs.command(
      configuration ?? found.first?.path ?? "NETWORK.cfg", path)
    let suggestion =
      configuration != nil
      ? "use \(command)"
      : Self.suggestion(found, command) ?? "none is beside it; use \(command) with yours"
    let verb = FilePath(path).isNamedLikeDarknetWeights ? "is" : "looks like"
    return .missing(
      "\(verb) a darknet .weights file, which holds numbers only: the .cfg file of the network is "
        + "needed and comes first; \(suggestion)"
    ).at(file: path)
  }

  /// The error for a `.cfg` whose weights are not where they are expected.
  ///
  /// - Throws: What is wrong with the `.cfg` itself.
  func weights(
    of path: String, _ configuration: DarknetConfiguration, expected: String
  ) throws(WeighbridgeError) -> WeighbridgeError {
    let parameterCount = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try DarknetParameterCount(configuration, options)
    }
    let found = filePairs.weights(nextTo: path, for: parameterCount)
    let command = found.first.map { DarknetFilePairs.command(path, $0.path) }
    let suggestion =
      command.flatMap { Self.suggestion(found, $0) }
      ?? "name them with \(APIName.weights), or make some up with \(APIName.randomWeights) SEED"
    return .missing(
      "its weights are expected in \(expected), which cannot be opened; \(suggestion)"
    ).at(file: path)
  }

  /// A phrase about the files that were found in the same folder, with the command that uses the
  /// first one; `nil` if none was found.
  private static func suggestion(
    _ found: [DarknetFilePairs.Sibling], _ command: String
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
