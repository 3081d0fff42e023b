import Weighbridge

/// What is said of a model that was made smaller: its size, its weights, and what was lost.
struct CompactionSummary {
  let lines: [String]

  /// - Parameter inspection: Of the file that was written.
  init(_ inspection: Inspection, of model: Model) {
    let stored = inspection.encodings.reduce(0) { $0 + $1.byteCount }
    var lines = ["\(inspection.weightByteCount.grouped) bytes of weights in \(stored.grouped)"]
    lines.append(WeightTable(model).text)
    lines += inspection.compaction?.lines ?? []
    if inspection.compaction != nil, inspection.references.isEmpty {
      lines.append(
        "no example is stored by which the loss can be verified: it would take more than a tenth of "
          + "the weights (--proof stores it all the same)")
    }
    self.lines = lines
  }
}
