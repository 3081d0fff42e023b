import LayerCatalog

extension Graph {
  /// For each output, the value on which its error is measured: the output itself, or the scores
  /// before its softmax or sigmoids, even where these apply to concatenated slices as in a YOLO
  /// head.
  var rawOutputs: [ValueID] {
    let makers = makers
    return outputs.map { rawValue($0.value, makers) }
  }

  private func rawValue(_ value: ValueID, _ makers: [ValueID: Int]) -> ValueID {
    let scores = ScoreKind.scores(self, value, makers)
    guard let node = makers[scores].map({ nodes[$0] }), node.operation is Concatenate,
      let whole = node.inputs.first.map({ whole(of: $0, makers) }),
      node.inputs.allSatisfy({ self.whole(of: $0, makers) == whole })
    else { return scores }
    return rawValue(whole, makers)
  }

  /// Returns the value from which a part was sliced, and perhaps scaled.
  private func whole(of part: ValueID, _ makers: [ValueID: Int]) -> ValueID {
    var value = ScoreKind.scores(self, part, makers)
    while let node = makers[value].map({ nodes[$0] }),
      node.operation is Slice || node.operation is Rescaling, let input = node.inputs.first
    {
      value = ScoreKind.scores(self, input, makers)
    }
    return value
  }
}
