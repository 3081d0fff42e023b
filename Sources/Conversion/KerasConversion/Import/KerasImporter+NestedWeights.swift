import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The weights of a nested model are stored in one list: first the trainable ones, layer by layer,
/// then the others, layer by layer (`Model.weights` in Keras). So are those of a layer that wraps a
/// frozen one. Only a layer's mapping knows how many it has, so the model or layer is first built
/// separately with placeholders.
extension KerasImporter {
  /// The weights that one layer requested.
  struct WeightRequest {
    /// The layer's path.
    let path: String
    /// For each of its weights, whether it is trainable.
    let isTrainable: [Bool]
  }

  /// The weights that all layers requested.
  struct WeightRequests {
    /// The total number of elements in the list.
    let elementLimit: Int
    var layers: [WeightRequest] = []
  }

  /// Assigns each layer its part of the list.
  ///
  /// - Parameter isFrozen: Whether no weight of the list counts as trainable.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the list is longer or shorter than the
  ///   layers' requests.
  mutating func distribute(
    _ list: [KerasLayer.Weight], to model: KerasModelRecord, isFrozen: Bool, path: String,
    inputs: [ValueID]
  ) throws(WeighbridgeError) {
    let requests = try requests(for: list) { (importer) throws(WeighbridgeError) in
      try importer.inline(model, path: path, inputs: inputs)
    }
    // Calls are in execution order; the list is in the order of the layers.
    let byPath = Dictionary(
      requests.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    var inOrder = try Self.layerPaths(model, path: path).compactMap { byPath[$0] }
    if isFrozen {
      inOrder = inOrder.map {
        WeightRequest(path: $0.path, isTrainable: $0.isTrainable.map { _ in false })
      }
    }
    try distribute(list, to: inOrder)
  }

  /// Puts the weights of a layer of Keras that wraps a frozen one into the order in which they are taken.
  ///
  /// - Parameter build: Adds the call.
  /// - Throws: What `build` throws, and ``WeighbridgeError/Code/malformed`` when there are more
  ///   weights or fewer than the layer takes.
  mutating func sortFrozenWeights(
    of call: LayerCall,
    _ build: (inout KerasImporter) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) {
    guard requests == nil, !layersInOrder.contains(call.name),
      let list = weights[call.name], list.count > 1, call.record.registeredName == nil,
      KerasMappings.classes[call.record.className]?.parts.areThoseOfWrappedLayers == true,
      call.record.config.members.contains(where: { Self.isOrHasFrozenLayer($0.value) })
    else { return }
    try distribute(list, to: requests(for: list, build))
  }

  /// Whether a setting is a frozen layer, or has one in it.
  private static func isOrHasFrozenLayer(_ setting: JSONValue) -> Bool {
    if let list = setting.array { return list.contains(where: isOrHasFrozenLayer) }
    guard let object = setting.object else { return false }
    return object["class_name"] != nil && object["config"]?.object?["trainable"] == false
      || object.members.contains { isOrHasFrozenLayer($0.value) }
  }

  /// Gives each request its part of the list.
  private mutating func distribute(
    _ list: [KerasLayer.Weight], to requests: [WeightRequest]
  ) throws(WeighbridgeError) {
    let trainableCount = requests.reduce(0) { $0 + $1.isTrainable.count { $0 } }
    let totalCount = requests.reduce(0) { $0 + $1.isTrainable.count }
    guard list.count == totalCount else {
      throw .malformed(
        "the file has \(list.count) weights for it, and its layers take \(totalCount)")
    }
    var (nextTrainable, nextOther) = (0, trainableCount)
    for request in requests {
      var own: [KerasLayer.Weight] = []
      for isTrainable in request.isTrainable {
        own.append(list[isTrainable ? nextTrainable : nextOther])
        if isTrainable { nextTrainable += 1 } else { nextOther += 1 }
      }
      weights[request.path] = own
      layersInOrder.insert(request.path)
    }
  }

  /// Returns the requests that are made while placeholders take the place of a list of weights.
  ///
  /// - Parameter build: Adds the layers.
  private mutating func requests(
    for list: [KerasLayer.Weight],
    _ build: (inout KerasImporter) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> [WeightRequest] {
    let savedNetwork = network
    requests = WeightRequests(elementLimit: list.reduce(0) { $0 + $1.tensor.count })
    let outcome = Swift.Result { () throws(WeighbridgeError) in try build(&self) }
    let found = requests?.layers ?? []
    requests = nil
    network = savedNetwork
    _ = try outcome.get()
    return found
  }

  /// The paths of all layers, including those of nested and wrapped models, in the order of the
  /// file.
  static func layerPaths(
    _ model: KerasModelRecord, path: String
  ) throws(WeighbridgeError) -> [String] {
    var paths: [String] = []
    for layer in model.layers {
      if !layer.isModel { paths.append(path + layer.name) }
      if let inner = try innerModel(layer) {
        paths += try layerPaths(inner, path: "\(path)\(layer.name)/")
      }
    }
    return paths
  }

  /// Records a layer's requests. A frozen layer has no trainable weights.
  ///
  /// - Parameter parts: The number of weights in the file that make up one requested weight.
  mutating func noteRequests(of layer: KerasLayer, _ call: LayerCall, parts: Int) {
    let isFrozen = call.record.config["trainable"] == .bool(false)
    let isTrainable = layer.requestedWeights.flatMap {
      [Bool](repeating: $0 && !isFrozen, count: parts)
    }
    requests?.layers.append(WeightRequest(path: call.name, isTrainable: isTrainable))
  }
}

extension KerasImporter {
  /// Refuses weights under a name that no layer has, which would go unused.
  func checkWeightOwners(_ model: KerasModelRecord) throws(WeighbridgeError) {
    let owned = weights.filter { model.layerIndices[$0.key] == nil && !$0.value.isEmpty }
    if owned.isEmpty { return }
    // Some containers store the weights of nested models individually.
    let paths = Set(try Self.layerPaths(model, path: ""))
    for name in owned.keys.sorted() where !paths.contains(name) {
      throw .malformed(
        "the file has weights of a layer \(name), which the architecture does not have")
    }
  }
}
