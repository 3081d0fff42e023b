public import Bytes

extension Model {
  /// Returns the same model with its weights in a smaller form, and a record of the loss.
  ///
  /// ```swift
  /// var options = CompactOptions()
  /// options.budget = .error(0.01)
  /// try model.compacted(options).write(to: "small.wbm")
  /// ```
  ///
  /// Weights that are multiplied with data become integers whose step sizes are chosen to make the
  /// best use of the bits; rounding errors are fed back into the weights that are rounded next
  /// (OPTQ, arXiv:2210.17323). All others, and reference arrays, are encoded losslessly. The loss
  /// is measured on examples that were not used for calibration, and written into the record and
  /// into the tolerance of the model's reference outputs.
  ///
  /// - Parameter options: The loss to accept, and examples of the model's inputs.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an invalid budget, or examples that do not
  ///   fit the model; ``WeighbridgeError/Code/limitExceeded`` for a budget that cannot be met;
  ///   ``WeighbridgeError/Code/unsupported`` for a model that cannot run;
  ///   ``WeighbridgeError/Code/damaged`` for weights that cannot be read;
  ///   ``WeighbridgeError/Code/cancelled``.
  public func compacted(
    _ options: CompactOptions = CompactOptions()
  ) throws(WeighbridgeError) -> Model {
    var model = self
    if let compaction = try LossyCompaction(self, options) { try compaction.apply(to: &model) }
    try model.encodeLosslessly(options)
    return model
  }

  private mutating func encodeLosslessly(_ options: CompactOptions) throws(WeighbridgeError) {
    let weights = content.graph.values.indices.filter { content.graph.values[$0].constant != nil }
    let arrays = content.references.flatMap { $0.inputs + $0.outputs + $0.layers }
    let tensors = weights.compactMap { content.graph.values[$0].constant } + arrays.map(\.tensor)
    let encoded = try LosslessForm.encoded(
      tensors, workers: Workers(count: options.run.threadCount),
      cancellation: options.run.cancellation
    ) { done in
      options.progress?(.init(step: "coding weights", done: done, count: tensors.count))
    }
    content.graph = content.graph.settingConstants(
      Dictionary(uniqueKeysWithValues: zip(weights.map(ValueID.init), encoded)))
    var remaining = encoded.dropFirst(weights.count)
    for set in content.references.indices {
      for path in [\ReferenceSet.inputs, \.outputs, \.layers] {
        for index in content.references[set][keyPath: path].indices {
          content.references[set][keyPath: path][index].tensor = remaining.removeFirst()
        }
      }
    }
  }
}
