public import Bytes
import GraphIR
import TensorEncoding

extension Model {
  /// The same model with its weights and reference arrays in a smaller form.
  ///
  /// Nothing is lost: every number comes back bit by bit.
  ///
  /// - Throws: ``WeighbridgeError/Code/cancelled``; ``WeighbridgeError/Code/damaged`` for weights that
  ///   cannot be read.
  /// - Complexity: Reads each weight once; the smaller form stays in memory.
  public func compacted(
    _ options: CompactOptions = CompactOptions()
  ) throws(WeighbridgeError) -> Model {
    var model = self
    try model.codeLosslessly(options)
    return model
  }

  private mutating func codeLosslessly(_ options: CompactOptions) throws(WeighbridgeError) {
    let weights = content.graph.values.indices.filter { content.graph.values[$0].constant != nil }
    let arrays = content.references.flatMap { $0.inputs + $0.outputs + $0.layers }
    let all = weights.compactMap { content.graph.values[$0].constant } + arrays.map(\.tensor)
    let coded = try LosslessForm.of(
      all, workers: Workers(count: options.run.threadCount), cancellation: options.run.cancellation
    ) { done in
      options.progress?(.init(step: "coding weights", done: done, count: all.count))
    }
    content.graph = content.graph.settingConstants(
      Dictionary(uniqueKeysWithValues: zip(weights.map(ValueID.init), coded)))
    var rest = coded.dropFirst(weights.count)
    for set in content.references.indices {
      for path in [\ReferenceSet.inputs, \.outputs, \.layers] {
        for index in content.references[set][keyPath: path].indices {
          content.references[set][keyPath: path][index].tensor = rest.removeFirst()
        }
      }
    }
  }
}
