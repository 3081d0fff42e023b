/// The order in which Keras keeps the layers of a model, regardless of their order in a file: by
/// decreasing depth (the distance from an output), and for the same depth in the order in which a
/// traversal from the outputs to the inputs reaches them. Weights are matched by this order.
struct KerasLayerOrder {
  private struct CallKey: Hashable {
    let layer: Int
    let call: Int
  }

  private let layers: [KerasWrittenLayer]
  private let indices: [String: Int]
  /// The calls, each after those it depends on.
  private var finished: [CallKey] = []
  private var needed: Set<CallKey> = []
  /// The order in which layers were first visited.
  private var visitOrder: [Int: Int] = [:]

  /// The model with its inputs and the calls that outputs depend on, its layers in Keras' order.
  static func ordering(_ model: KerasWrittenModel) -> KerasWrittenModel {
    var order = KerasLayerOrder(model.layers)
    for output in model.outputs { order.traverse(from: output) }
    // Of a layer that is called several times, some calls may lead to no output.
    var numbers: [CallKey: Int] = [:]
    for (index, layer) in model.layers.enumerated() {
      let calls = layer.calls.indices.map { CallKey(layer: index, call: $0) }
      for (number, call) in calls.filter(order.needed.contains).enumerated() {
        numbers[call] = number
      }
    }
    let renumbered = { (reference: KerasTensorReference) in
      KerasTensorReference(
        layer: reference.layer, call: numbers[order.key(reference)] ?? 0, tensor: reference.tensor)
    }
    var result = model
    result.layers = order.positions(inputs: model.inputs).map { index in
      var layer = model.layers[index]
      layer.calls = layer.calls.enumerated().compactMap { position, call in
        guard order.needed.contains(CallKey(layer: index, call: position)) else { return nil }
        return KerasWrittenCall(
          call.arguments.map { $0.mapping(renumbered) },
          keywords: call.keywords.map { ($0.name, $0.value.mapping(renumbered)) })
      }
      return layer
    }
    result.outputs = model.outputs.map(renumbered)
    return result
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
  private mutating func traverse(from output: KerasTensorReference) {
    var stack: [(key: CallKey, remaining: ArraySlice<CallKey>)] = []
    let visit = { (key: CallKey, order: inout KerasLayerOrder) in
      if order.visitOrder[key.layer] == nil {
        order.visitOrder[key.layer] = order.visitOrder.count
      }
      stack.append((key, order.sources(key)[...]))
    }
    if needed.insert(key(output)).inserted { visit(key(output), &self) }
    while let last = stack.indices.last {
      if let next = stack[last].remaining.popFirst() {
        if needed.insert(next).inserted { visit(next, &self) }
      } else {
        finished.append(stack.removeLast().key)
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
    var visitOrder = visitOrder
    for input in inputs {
      let layer = key(input).layer
      if layerDepths[layer] == nil { (layerDepths[layer], visitOrder[layer]) = (0, -1) }
    }
    return layerDepths.keys.sorted { lhs, rhs in
      let depths = (layerDepths[lhs] ?? 0, layerDepths[rhs] ?? 0)
      let visits = (visitOrder[lhs] ?? 0, visitOrder[rhs] ?? 0)
      if depths.0 != depths.1 { return depths.0 > depths.1 }
      return visits.0 == visits.1 ? lhs < rhs : visits.0 < visits.1
    }
  }
}
