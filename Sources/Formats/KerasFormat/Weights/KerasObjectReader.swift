import Bytes
import HDF5File
import JSON

/// Reads weights in the layout of `.weights.h5` (Keras 2.12 and later): a group for each object,
/// named after its class and position in the model: `layers/conv2d_1/vars/0`.
///
/// The weights of each layer are in the order of an `.h5` file in which nothing is frozen: trainable
/// ones first, then the others.
struct KerasObjectReader {
  /// A variable, and whether it is trainable unless it is frozen.
  private typealias Variable = (weight: KerasWeight, isTrainable: Bool)

  private var tree: KerasObjectTree
  private let parts: [String: KerasLayerParts]
  /// The vocabularies by the groups of their layers.
  private let vocabularies: [String: [String]]

  /// - Parameters:
  ///   - parts: The parts of known classes.
  ///   - vocabularies: The lines of vocabularies by the groups of their layers, `/layers/lookup`.
  init(
    _ file: HDF5File, _ parts: [String: KerasLayerParts], vocabularies: [String: [String]] = [:]
  ) throws(WeighbridgeError) {
    tree = try KerasObjectTree(file)
    self.parts = parts
    self.vocabularies = vocabularies
  }

  /// The weights of a model's layers; those of a nested model are listed individually with their
  /// paths, `outer/inner/layer`.
  mutating func groups(
    of model: KerasModelRecord
  ) throws(WeighbridgeError) -> [KerasWeightGroup] {
    var groups: [KerasWeightGroup] = []
    try addGroups(of: model, at: "", path: "", to: &groups)
    let ownVariables = try tree.variables(at: "")
    if !ownVariables.isEmpty {
      groups.append(KerasWeightGroup(layerName: KerasWeightReader.topLevel, weights: ownVariables))
    }
    try tree.checkAllUsed()
    return groups
  }

  private mutating func addGroups(
    of model: KerasModelRecord, at group: String, path: String,
    to groups: inout [KerasWeightGroup]
  ) throws(WeighbridgeError) {
    for (layer, group) in objects(model.layers, in: container(of: group)) {
      if let (record, group) = try wrappedModel(layer, at: group) {
        let inner = try KerasModelRecord(nestedIn: record)
        try addGroups(of: inner, at: group, path: "\(path)\(layer.name)/", to: &groups)
      } else {
        let variables = try variables(of: layer, at: group)
        var weights = (variables.filter(\.isTrainable) + variables.filter { !$0.isTrainable })
          .map(\.weight)
        // Only the paths show which layers a custom layer contains, and where.
        if layer.registeredName != nil { weights += try tree.unusedVariables(below: group) }
        groups.append(
          KerasWeightGroup(
            layerName: path + layer.name, weights: weights, vocabulary: vocabularies[group]))
      }
    }
  }

  /// The model that a layer is or wraps, directly or through further wrappers, and its group; `nil`
  /// for every other layer.
  private func wrappedModel(
    _ layer: KerasLayerRecord, at group: String
  ) throws(WeighbridgeError) -> (KerasLayerRecord, String)? {
    var (layer, group) = (layer, group)
    while !layer.isModel {
      guard layer.registeredName == nil, let parts = parts[layer.className], parts.alias == nil,
        parts.objects.count == 1, let object = parts.objects.first,
        let key = object.settings.first, let inner = try layer.inner(key)
      else { return nil }
      let name = object.names.first { tree.hasGroup("\(group)/\($0)") } ?? object.names[0]
      (layer, group) = (inner, "\(group)/\(name)")
    }
    return (layer, group)
  }

  /// The group of a model's layers. Keras 2.12 to 2.14 use the older name.
  private func container(of group: String) -> String {
    let older = "\(group)/\(KerasObjectTree.olderLayers)"
    return tree.hasGroup(older) ? older : "\(group)/\(KerasObjectTree.layers)"
  }

  /// The group of each object of a list.
  private func objects(
    _ records: [KerasLayerRecord], in container: String
  ) -> [(KerasLayerRecord, String)] {
    let hasGaps = container.hasSuffix(KerasObjectTree.olderLayers)
    var names = KerasObjectNames()
    return records.map { record in
      let className = Self.implementationName(record)
      let name = names.next(className) { !hasGaps || tree.hasGroup("\(container)/\($0)") }
      return (record, "\(container)/\(name)")
    }
  }

  /// The name of a class in Keras' source code, which may differ from the one in a file.
  private static func implementationName(_ record: KerasLayerRecord) -> String {
    switch record.className {
    case "Model" where record.isModel: "Functional"
    case "GroupQueryAttention": "GroupedQueryAttention"
    default: record.className
    }
  }

  /// The variables of an object and of the objects in it, in the order in which Keras visits them.
  private mutating func variables(
    of record: KerasLayerRecord, at group: String
  ) throws(WeighbridgeError) -> [Variable] {
    let ownVariables = try tree.variables(at: group)
    let parts = try KerasObjectParts(of: record, ownCount: ownVariables.count, parts)
    let alias = parts.alias.map { "\(group)/\($0)" }
    if let alias { try checkEqual(ownVariables[0], alias) }
    var variables: [Variable] = ownVariables.enumerated().map { index, weight in
      (weight, index < parts.trainableCount)
    }
    for (name, part) in parts.objects {
      let inner = name.first { tree.hasGroup("\(group)/\($0)") } ?? name[0]
      variables += try self.variables(of: part, at: "\(group)/\(inner)")
    }
    if !parts.list.isEmpty {
      let layers = record.isModel ? container(of: group) : "\(group)/cells"
      for (part, group) in objects(parts.list, in: layers) {
        variables += try self.variables(of: part, at: group)
      }
    }
    // A variable with two names is listed once, first, and is trainable if its alias is.
    if let index = variables.firstIndex(where: { "/\($0.weight.name)" == alias }) {
      variables[0].isTrainable = variables.remove(at: index).isTrainable
    }
    return variables
  }

  /// Checks that a variable written twice is the same both times.
  private func checkEqual(_ weight: KerasWeight, _ path: String) throws(WeighbridgeError) {
    let other = try tree.dataset(at: path)
    guard other.shape == weight.shape, other.elementType == weight.elementType,
      try tree.file.contents(of: other)
        == tree.file.contents(of: tree.file.dataset(at: weight.path))
    else {
      throw .malformed("is a second copy of the weight \(path), but differs from it")
        .at(.path(weight.path)).at(file: tree.file.path)
    }
  }
}
