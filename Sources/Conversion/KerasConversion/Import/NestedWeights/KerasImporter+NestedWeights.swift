import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// In an `.h5` file the weights of a nested model are in one list: first the trainable ones, layer by
/// layer, then the others, layer by layer (`Model.weights` in Keras). So are those of a layer that
/// wraps others. Only a layer's mapping knows how many it has, so the model or layer is first built
/// separately with placeholders.
///
/// What is frozen may have changed since the architecture was written, or not be in it, so the names
/// of the weights decide where they can, and otherwise the order.
extension KerasImporter {
  /// The weights that all layers requested.
  struct WeightRequests {
    /// The total number of elements in the list.
    let elementLimit: Int
    var layers: [WeightRequest] = []
  }

  /// Assigns each layer of a nested model its part of the list.
  ///
  /// - Parameter call: The call of the model, or of the layer that wraps it.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the list is longer or shorter than the
  ///   layers' requests, or when it does not show which weights are whose.
  mutating func distribute(
    _ list: [KerasLayer.Weight], to model: KerasModelRecord, of call: LayerCall, inputs: [ValueID]
  ) throws(WeighbridgeError) {
    let path = "\(call.name)/"
    let list = try Self.mergingLowRank(list, ofLayersIn: model)
    let requests = try requests(for: list, of: model, path, inputs)
    let order = try WeightOrder(of: model, in: call.record, path: path, requests, writer.version)
    try distribute(list, to: Self.inOrder(requests, of: model, path), order, of: call.name)
  }

  /// Assigns each layer its part of one list for the whole model.
  ///
  /// - Throws: As ``distribute(_:to:of:inputs:)``.
  mutating func distribute(
    _ list: [KerasLayer.Weight], to model: KerasModelRecord
  ) throws(WeighbridgeError) {
    let requests = try requests(for: list, of: model, "", nil)
    let order = try WeightOrder(of: model, requests, writer.version)
    try distribute(list, to: Self.inOrder(requests, of: model, ""), order, of: model.name ?? "")
  }

  /// What each layer of a model requests, by its path.
  private mutating func requests(
    for list: [KerasLayer.Weight], of model: KerasModelRecord, _ path: String, _ inputs: [ValueID]?
  ) throws(WeighbridgeError) -> [String: WeightRequest] {
    let requests = try requests(for: list) { (importer) throws(WeighbridgeError) in
      try importer.inline(model, path: path, inputs: inputs)
    }
    return Dictionary(requests.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The requests in the order of the layers, which is that of the list; calls are in execution
  /// order.
  private static func inOrder(
    _ requests: [String: WeightRequest], of model: KerasModelRecord, _ path: String
  ) throws(WeighbridgeError) -> [WeightRequest] {
    try layerPaths(model, path: path).compactMap { requests[$0] }
  }

  /// Puts the weights of a layer of Keras that wraps others into the order in which they are taken.
  ///
  /// - Parameter build: Adds the call.
  /// - Throws: What `build` throws, and ``WeighbridgeError/Code/malformed`` when there are more
  ///   weights or fewer than the layer takes, or when it is not known which are whose.
  mutating func sortWrappedWeights(
    of call: LayerCall,
    _ build: (inout KerasImporter) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) {
    guard requests == nil, zerosLimit == nil, !areWeightsInOrder(of: call.name),
      let list = weights[call.name], list.count > 1, call.record.registeredName == nil,
      KerasMappings.classes[call.record.className]?.parts.areThoseOfWrappedLayers == true
    else { return }
    let found = Swift.Result { () throws(WeighbridgeError) in try requests(for: list, build) }
    let hasFrozen = call.record.config.members.contains { Self.isOrHasFrozenLayer($0.value) }
    // Where placeholders are not possible, the order is the only one if nothing is frozen.
    if case .failure = found, !hasFrozen { return }
    guard let request = try found.get().first else { return }
    try distribute(list, to: [request], WeightOrder(of: request, writer.version), of: call.name)
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
    _ list: [KerasLayer.Weight], to requests: [WeightRequest], _ order: WeightOrder, of name: String
  ) throws(WeighbridgeError) {
    let assignment = WeightAssignment(list, requests)
    guard list.count == assignment.count else {
      throw .malformed(
        "the file has \(list.count) weights for it, and its layers take \(assignment.count)")
    }
    let result = try assignment.result(order, isOrderStored: weightStorage != .listApart)
    switch result.decision {
    case .names: network.decide(name, WeightAssignment.namesBeforeOrder)
    case .numbers: try presume(WeightAssignment.numbersBeforeFlags, about: name)
    case .renumbered: try presume(WeightAssignment.numbersInOrder, about: name)
    case nil: break
    }
    for (request, own) in zip(requests, result.weights) {
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

  /// Records a layer's requests.
  ///
  /// - Parameter parts: The number of weights in the file that make up one requested weight.
  mutating func noteRequests(
    of layer: KerasLayer, _ call: LayerCall, parts: Int
  ) throws(WeighbridgeError) {
    let weights = layer.requestedWeights.flatMap { weight in
      // Keras 1 stores them in other shapes, under other names.
      dialect == nil
        ? [weight]
        : [RequestedWeight](
          repeating: .init(
            role: "", shape: nil, isTrainable: weight.isTrainable, part: weight.part),
          count: parts)
    }
    let isFrozen = try call.record.config.trainableFlag() == false
    requests?.layers.append(
      WeightRequest(path: call.name, weights: weights, isFrozen: isFrozen))
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
