package import GraphIR

extension CompactionRecord {
  /// The record as lines of text.
  package var lines: [String] {
    var lines = [
      "compacted by \(author): \(request), from \(originalByteCount.grouped) bytes of weights",
      "  measured on \(inputs); relative error of the outputs:",
    ]
    for loss in outputs {
      lines.append(
        "    \(loss.output): worst \(loss.worst.scientific), mean \(loss.mean.scientific)")
    }
    if let answers {
      let noun = answers.kind == .topClass ? "top classes" : "detections"
      lines.append("  \(answers.kept) of \(answers.total) \(noun) stayed the same")
    }
    return lines
  }
}
