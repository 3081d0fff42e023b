import Verifier
import Weighbridge

/// Whether a model can be trusted, in a word and in a sentence.
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
  let word: String
  let sentence: String

  init(_ facts: ModelFacts) {
    if let problem = facts.inspection.problem {
      (level, word) = (.wrong, "Cannot be used as it is")
      sentence = "It is not understood as a whole: \(problem.reason)"
    } else if let report = facts.verification.value {
      (level, word, sentence) = Self.verdict(report, facts)
    } else {
      (level, word) = (.unknown, "Not verified")
      sentence =
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
    let proofs = report.results.filter {
      $0.status == .passed && ["references", "source"].contains($0.name)
    }
    guard !proofs.isEmpty else {
      let why =
        facts.inspection.runs
        ? "nothing is there to compare its outputs with" : "it cannot run, so it was not compared"
      return (.plausible, "Plausible", "No check failed, but \(why).\(doubts)")
    }
    let level: Level = warnings == 0 ? .proven : .plausible
    let skipped = report.results.count { $0.status == .skipped }
    let others = skipped == 0 ? "" : ", \(skipped) had nothing to check"
    let error = proofs.compactMap { $0.difference?.error }.max()
    let distance = error.map { ", with differences of \($0.short) at most" } ?? ""
    return (
      level, warnings == 0 ? "Verified" : "Verified, with warnings",
      "\(Self.proof(proofs, facts))\(distance). \(report.results.count - skipped - warnings) checks passed"
        + "\(others).\(doubts)"
    )
  }

  /// Says what the model was compared with. Arrays in the file are only its author's word.
  private static func proof(_ proofs: [CheckResult], _ facts: ModelFacts) -> String {
    if proofs.contains(where: { $0.name == "source" }) { return "It agrees with the original file" }
    guard !facts.hasGivenReferences else { return "It computes the given reference outputs" }
    let author = facts.inspection.references.map(\.author).first { !$0.isEmpty }
    return "It computes what \(author ?? "somebody") computed, as the file records it"
  }
}
