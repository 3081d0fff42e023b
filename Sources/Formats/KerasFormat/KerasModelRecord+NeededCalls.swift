extension KerasModelRecord {
  /// The calls that an output needs. Takes O(references).
  package var neededCalls: Set<KerasCallReference> {
    guard !isSequential else { return Set(callOrder) }
    var needed: Set<KerasCallReference> = []
    var pending = outputs
    while let reference = pending.popLast() {
      guard let layer = layerIndices[reference.layer] else { continue }
      let call = KerasCallReference(layer: layer, call: reference.call)
      guard layers[layer].calls.indices.contains(call.call), needed.insert(call).inserted else {
        continue
      }
      pending += layers[layer].calls[call.call].allInputs
    }
    return needed
  }

  /// The inputs that no output needs.
  package func inputs(outside needed: Set<KerasCallReference>) -> [KerasLayerRecord] {
    inputs.compactMap { reference in
      layerIndices[reference.layer].flatMap { index in
        let call = KerasCallReference(layer: index, call: reference.call)
        return needed.contains(call) ? nil : layers[index]
      }
    }
  }
}
