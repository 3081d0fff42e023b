import Bytes
import JSON
import TensorFlowFormat

/// Finds the weights of a model's layers among the objects of a checkpoint: `layer-0`, `layer-1` and
/// so on are the layers of a model in order, and what a layer refers to has the name of its attribute.
struct KerasCheckpointReader {
  /// A variable, and whether it is trainable unless it is frozen.
  private typealias Variable = (object: Int, isTrainable: Bool)

  let graph: ObjectGraph
  let bundle: TensorBundle
  private let parts: [String: KerasLayerParts]
  let tables: SavedTables?
  /// The objects whose variables are those of layers.
  private var used: Set<Int> = []

  /// Attributes with state for training, random generators, and other names of the variables.
  static let otherNames = KerasObjectTree.trainingGroups.union([
    "keras_api", "variables", "trainable_variables", "regularization_losses", "signatures",
    "save_counter", "_generator",
  ])

  /// - Parameters:
  ///   - parts: The parts of known classes.
  ///   - tables: The lookup tables of a SavedModel.
  init(
    _ graph: ObjectGraph, _ bundle: TensorBundle, _ parts: [String: KerasLayerParts],
    _ tables: SavedTables?
  ) {
    (self.graph, self.bundle, self.parts, self.tables) = (graph, bundle, parts, tables)
  }

  /// The weights of a model's layers; those of a nested model are listed individually with their
  /// paths, `outer/inner/layer`.
  mutating func groups(
    of model: KerasModelRecord
  ) throws(WeighbridgeError) -> [KerasWeightGroup] {
    var groups: [KerasWeightGroup] = []
    let root = try rootModel()
    try addGroups(of: model, at: root, path: "", to: &groups)
    let others = unusedVariables(below: root)
    if !others.isEmpty {
      let weights = try others.map { (object) throws(WeighbridgeError) in
        try weight(object, of: "")
      }
      groups.append(KerasWeightGroup(layerName: KerasWeightReader.topLevel, weights: weights))
    }
    return groups
  }

  /// The object of the model: the root, or an attribute of it in a checkpoint of several objects.
  private func rootModel() throws(WeighbridgeError) -> Int {
    let candidates = [0] + graph.objects[0].names.compactMap { graph.objects[0].children[$0] }
    let models = Set(candidates.filter { graph.objects[$0].children["layer-0"] != nil })
    if models.contains(0) { return 0 }
    guard models.count == 1, let model = models.first else {
      throw .unsupported(
        "has no list of layers, as a model has that is Sequential or made of layers and their calls; it has: "
          + graph.objects[0].names.prefix(12).joined(separator: ", "))
    }
    return model
  }

  private mutating func addGroups(
    of model: KerasModelRecord, at object: Int, path: String, to groups: inout [KerasWeightGroup]
  ) throws(WeighbridgeError) {
    for (layer, object) in try layers(model.layers, of: object, isSequential: model.isSequential) {
      if let (record, object) = try wrappedModel(layer, at: object) {
        let inner = try KerasModelRecord(nestedIn: record)
        try addGroups(of: inner, at: object, path: "\(path)\(layer.name)/", to: &groups)
        continue
      }
      let weights = try variables(of: layer, at: object).map { (object) throws(WeighbridgeError) in
        try weight(object, of: layer.name)
      }
      groups.append(
        KerasWeightGroup(
          layerName: path + layer.name, weights: weights,
          vocabulary: try vocabulary(of: layer, at: object)))
    }
  }

  /// The object of each layer of a model.
  private func layers(
    _ records: [KerasLayerRecord], of model: Int, isSequential: Bool
  ) throws(WeighbridgeError) -> [(KerasLayerRecord, Int)] {
    var objects: [Int] = []
    while let next = graph.objects[model].children["layer-\(objects.count)"] {
      objects.append(next)
    }
    // TensorFlow 2.0 counts the layer of the input of a Sequential, which the architecture does not list.
    if isSequential, objects.count == records.count + 1, let first = records.first,
      first.config["batch_input_shape"] != nil, unusedVariables(below: objects[0]).isEmpty
    {
      objects.removeFirst()
    }
    // Later versions do not count it, and list it.
    let hasInput = isSequential && records.first?.className == "InputLayer"
    let counted =
      hasInput && objects.count != records.count ? Array(records.dropFirst()) : records
    guard objects.count == counted.count else {
      throw .mismatch(
        "is of a model with \(objects.count) layers, and the architecture has \(counted.count)")
    }
    return Array(zip(counted, objects))
  }

  /// The model that a layer is or wraps, directly or through further wrappers, and its object; `nil`
  /// for every other layer.
  private func wrappedModel(
    _ layer: KerasLayerRecord, at object: Int
  ) throws(WeighbridgeError) -> (KerasLayerRecord, Int)? {
    var (layer, object) = (layer, object)
    while !layer.isModel {
      guard layer.registeredName == nil, let parts = parts[layer.className], parts.alias == nil,
        parts.objects.count == 1, let part = parts.objects.first, let key = part.settings.first,
        let inner = try layer.inner(key), let child = child(part.names, of: object)
      else { return nil }
      (layer, object) = (inner, child)
    }
    return (layer, object)
  }

  func child(_ names: [String], of object: Int) -> Int? {
    names.lazy.compactMap { graph.objects[object].children[$0] }.first
  }

  /// The variables of a layer. A SavedModel lists them; in a checkpoint they are found by their names,
  /// in the order in which Keras creates them.
  private mutating func variables(
    of layer: KerasLayerRecord, at object: Int
  ) throws(WeighbridgeError) -> [Int] {
    var variables: [Int]
    if let list = graph.objects[object].children["variables"] {
      variables = graph.elements(ofList: list)
    } else {
      let known = try self.variables(of: layer, at: object, depth: 0)
      variables = (known.filter(\.isTrainable) + known.filter { !$0.isTrainable }).map(\.object)
    }
    used.formUnion(variables)
    // Only the names show which layers a custom layer contains, and where.
    variables += unusedVariables(below: object)
    used.formUnion(variables)
    return variables
  }

  /// The variables of an object and of the objects in it, in the order in which Keras visits them.
  private func variables(
    of record: KerasLayerRecord, at object: Int, depth: Int
  ) throws(WeighbridgeError) -> [Variable] {
    guard depth < 64 else { throw .limitExceeded("has layers in layers more than 64 deep") }
    let own = ownVariables(of: object)
    let parts = try KerasObjectParts(of: record, ownCount: own.count, parts)
    var variables: [Variable] = own.enumerated().map { ($1, $0 < parts.trainableCount) }
    var objects = parts.objects.compactMap { names, part in
      child(names, of: object).map { (part, $0) }
    }
    if record.isModel {
      let isSequential = record.config["input_layers"] == nil
      objects = try layers(parts.list, of: object, isSequential: isSequential)
    } else if !parts.list.isEmpty, let list = graph.objects[object].children["cells"] {
      objects += zip(parts.list, graph.elements(ofList: list))
    }
    for (part, object) in objects {
      for variable in try self.variables(of: part, at: object, depth: depth + 1) {
        // One with two names is listed first, and trainable if it is under the second.
        if let index = variables.firstIndex(where: { $0.object == variable.object }) {
          variables[index].isTrainable = variable.isTrainable
        } else {
          variables.append(variable)
        }
      }
    }
    return variables
  }

  /// The variables that are attributes of an object, each once.
  private func ownVariables(of object: Int) -> [Int] {
    var variables: [Int] = []
    for name in graph.objects[object].names where !Self.otherNames.contains(name) {
      guard let child = graph.objects[object].children[name], isVariable(child),
        !variables.contains(child)
      else { continue }
      variables.append(child)
    }
    return variables
  }

  private func isVariable(_ object: Int) -> Bool {
    graph.objects[object].tensors[Self.value] != nil
  }

  /// What the tensor of a variable is called.
  private static let value = "VARIABLE_VALUE"

  /// The variables below an object that no layer has, in the order of their names.
  private func unusedVariables(below object: Int) -> [Int] {
    var (visited, stack, variables): (Set<Int>, [Int], [Int]) = ([object], [object], [])
    while let next = stack.popLast() {
      if isVariable(next), !used.contains(next) { variables.append(next) }
      for name in graph.objects[next].names.reversed() where !Self.otherNames.contains(name) {
        guard let child = graph.objects[next].children[name], visited.insert(child).inserted else {
          continue
        }
        stack.append(child)
      }
    }
    return variables
  }

  private func weight(_ object: Int, of layer: String) throws(WeighbridgeError) -> KerasWeight {
    guard let key = graph.objects[object].tensors[Self.value] else {
      throw .malformed("lists a variable of \(layer) that has no value")
    }
    guard let tensor = bundle.tensors[key] else {
      throw .malformed("does not have the tensor \(key), which its object graph names")
    }
    guard let type = tensor.type.elementType else {
      throw .unsupported(
        "has the variable \(key) of type \(tensor.type.name), and only numbers can be read")
    }
    let name = graph.objects[object].variableName
    return KerasWeight(
      name: name.isEmpty ? key : name,
      localName: KerasWeightReader.localName(name.isEmpty ? key : name, of: layer), path: key,
      elementType: type, shape: tensor.shape)
  }
}
