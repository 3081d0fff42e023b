import Verifier
import Weighbridge

/// Whether a model can be trusted: a short title and an explanation.
struct Verdict {
  enum Level: String {
    /// It reproduces reference outputs or agrees with its source.
    case proven
    /// Nothing is wrong, but nothing shows that it computes what it should.
    case plausible
    /// Something is wrong.
    case wrong
    /// It has not been verified.
    case unknown
  }

  let level: Level
  let title: String
  let explanation: String

  init(_ facts: ModelFacts) {
    if let problem = facts.inspection.problem {
      (level, title) = (.wrong, "Cannot be used as it is")
      explanation = "It cannot be converted: \(problem.reason)"
    } else if let report = facts.verification.value {
      (level, title, explanation) = Self.verdict(report, facts)
    } else {
      (level, title) = (.unknown, "Not verified")
      explanation =
        facts.source.model == nil
        ? "There is nothing in the file that computes."
        : "Nobody has checked that it computes what it should."
    }
  }

  private static func verdict(
    _ report: VerificationReport, _ facts: ModelFacts
  ) -> (Level, String, String) {
    let failures = report.results.filter { $0.status == .failed }
    let warnings = report.results.count { $0.status == .warning }
    let doubts = warnings == 0 ? "" : warnings == 1 ? " One warning." : " \(warnings) warnings."
    if let first = failures.first {
      return (
        .wrong, "Failed",
        "\(failures.count) of \(report.results.count) results failed, the first: \(first.name)."
      )
    }
    let evidence = report.results.filter {
      $0.status == .passed && ["references", "source"].contains($0.name)
    }
    guard !evidence.isEmpty else {
      let reason =
        facts.inspection.runs
        ? "nothing is there to compare its outputs with" : "it cannot run, so it was not compared"
      return (.plausible, "Plausible", "No check failed, but \(reason).\(doubts)")
    }
    let level: Level = warnings == 0 ? .proven : .plausible
    let skipped = report.results.count { $0.status == .skipped }
    let others = skipped == 0 ? "" : ", \(skipped) \(skipped == 1 ? "was" : "were") skipped"
    let error = evidence.compactMap { $0.difference?.error }.max()
    let distance = error.map { ", with differences of \($0.scientific) at most" } ?? ""
    return (
      level, warnings == 0 ? "Verified" : "Verified, with warnings",
      "\(Self.comparisonSummary(evidence, facts))\(distance). "
        + "\(report.results.count - skipped - warnings) checks passed\(others).\(doubts)"
    )
  }

  /// Says what the model was compared with. Arrays in the file are only a claim of its author.
  private static func comparisonSummary(_ evidence: [CheckResult], _ facts: ModelFacts) -> String {
    if evidence.contains(where: { $0.name == "source" }) {
      return "It agrees with the original file"
    }
    guard !facts.hasGivenReferences else { return "It computes the given reference outputs" }
    let author = facts.inspection.references.map(\.author).first { !$0.isEmpty }
    return "It computes what \(author ?? "an unnamed author") computed, as the file records it"
  }
}
