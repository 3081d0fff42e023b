import Bytes
import ConversionCore
import GraphIR
import KerasFormat

/// A search for architectures next to a file with only weights, under the names that users give
/// them.
struct ArchitectureSearch {
  /// An architecture that may belong to the weights.
  struct Candidate {
    let path: String
    let architecture: KerasArchitecture
  }

  /// The candidates, in the order of their names.
  private(set) var candidates: [Candidate] = []
  /// Files with such names that are not candidates, with the reason.
  private(set) var others: [(name: String, reason: String)] = []

  private static let fileExtensions = ["json", "yaml", "yml"]
  private static let generalNames = ["model", "architecture", "model_architecture", "config"]
  /// The largest size in bytes of a file that is opened although the user did not name it.
  private static let sizeLimit = 1 << 26
  /// The largest number of folder entries that are examined.
  private static let entryLimit = 200_000

  /// Searches next to a file.
  init(nextTo path: String, of file: any KerasModelFile) {
    let weightsPath = FilePath(path)
    let candidateNames = Self.names(for: weightsPath.name)
    let names = FolderListing.names(in: weightsPath.folder, limit: Self.entryLimit)
    for name in names where candidateNames.contains(name) {
      do {
        let architecture = try Self.read(weightsPath.sibling(name), for: file)
        candidates.append(Candidate(path: weightsPath.sibling(name), architecture: architecture))
      } catch {
        others.append((name, error.reason))
      }
    }
  }

  /// The names of files that may contain the architecture of a weights file with some name.
  static func names(for weights: String) -> Set<String> {
    var stem = weights
    for ending in [".h5", ".hdf5", ".hdf", ".keras", ".index"]
    where stem.lowercased().hasSuffix(ending) {
      stem = String(stem.dropLast(ending.count))
      break
    }
    var stems = [stem]
    for ending in [".weights", "_weights", "-weights"] where stem.lowercased().hasSuffix(ending) {
      stems.append(String(stem.dropLast(ending.count)))
    }
    let specificNames = stems.filter { !$0.isEmpty }.flatMap { stem in
      ["", "_architecture", "_arch", "-architecture", ".architecture", "_model"].map { stem + $0 }
    }
    return Set(
      (specificNames + generalNames).flatMap { name in fileExtensions.map { "\(name).\($0)" } })
  }

  /// Reads an architecture and checks that it has the layers of a file's weights.
  private static func read(
    _ path: String, for file: any KerasModelFile
  ) throws(WeighbridgeError) -> KerasArchitecture {
    guard try MappedFile(path: path).withBytes({ $0.byteCount }) <= sizeLimit else {
      throw .limitExceeded("is larger than any architecture")
    }
    let architecture = try KerasArchitecture.read(
      path: path, layerNames: file.weightGroups.map(\.layerName))
    let weightedLayers = file.weightGroups.filter { !$0.weights.isEmpty }.map(\.layerName)
    guard
      let missingLayer = weightedLayers.first(where: {
        architecture.model.layerIndices[$0] == nil
      })
    else { return architecture }
    throw .mismatch("has no layer \(missingLayer), of which the file has weights")
  }

  /// Returns the architecture, where there is one and all candidates agree.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` for none or for several.
  func result() throws(WeighbridgeError) -> Candidate {
    guard let first = candidates.first else { throw notFoundError }
    guard candidates.allSatisfy({ $0.architecture.model == first.architecture.model }) else {
      let names = candidates.map { FilePath($0.path).name }.joined(separator: ", ")
      throw .missing(
        "holds weights only, and several architectures that they may belong to are next to it: "
          + "\(names); choose one with \(APIName.architecture)")
    }
    return first
  }

  private var notFoundError: WeighbridgeError {
    var lines = [
      "holds weights only; give the architecture with \(APIName.architecture) (a to_json or to_yaml file, or "
        + "an .h5 or .keras of the same network)"
    ]
    for (name, reason) in others.prefix(8) {
      lines.append("  \(name), which is next to it, is not the architecture: \(reason)")
    }
    return .missing(lines.joined(separator: "\n"))
  }
}
