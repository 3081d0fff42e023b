import JSON
import KerasFormat

/// Two recurrent layers over one sequence in opposite directions, whose outputs are merged: a
/// `Bidirectional` layer. (With a mask, that layer sets the outputs of steps that do not count to 0.)
extension KerasModelBuilder {
  /// The modes of merging, by the class of the layer that merges.
  private static let mergeModes: [String: JSONValue] = [
    "Concatenate": "concat", "Add": "sum", "Multiply": "mul", "Average": "ave",
  ]

  /// Replaces such layers, wherever nothing else uses what they compute.
  ///
  /// - Parameter outputs: The outputs of the model.
  mutating func joinDirections(outputs: [KerasTensorReference]) {
    guard !fusion.hasMasks else { return }
    var useCounts: [KerasTensorReference: Int] = [:]
    for tensor in outputs + layers.flatMap({ $0.calls.flatMap(\.tensors) }) {
      useCounts[tensor, default: 0] += 1
    }
    let byName = Dictionary(uniqueKeysWithValues: layers.map { ($0.name, $0) })
    var removed: Set<String> = []
    for (index, merge) in layers.enumerated() {
      guard let mode = mergeMode(of: merge), merge.calls.count == 1 else { continue }
      let tensors = merge.calls[0].tensors
      guard tensors.count == 2 else { continue }
      let sources = tensors.map { reversals[$0] ?? $0 }
      guard (tensors + sources).allSatisfy({ useCounts[$0] == 1 && $0.tensor == 0 }),
        let forward = byName[sources[0].layer], let backward = byName[sources[1].layer],
        sources[0] == tensors[0], areOpposite(forward, backward),
        forward.config["return_sequences"] == .bool(sources[1] != tensors[1]),
        merge.config["dtype"] == forward.config["dtype"]
      else { continue }
      layers[index] = joined(forward, backward, named: merge.name, mode)
      elements[merge.name] = [forward, backward].flatMap { elements[$0.name] ?? [] }
      removed.formUnion((tensors + sources).map(\.layer))
    }
    layers.removeAll { removed.contains($0.name) }
    for name in removed { elements[name] = nil }
  }

  private func mergeMode(of layer: KerasWrittenLayer) -> JSONValue? {
    guard layer.className == "Concatenate",
      case .list(let arguments)? = layer.calls[0].arguments.first,
      case .tensor(_, _, let shape)? = arguments.first
    else { return Self.mergeModes[layer.className] }
    let axis = layer.config["axis"]?.integer
    return axis == -1 || axis == shape.count - 1 ? Self.mergeModes[layer.className] : nil
  }

  /// Whether two layers differ in their direction and weights only.
  private func areOpposite(_ forward: KerasWrittenLayer, _ backward: KerasWrittenLayer) -> Bool {
    var mirrored = backward.config
    mirrored["go_backwards"] = false
    return ["GRU", "LSTM", "SimpleRNN"].contains(forward.className)
      && forward.className == backward.className && forward.config == mirrored
      && backward.config["go_backwards"] == true
      && forward.calls.count == 1 && backward.calls.count == 1
      && forward.calls[0].keywords.isEmpty && forward.calls[0].tensors.count == 1
      && forward.calls[0].tensors == backward.calls[0].tensors
      && forward.config["return_state"] == false
  }

  private func joined(
    _ forward: KerasWrittenLayer, _ backward: KerasWrittenLayer, named name: String,
    _ mode: JSONValue
  ) -> KerasWrittenLayer {
    let inner: JSONObject = ["name": .string(forward.name)]
    let config: JSONObject = [
      "dtype": forward.config["dtype"] ?? "float32", "merge_mode": mode,
      "layer": .object([
        "module": "keras.layers", "class_name": .string(forward.className),
        "config": .object(inner.merging(forward.config)), "registered_name": .null,
      ]),
    ]
    let weights = [("forward", forward), ("backward", backward)].flatMap { direction, layer in
      layer.weights.map {
        let owner = format == .archive ? "layer" : forward.name
        return KerasWrittenWeight(
          name: $0.name, owner: "\(direction)_\(owner)/\($0.owner)", elementType: $0.elementType,
          shape: $0.shape)
      }
    }
    return KerasWrittenLayer(
      name: name, className: "Bidirectional", module: "keras.layers", config: config,
      weights: weights, calls: forward.calls)
  }
}
