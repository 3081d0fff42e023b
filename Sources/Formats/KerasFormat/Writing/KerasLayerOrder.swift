/// The order in which Keras keeps the layers of a model, regardless of their order in a file: by
/// decreasing distance from an output, and for the same distance in the order in which a traversal
/// back from the outputs reaches them. Weights are matched by this order.
struct KerasLayerOrder {
  private struct CallKey: Hashable {
    let layer: Int
    let call: Int
  }

  private let layers: [KerasWrittenLayer]
  private let indices: [String: Int]
  /// The calls, each after all those it depends on.
  private var finished: [CallKey] = []
  /// When each layer was first reached.
  private var met: [Int: Int] = [:]

  /// The positions of the layers that outputs depend on, and of all inputs, in Keras' order.
  static func positions(_ model: KerasWrittenModel) -> [Int] {
    var order = KerasLayerOrder(model.layers)
    for output in model.outputs { order.walk(from: output) }
    return order.positions(inputs: model.inputs)
  }

  private init(_ layers: [KerasWrittenLayer]) {
    self.layers = layers
    indices = Dictionary(
      layers.enumerated().map { ($0.element.name, $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  private func key(_ reference: KerasTensorReference) -> CallKey {
    CallKey(layer: indices[reference.layer] ?? 0, call: reference.call)
  }

  /// The calls that a call depends on, in the order of its arguments.
  private func sources(_ key: CallKey) -> [CallKey] {
    let calls = layers[key.layer].calls
    return calls.indices.contains(key.call) ? calls[key.call].tensors.map(self.key) : []
  }

  /// Traverses the graph from an output back to the inputs, depth first.
  private mutating func walk(from output: KerasTensorReference) {
    var seen = Set(finished)
    var waiting: [(key: CallKey, rest: ArraySlice<CallKey>)] = []
    let begin = { (key: CallKey, order: inout KerasLayerOrder) in
      if order.met[key.layer] == nil { order.met[key.layer] = order.met.count }
      waiting.append((key, order.sources(key)[...]))
    }
    if seen.insert(key(output)).inserted { begin(key(output), &self) }
    while let last = waiting.indices.last {
      if let next = waiting[last].rest.popFirst() {
        if seen.insert(next).inserted { begin(next, &self) }
      } else {
        finished.append(waiting.removeLast().key)
      }
    }
  }

  private func positions(inputs: [KerasTensorReference]) -> [Int] {
    var depths: [CallKey: Int] = [:]
    var layerDepths: [Int: Int] = [:]
    for key in finished.reversed() {
      let depth = max(depths[key] ?? 0, layerDepths[key.layer] ?? 0)
      layerDepths[key.layer] = depth
      depths[key] = depth
      for source in sources(key) { depths[source] = max(depths[source] ?? 0, depth + 1) }
    }
    var met = met
    for input in inputs {
      let layer = key(input).layer
      if layerDepths[layer] == nil { (layerDepths[layer], met[layer]) = (0, -1) }
    }
    return layerDepths.keys.sorted { first, second in
      let depths = (layerDepths[first] ?? 0, layerDepths[second] ?? 0)
      let places = (met[first] ?? 0, met[second] ?? 0)
      if depths.0 != depths.1 { return depths.0 > depths.1 }
      return places.0 == places.1 ? first < second : places.0 < places.1
    }
  }
}
