public import Bytes
public import ModelComparison
public import Verifier
import Weighbridge

/// A page that shows a model's inputs, outputs, origin and whether to trust it, or two models side
/// by side.
///
/// ```swift
/// let models = [try ReportedModel(contentsOf: "detector.wbm")]
/// let page = try Report(models).html()
/// ```
///
/// The page is one HTML document that loads nothing and can be read without its script. Text from
/// the models remains text: their names and descriptions cannot become elements.
public struct Report: Sendable {
  let facts: [ModelFacts]
  let wording: @Sendable (String) -> String
  /// The differences between two models; `nil` when there is only one model, or one of them cannot
  /// be read.
  public let differences: ModelDifferences?

  /// Verifies the models, runs them once, and compares two of them, as far as the options say.
  ///
  /// - Parameters:
  ///   - models: One model, or two.
  ///   - options: The content besides that of the models' files.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when there are no models or more
  ///   than two, or when given arrays do not fit one of them; the errors of
  ///   ``/Weighbridge/Model/verify(_:)`` for the original file;
  ///   ``/Weighbridge/WeighbridgeError/Code/cancelled``. If a model cannot run, the report says so.
  /// - Complexity: Reads each weight once, and runs each model three times: to compare its outputs with
  ///   references, and twice to measure it. Comparing the engines also takes a run of the slow
  ///   reference engine.
  public init(
    _ models: [ReportedModel], options: ReportOptions = ReportOptions()
  ) throws(WeighbridgeError) {
    guard 1...2 ~= models.count else {
      throw .mismatch("a report shows one model or two, not \(models.count)")
    }
    var facts: [ModelFacts] = []
    for model in models { facts.append(try ModelFacts(model, options)) }
    self.facts = facts
    wording = options.wording
    var differences: ModelDifferences?
    if let first = models[0].model, models.count == 2, let second = models[1].model {
      var comparison = ComparisonOptions()
      comparison.run = options.verification.run
      comparison.tolerance = options.verification.tolerance
      let arrays = options.verification.references?.inputs
      let canRun = models.allSatisfy(\.inspection.runs)
      comparison.inputs = canRun ? arrays : nil
      differences = try first.differences(from: second, comparison)
    }
    self.differences = differences
  }

  /// The results of verifying each model; `nil` for one that was not verified.
  public var verifications: [VerificationReport?] { facts.map(\.verification.value) }

  /// Returns the page. Equal reports give equal pages.
  public func html() throws(WeighbridgeError) -> String { try ReportPage(self).html.text }
}
