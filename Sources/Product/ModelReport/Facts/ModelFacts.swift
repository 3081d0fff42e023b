import Bytes
import Verifier
import Weighbridge

/// A part of a report that may be missing.
enum Part<Value: Sendable>: Sendable {
  case available(Value)
  /// Why it is missing and how to add it, in a sentence or two.
  case missing(String)

  var value: Value? { if case .available(let value) = self { value } else { nil } }

  /// Creates a part from the result of `make`. An error is recorded instead of thrown, except for a
  /// cancellation.
  init(_ make: () throws(WeighbridgeError) -> Value) throws(WeighbridgeError) {
    do throws(WeighbridgeError) {
      self = .available(try make())
    } catch {
      guard error.code != .cancelled else { throw error }
      self = .missing("This failed: \(error)")
    }
  }
}

/// The facts about a model for a report.
struct ModelFacts: Sendable {
  let source: ReportedModel
  let verification: Part<VerificationReport>
  let weights: Part<WeightOverview>
  let profile: Part<RunProfile>
  /// Whether the outputs were compared with arrays other than the file's own.
  let hasGivenReferences: Bool
  /// The inputs of the run for the profile.
  let profileInputs: String
  let image: Part<ImageResult>

  var inspection: Inspection { source.inspection }
  var verdict: Verdict { Verdict(self) }

  init(_ source: ReportedModel, _ options: ReportOptions) throws(WeighbridgeError) {
    self.source = source
    hasGivenReferences = options.verification.references != nil
    guard let model = source.model else {
      let reason = source.inspection.problem.map { "The file cannot be read as a model: \($0)" }
      let missing = reason ?? "There is no model in the file that could run."
      (verification, profile) = (.missing(missing), .missing(missing))
      (weights, image) = (.missing(missing), .missing(missing))
      profileInputs = ""
      return
    }
    verification =
      options.noVerify
      ? .missing("The model was not verified (\(APIName.withoutVerification)).")
      : .available(try Self.verification(model, options))
    weights = try Part { () throws(WeighbridgeError) in
      try WeightOverview(model, options.verification.run.cancellation)
    }
    let given = options.verification.references?.inputs
    let stored = model.references.first?.inputs.map {
      NamedTensor(name: $0.name, tensor: $0.tensor)
    }
    profileInputs =
      given != nil
      ? "on the given inputs" : stored != nil ? "on the stored inputs" : "on generated inputs"
    profile =
      options.noProfile
      ? .missing("No run was timed (\(APIName.withoutProfile)).")
      : try Part { () throws(WeighbridgeError) in
        let session = try model.session(options.verification.run)
        var arrays = given ?? stored ?? []
        if arrays.isEmpty { arrays = try model.generatedInputs(.random(seed: 1)) }
        _ = try session.run(arrays)
        return try session.profile(arrays)
      }
    image = try Self.image(model, options)
  }

  private static func verification(
    _ model: Model, _ options: ReportOptions
  ) throws(WeighbridgeError) -> VerificationReport {
    var report = try model.verify(
      options.verification, comparesEngines: options.verify)
    if !options.verify {
      report.results.append(
        CheckResult(
          "engines", .skipped,
          "the engines were not compared, which takes a run of the slow reference engine "
            + "(\(APIName.comparingEngines))"))
    }
    return report
  }

  private static func image(
    _ model: Model, _ options: ReportOptions
  ) throws(WeighbridgeError) -> Part<ImageResult> {
    guard let sample = options.image else {
      return .missing(
        "There is no sample picture. \(APIName.reportImage) gives one: detectors look for objects in "
          + "it, and classifiers say what it shows.")
    }
    return try Part { () throws(WeighbridgeError) in try ImageResult(sample, model, options) }
  }
}
