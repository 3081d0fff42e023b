package import GraphIR

extension CompactionRecord {
  /// The record as lines of text.
  package var lines: [String] {
    var lines = [
      "compacted by \(author): \(request), from \(originalByteCount.grouped) bytes of weights",
      "  measured on \(inputs); relative error of the outputs:",
    ]
    for loss in outputs {
      lines.append("    \(loss.output): worst \(loss.worst.short), mean \(loss.mean.short)")
    }
    if let answers {
      let what = answers.kind == .topClass ? "top classes" : "detections"
      lines.append("  \(answers.kept) of \(answers.total) \(what) stayed the same")
    }
    return lines
  }
}
