import Bytes
import HDF5File

/// The contents of a weights file in the newer layout, by path, and which of them have been used.
///
/// The paths here have `/` between all parts. Keras 2 on Windows joined them with `\`, which HDF5
/// treats as an ordinary character: its files have the group `layers\dense` where others have
/// `dense` in `layers`.
struct KerasObjectTree {
  /// The group of a model's layers.
  static let layers = "layers"
  /// The same in Keras 2.12 to 2.14.
  static let olderLayers = "_layer_checkpoint_dependencies"

  /// Groups of training state and random generators, which are not used for inference.
  static let trainingGroups: Set<String> = [
    "optimizer", "metrics", "_metrics", "loss_tracker", "_loss_tracker", "_compile_metrics",
    "_compile_loss", "seed_generator", "_random_generator",
  ]

  let file: HDF5File
  /// The members of the file by path; if several groups have the same path, any of them.
  private let members: [String: HDF5Member]
  private var used: Set<String> = []

  init(_ file: HDF5File) throws(WeighbridgeError) {
    self.file = file
    var members: [String: HDF5Member] = [:]
    for member in try file.members(below: "/") {
      let path = Self.path(member.path)
      if let other = members[path], (member.kind, other.kind) != (.group, .group) {
        throw .malformed(
          "is the same weight as \(other.path), since Keras 2 on Windows writes \"\\\" for \"/\""
        ).at(.path(member.path)).at(file: file.path)
      }
      members[path] = member
      if path != member.path { try Self.addGroups(above: path, to: &members, file) }
    }
    self.members = members
  }

  /// Adds the parent groups of a path written with `\`, which do not exist in the file.
  private static func addGroups(
    above path: String, to members: inout [String: HDF5Member], _ file: HDF5File
  ) throws(WeighbridgeError) {
    let parts = path.split(separator: "/")
    guard parts.count <= file.limits.depth else {
      throw .limitExceeded("leads through more than \(file.limits.depth) groups")
        .at(file: file.path)
    }
    var group = ""
    for part in parts.dropLast() {
      group += "/\(part)"
      if members[group] == nil { members[group] = HDF5Member(path: group, kind: .group) }
    }
  }

  /// A path in a file with `/` between all parts.
  private static func path(_ written: String) -> String {
    let backslash = UInt8(ascii: "\\")
    guard written.utf8.contains(backslash) else { return written }
    let bytes = written.utf8.map { $0 == backslash ? UInt8(ascii: "/") : $0 }
    return HDF5File.path(String(decoding: bytes, as: UTF8.self))
  }

  /// Whether a member of a file's root is the group of a model's layers, or within it.
  static func isLayers(_ name: String) -> Bool {
    let first = path("/\(name)").split(separator: "/").first
    return first == layers[...] || first == olderLayers[...]
  }

  func hasGroup(_ path: String) -> Bool { members[path]?.kind == .group }

  /// The dataset at a path.
  func dataset(at path: String) throws(WeighbridgeError) -> HDF5Dataset {
    try file.dataset(at: members[path]?.path ?? path)
  }

  /// The object's own variables: `vars/0`, `vars/1`, ... up to the first missing one, and
  /// `vars/idf_weights`, the only variable that Keras writes under a name.
  mutating func variables(at path: String) throws(WeighbridgeError) -> [KerasWeight] {
    var variables: [KerasWeight] = []
    while let variable = try variable("vars/\(variables.count)", at: path) {
      variables.append(variable)
    }
    if let named = try variable("vars/idf_weights", at: path) { variables.append(named) }
    return variables
  }

  /// The unused variables below an object, by path, with numbers in numerical order.
  mutating func unusedVariables(below path: String) throws(WeighbridgeError) -> [KerasWeight] {
    let names = members.filter {
      $0.value.kind == .dataset && isUnused($0.key) && $0.key.hasPrefix("\(path)/")
    }
    .map { String($0.key.dropFirst(path.count + 1)) }
    var weights: [KerasWeight] = []
    for name in names.sorted(by: Self.precedes) {
      if let weight = try variable(name, at: path) { weights.append(weight) }
    }
    return weights
  }

  /// Whether a path sorts before another: numbers are compared by value, other parts as strings.
  private static func precedes(_ lhs: String, _ rhs: String) -> Bool {
    for (left, right) in zip(lhs.split(separator: "/"), rhs.split(separator: "/"))
    where left != right {
      if let left = Int(left), let right = Int(right) { return left < right }
      return left < right
    }
    return lhs.count < rhs.count
  }

  private mutating func variable(
    _ name: String, at group: String
  ) throws(WeighbridgeError) -> KerasWeight? {
    let path = "\(group)/\(name)"
    guard members[path]?.kind == .dataset else { return nil }
    used.insert(path)
    return KerasWeight(
      name: String(path.dropFirst()), dataset: try dataset(at: path), localName: name)
  }

  private func isUnused(_ path: String) -> Bool {
    !used.contains(path)
      && !path.split(separator: "/").contains { Self.trainingGroups.contains(String($0)) }
  }

  /// Rejects unused members, which would be lost silently.
  func checkAllUsed() throws(WeighbridgeError) {
    let unused = members.filter { path, member in
      member.kind != .group && isUnused(path)
    }
    guard let first = unused.min(by: { $0.key < $1.key }) else { return }
    let others = unused.count == 1 ? "" : ", nor \((unused.count - 1).counted("other"))"
    throw .malformed(
      "is a \(first.value.kind.rawValue) that no layer of the architecture uses\(others)"
    ).at(.path(first.value.path)).at(file: file.path)
  }
}
