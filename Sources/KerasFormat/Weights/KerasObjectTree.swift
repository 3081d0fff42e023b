import Bytes
import HDF5File

/// What is in the weights' file of the newer layout, by path, and what of it was used.
struct KerasObjectTree {
  /// Groups of the state of training and of random layers, which a model that runs does not use.
  private static let training: Set<String> = [
    "optimizer", "metrics", "_metrics", "loss_tracker", "_loss_tracker", "_compile_metrics",
    "_compile_loss", "seed_generator", "_random_generator",
  ]

  let file: HDF5File
  private let kinds: [String: HDF5Member.Kind]
  private var used: Set<String> = []

  init(_ file: HDF5File) throws(WeighbridgeError) {
    self.file = file
    kinds = Dictionary(
      try file.members(below: "/").map { ($0.path, $0.kind) },
      uniquingKeysWith: { first, _ in first })
  }

  func hasGroup(_ path: String) -> Bool { kinds[path] == .group }

  /// The object's own variables: `vars/0`, `vars/1`, ... as far as they go, or `vars/idf_weights`,
  /// the one variable that Keras writes under its name.
  mutating func variables(at path: String) throws(WeighbridgeError) -> [KerasWeight] {
    var variables: [KerasWeight] = []
    while let variable = try variable(at: "\(path)/vars/\(variables.count)") {
      variables.append(variable)
    }
    if let named = try variable(at: "\(path)/vars/idf_weights") { variables.append(named) }
    return variables
  }

  private mutating func variable(at path: String) throws(WeighbridgeError) -> KerasWeight? {
    guard kinds[path] == .dataset else { return nil }
    let dataset = try file.dataset(at: path)
    used.insert(dataset.path)
    return KerasWeight(name: String(dataset.path.dropFirst()), dataset: dataset)
  }

  /// Refuses what nobody used: it would be lost without a word.
  func checkAllUsed() throws(WeighbridgeError) {
    let unused = kinds.filter { path, kind in
      kind != .group && !used.contains(path)
        && !path.split(separator: "/").contains { Self.training.contains(String($0)) }
    }
    guard let first = unused.min(by: { $0.key < $1.key }) else { return }
    let others = unused.count == 1 ? "" : "; so are \(unused.count - 1) others"
    throw WeighbridgeError(
      .malformed, "is a \(first.value.rawValue) of no layer of the architecture\(others)"
    ).at(.path(first.key)).at(file: file.path)
  }
}
