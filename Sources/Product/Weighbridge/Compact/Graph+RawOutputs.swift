import LayerCatalog

extension Graph {
  /// For each output, the value on which its error is measured: the output itself, or the scores
  /// before its softmax or sigmoids, even where these apply to concatenated slices as in a YOLO
  /// head.
  var rawOutputs: [ValueID] {
    let producers = producers
    return outputs.map { rawValue($0.value, producers) }
  }

  private func rawValue(_ value: ValueID, _ producers: [ValueID: Int]) -> ValueID {
    let scores = ScoreKind.scores(self, value, producers)
    guard let node = producers[scores].map({ nodes[$0] }), node.operation is Concatenate,
      let source = node.inputs.first.map({ sliceSource(of: $0, producers) }),
      node.inputs.allSatisfy({ sliceSource(of: $0, producers) == source })
    else { return scores }
    return rawValue(source, producers)
  }

  /// Returns the value that a value was sliced, and perhaps rescaled, from.
  private func sliceSource(of slice: ValueID, _ producers: [ValueID: Int]) -> ValueID {
    var value = ScoreKind.scores(self, slice, producers)
    while let node = producers[value].map({ nodes[$0] }),
      node.operation is Slice || node.operation is Rescaling, let input = node.inputs.first
    {
      value = ScoreKind.scores(self, input, producers)
    }
    return value
  }
}
