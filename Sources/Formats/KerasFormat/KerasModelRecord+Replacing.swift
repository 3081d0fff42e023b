package import JSON

extension KerasModelRecord {
  /// Returns the same model with some layers replaced by others of the same name.
  ///
  /// - Parameters:
  ///   - replacements: The layers by name; each is called like the one it replaces.
  ///   - first: An InputLayer for a Sequential without one.
  package func replacing(
    _ replacements: [String: (className: String, config: JSONObject)],
    first: (name: String, config: JSONObject)? = nil
  ) -> KerasModelRecord {
    var layers: [KerasLayerRecord] = []
    if let first {
      layers.append(
        KerasLayerRecord(
          name: first.name, className: "InputLayer", config: first.config,
          calls: [KerasCall(inputs: [])]))
    }
    for layer in self.layers {
      let replacement = replacements[layer.name]
      let readsFirst = first != nil && layers.count == 1
      layers.append(
        KerasLayerRecord(
          index: layers.count, name: layer.name,
          className: replacement?.className ?? layer.className, function: layer.function,
          registeredName: replacement == nil ? layer.registeredName : nil,
          config: replacement?.config ?? layer.config,
          calls: readsFirst
            ? [KerasCall(inputs: [KerasTensorReference(layer: layers[0].name)])] : layer.calls))
    }
    var model = self
    model.layers = layers
    model.layerIndices = Dictionary(
      layers.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    if let first {
      model.callOrder = layers.indices.map { KerasCallReference(layer: $0, call: 0) }
      model.inputs = [KerasTensorReference(layer: first.name)]
    }
    return model
  }

  /// Returns the model with the calls of only some layers, given by index, which must not read from
  /// other layers. Its output is that of the last one.
  package func keeping(_ layers: Set<Int>) -> KerasModelRecord {
    var model = self
    model.callOrder = callOrder.filter { layers.contains($0.layer) }
    let last =
      model.callOrder.last { self.layers[$0.layer].className != "InputLayer" }
      ?? model.callOrder.last
    model.outputs =
      last.map {
        [KerasTensorReference(layer: self.layers[$0.layer].name, call: $0.call)]
      } ?? []
    return model
  }
}
