import Verifier
import Weighbridge

/// Whether a model can be trusted, in a word and a sentence.
struct Verdict {
  enum Level: String {
    /// It computes what somebody else computed.
    case proven
    /// Nothing is wrong, and nothing shows that it computes what it should.
    case plausible
    /// Something is wrong.
    case wrong
    /// Nobody has looked.
    case unknown
  }

  let level: Level
  let word: String
  let sentence: String

  init(_ facts: ModelFacts) {
    if let problem = facts.inspection.problem {
      (level, word) = (.wrong, "Cannot be used as it is")
      sentence = "It is not understood as a whole: \(problem.reason)"
    } else if let report = facts.verification.value {
      (level, word, sentence) = Self.verdict(report, facts.inspection)
    } else {
      (level, word) = (.unknown, "Not verified")
      sentence =
        facts.source.model == nil
        ? "There is nothing in the file that computes."
        : "Nobody has checked that it computes what it should."
    }
  }

  private static func verdict(
    _ report: VerificationReport, _ inspection: Inspection
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
    let proofs = report.results.filter {
      $0.status == .passed && ["references", "source"].contains($0.name)
    }
    guard !proofs.isEmpty else {
      let why =
        inspection.runs
        ? "nothing is there to compare its outputs with" : "it cannot run, so it was not compared"
      return (.plausible, "Plausible", "No check failed, but \(why).\(doubts)")
    }
    let authors = inspection.references.map(\.author).filter { !$0.isEmpty }
    let whom = authors.first.map { "\($0) computed" } ?? "the original computes"
    let level: Level = warnings == 0 ? .proven : .plausible
    let skipped = report.results.count { $0.status == .skipped }
    let others = skipped == 0 ? "" : ", \(skipped) had nothing to check"
    let error = proofs.compactMap { $0.difference?.error }.max()
    let distance = error.map { ", with differences of \($0.short) at most" } ?? ""
    return (
      level, warnings == 0 ? "Verified" : "Verified, with warnings",
      "It computes what \(whom)\(distance). \(report.results.count - skipped - warnings) checks passed"
        + "\(others).\(doubts)"
    )
  }
}
