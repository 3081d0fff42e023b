import GraphIR
import WBMFormat

extension WBMTolerance {
  init(_ set: ReferenceSet) {
    self.init(
      absolute: set.tolerance.absolute, relative: set.tolerance.relative,
      relativeL2: set.tolerance.relativeL2, source: Source(set.toleranceSource))
  }
}

extension WBMTolerance.Source {
  fileprivate init(_ source: ReferenceSet.ToleranceSource) {
    self =
      switch source {
      case .standard: .standard
      case .author: .author
      case .compaction: .compaction
      }
  }
}

extension Tolerance {
  init(_ record: WBMTolerance) {
    self.init(absolute: record.absolute, relative: record.relative)
    relativeL2 = record.relativeL2
  }
}

extension ReferenceSet.ToleranceSource {
  init(_ source: WBMTolerance.Source) {
    self =
      switch source {
      case .standard: .standard
      case .author: .author
      case .compaction: .compaction
      }
  }
}

extension WBMCompaction {
  /// - Parameters:
  ///   - tensors: The table in which weights are found by their names.
  ///   - outputs: The names of the graph's outputs. Those that a cut has left behind are dropped.
  init(_ record: CompactionRecord, _ tensors: [WBMTensor], outputs: [String]) {
    let losses = Dictionary(record.weights.map { ($0.weight, $0.error) }) { first, _ in first }
    self.init(
      by: record.author, request: record.request, inputs: record.inputs,
      inputCount: record.inputCount, originalByteCount: record.originalByteCount,
      outputs: record.outputs.filter { outputs.contains($0.output) }.map {
        OutputLoss(output: $0.output, worst: $0.worst, mean: $0.mean)
      },
      weights: tensors.enumerated().compactMap { index, tensor in
        losses[tensor.name].map { WeightLoss(tensor: index, error: $0) }
      },
      answers: record.answers.map {
        Answers(
          kind: $0.kind == .topClass ? .topClass : .detections, kept: $0.kept, total: $0.total)
      })
  }
}

extension CompactionRecord {
  /// - Parameter tensors: The table of the file.
  init(_ record: WBMCompaction, _ tensors: [WBMTensor]) {
    self.init(
      author: record.by, request: record.request, inputs: record.inputs,
      inputCount: record.inputCount, originalByteCount: record.originalByteCount,
      outputs: record.outputs.map {
        OutputLoss(output: $0.output, worst: $0.worst, mean: $0.mean)
      },
      weights: record.weights.map {
        WeightLoss(weight: tensors[$0.tensor].name, error: $0.error)
      },
      answers: record.answers.map {
        Answers(
          kind: $0.kind == .topClass ? .topClass : .detections, kept: $0.kept, total: $0.total)
      })
  }
}
