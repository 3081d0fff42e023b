import Verifier
import Weighbridge

extension Inspection.Encoding {
  /// The encoding in a line for people.
  var line: String {
    "  \(weightCount) \(name), \(parameterCount.grouped) parameters in \(byteCount.grouped) bytes "
      + "(\(bits) bits each)"
  }

  private var bits: String {
    guard parameterCount > 0 else { return "0" }
    let tenths = (80 * byteCount + parameterCount / 2) / parameterCount
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension CompactionRecord {
  /// The record for people.
  var lines: [String] {
    var lines = [
      "made smaller by \(author): \(request), from \(originalByteCount.grouped) bytes of weights",
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
