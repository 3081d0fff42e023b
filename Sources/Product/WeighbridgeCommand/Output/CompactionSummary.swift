import Weighbridge

/// The summary of a compacted model: its size, its weights, and the loss.
struct CompactionSummary {
  let lines: [String]

  /// - Parameter inspection: The inspection of the written file.
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
