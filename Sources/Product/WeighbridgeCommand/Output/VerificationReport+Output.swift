import Weighbridge

extension VerificationReport {
  /// The report as text: one result per line, then the verdict.
  var text: String {
    var lines = results.map { result in
      let mark =
        switch result.status {
        case .passed: "ok     "
        case .failed: "FAILED "
        case .warning: "warning"
        case .skipped: "skipped"
        }
      let layer = result.layer.map { "layer \($0) " } ?? ""
      let name = result.name + String(repeating: " ", count: max(0, 10 - result.name.count))
      return "  \(mark)  \(name)  \(layer)\(result.reason.namingOptions)"
    }
    let failures = results.count { $0.status == .failed }
    lines.append(passed ? "passed" : "failed: \(failures) of \(results.count) results")
    return lines.joined(separator: "\n")
  }
}
