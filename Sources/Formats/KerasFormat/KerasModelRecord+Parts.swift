extension KerasModelRecord {
  /// The model with the calls of some layers only, by their positions; it gives what the last one
  /// makes. They must not read from others.
  package func keeping(_ layers: Set<Int>) -> KerasModelRecord {
    let order = callOrder.filter { layers.contains($0.layer) }
    let last = order.last { self.layers[$0.layer].className != "InputLayer" } ?? order.last
    return KerasModelRecord(
      className: className, name: name, isSequential: isSequential,
      buildInputShape: buildInputShape, layers: self.layers, callOrder: order, inputs: inputs,
      outputs: last.map {
        [KerasTensorReference(layer: self.layers[$0.layer].name, call: $0.call)]
      } ?? [], layerIndices: layerIndices, statedTypes: statedTypes)
  }
}
