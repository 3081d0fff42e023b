import GraphIR
import WBMFormat

extension WBMTolerance: DescriptionRecord {
  static let empty = Tolerance(absolute: 0, relative: 0)

  mutating func transfer(_ described: inout Tolerance, _ direction: Transfer) {
    direction.value(&absolute, &described.absolute)
    direction.value(&relative, &described.relative)
    direction.value(&relativeL2, &described.relativeL2)
  }

  init(_ tolerance: Tolerance, source: Source) {
    self.init(tolerance)
    self.source = source
  }
}

extension WBMCompaction: DescriptionRecord {
  static let empty = CompactionRecord(
    author: "", request: "", inputs: "", inputCount: 0, originalByteCount: 0, outputs: [],
    weights: [], answers: nil)

  /// - Parameters:
  ///   - tensors: The tensor table, in which weights are found by name.
  ///   - outputs: The names of the graph's outputs. Losses of outputs that are no longer in the
  ///     graph are dropped.
  init(_ record: CompactionRecord, _ tensors: [WBMTensor], outputs names: [String]) {
    self.init(record)
    outputs.removeAll { !names.contains($0.output) }
    let losses = Dictionary(record.weights.map { ($0.weight, $0.error) }) { first, _ in first }
    for (index, tensor) in tensors.enumerated() {
      guard let error = losses[tensor.name] else { continue }
      var loss = WeightLoss()
      (loss.tensor, loss.error) = (index, error)
      weights.append(loss)
    }
  }

  /// - Parameter tensors: The tensor table of the file.
  func described(_ tensors: [WBMTensor]) -> CompactionRecord {
    var record = described
    record.weights = weights.map { .init(weight: tensors[$0.tensor].name, error: $0.error) }
    return record
  }

  /// Transfers everything except the losses of weights, which the record identifies by their
  /// indices in the table.
  mutating func transfer(_ described: inout CompactionRecord, _ direction: Transfer) {
    direction.value(&by, &described.author)
    direction.value(&request, &described.request)
    direction.value(&inputs, &described.inputs)
    direction.value(&inputCount, &described.inputCount)
    direction.value(&originalByteCount, &described.originalByteCount)
    direction.records(&outputs, &described.outputs)
    direction.record(&answers, &described.answers)
    direction.value(&caution, &described.caution)
  }
}

extension WBMCompaction.OutputLoss: DescriptionRecord {
  static let empty = CompactionRecord.OutputLoss(output: "", worst: 0, mean: 0)

  mutating func transfer(_ described: inout CompactionRecord.OutputLoss, _ direction: Transfer) {
    direction.value(&output, &described.output)
    direction.value(&worst, &described.worst)
    direction.value(&mean, &described.mean)
    direction.value(&bound, &described.bound)
  }
}

extension WBMCompaction.Answers: DescriptionRecord {
  static let empty = CompactionRecord.Answers(kind: .topClass, kept: 0, total: 0)

  mutating func transfer(_ described: inout CompactionRecord.Answers, _ direction: Transfer) {
    direction.enumCase(&kind, &described.kind)
    direction.value(&kept, &described.kept)
    direction.value(&total, &described.total)
  }
}
