import LayerCatalog

extension Graph {
  /// For each output the value on which its error is measured: its own, or the scores of which a softmax
  /// or sigmoids made it, also where they made parts of it that were put together again, as in a YOLO head.
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

  /// The value of which a part was taken, and perhaps scaled.
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
