import Bytes
import HDF5File

/// Reads the weights below one group of a Keras file, and rejects unlisted ones.
struct KerasWeightReader {
  let file: HDF5File
  let root: String

  /// The group of the weights that belong to the model itself (Keras 2.6 and later).
  static let topLevel = "top_level_model_weights"

  /// The names of the layers, in the model's order.
  func layerNames() throws(WeighbridgeError) -> [String] {
    guard let names = try names("layer_names", of: root) else {
      throw .malformed("has no layer_names attribute").at(.path(root)).at(file: file.path)
    }
    try checkUnique(names, "layer_names", at: root)
    return names
  }

  /// The weights of each layer, then those of the model itself, if there are any.
  func groups(_ layerNames: [String]) throws(WeighbridgeError) -> [KerasWeightGroup] {
    var groups = try layerNames.map { (name) throws(WeighbridgeError) in try group(name) }
    if !layerNames.contains(Self.topLevel), try file.exists(path(Self.topLevel)) {
      let group = try group(Self.topLevel)
      if !group.weights.isEmpty { groups.append(group) }
    }
    try checkAllListed(groups)
    return groups
  }

  private func path(_ name: String) -> String { HDF5File.path(name, in: root) }

  private func group(_ layer: String) throws(WeighbridgeError) -> KerasWeightGroup {
    let path = path(layer)
    let names = try names("weight_names", of: path)
    // Keras writes the attribute for every layer, empty or not.
    guard let names else {
      throw .malformed("has no weight_names attribute").at(.path(path)).at(file: file.path)
    }
    try checkUnique(names, "weight_names", at: path)
    let weights = try names.map { (name) throws(WeighbridgeError) in
      KerasWeight(
        name: name, dataset: try file.dataset(at: HDF5File.path(name, in: path)),
        localName: Self.localName(name, of: layer))
    }
    return KerasWeightGroup(layerName: layer, weights: weights)
  }

  /// A weight's name without the prefix of its layer and without TensorFlow's `:0`.
  static func localName(_ name: String, of layer: String) -> String {
    let path = HDF5File.path(name).utf8.dropFirst().prefix { $0 != UInt8(ascii: ":") }
    let rest = path.dropFirst(layer.utf8.count)
    let isPrefixed = rest.first == UInt8(ascii: "/") && path.starts(with: layer.utf8)
    return String(Substring(isPrefixed ? rest.dropFirst() : path))
  }

  /// A list of names: one attribute, or `name0`, `name1`, ... when it is too long for one.
  private func names(_ name: String, of path: String) throws(WeighbridgeError) -> [String]? {
    if let names = try strings(name, of: path) { return names }
    var names: [String]?
    var part = 0
    while let more = try strings("\(name)\(part)", of: path) {
      names = (names ?? []) + more
      part += 1
    }
    return names
  }

  private func strings(_ name: String, of path: String) throws(WeighbridgeError) -> [String]? {
    guard let attribute = try file.attribute(name, of: path) else { return nil }
    guard let strings = attribute.strings else {
      throw .malformed("attribute \"\(name)\" is not a list of strings")
        .at(.path(path)).at(file: file.path)
    }
    return strings
  }

  private func checkUnique(
    _ names: [String], _ attribute: String, at path: String
  ) throws(WeighbridgeError) {
    var seen: Set<String> = []
    let duplicate = names.first { !seen.insert(HDF5File.path($0, in: path)).inserted }
    guard let duplicate else { return }
    throw .malformed("attribute \"\(attribute)\" lists \"\(duplicate)\" twice")
      .at(.path(path)).at(file: file.path)
  }

  /// Rejects arrays that no `weight_names` lists, which would be lost silently.
  private func checkAllListed(_ groups: [KerasWeightGroup]) throws(WeighbridgeError) {
    let listed = Set(groups.flatMap(\.weights).map(\.path))
    let unlisted = try file.members(below: root, except: listed).filter { $0.kind != .group }
    guard let first = unlisted.first else { return }
    let others = unlisted.count == 1 ? "" : ", nor \((unlisted.count - 1).counted("other"))"
    throw .malformed(
      "is a \(first.kind.rawValue) that no weight_names or layer_names attribute lists\(others)"
    ).at(.path(first.path)).at(file: file.path)
  }
}
