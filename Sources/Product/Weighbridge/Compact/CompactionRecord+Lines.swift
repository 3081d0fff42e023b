package import GraphIR

extension CompactionRecord {
  /// The record as lines of text.
  package var lines: [String] {
    var lines = [
      "compacted by \(author): \(request), from \(originalByteCount.grouped) bytes of weights",
      "  measured on \(inputs)" + (outputs.contains { $0.bound > 0 } ? boundWords : ""),
    ]
    lines += outputs.map(\.line)
    if !caution.isEmpty { lines.append("  caution: \(caution)") }
    if let answers {
      let noun = answers.kind == .topClass ? "top classes" : "detections"
      lines.append("  \(answers.kept) of \(answers.total) \(noun) stayed the same")
    }
    return lines
  }

  private var boundWords: String { "; relative errors that at most 1 in 20 other inputs exceeds:" }
}

extension CompactionRecord.OutputLoss {
  fileprivate var line: String {
    let measured = "worst \(worst.scientific), mean \(mean.scientific)"
    return bound > 0
      ? "    \(output): at most \(bound.scientific) (measured: \(measured))"
      : "    \(output): relative error \(measured)"
  }
}
