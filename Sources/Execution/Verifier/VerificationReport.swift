/// The results of a verification.
public struct VerificationReport: Sendable {
  /// The results, in the order of the checks.
  public var results: [CheckResult]

  /// Makes a report.
  public init(results: [CheckResult]) { self.results = results }

  /// Whether no check failed. Warnings and skipped checks do not fail a verification.
  public var passed: Bool { !results.contains { $0.status == .failed } }
}

/// The result of one check, with the reason.
public struct CheckResult: Sendable {
  /// The verdict of a check.
  public enum Status: String, Sendable {
    /// The check found what it expects.
    case passed
    /// The check found something wrong.
    case failed
    /// Nothing is wrong for certain, but a person should look.
    case warning
    /// There was nothing to check, or no way to.
    case skipped
  }

  /// The check's name: `container`, `shapes`, `weights`, `references`, `engines`,
  /// `source`, `layers`.
  public var name: String
  /// The verdict.
  public var status: Status
  /// A description of what was found.
  public var reason: String
  /// The layer that the result concerns.
  public var layer: String?
  /// The numerical difference, when two tensors were compared.
  public var difference: TensorDifference?
  /// For a comparison layer by layer, the result for each layer, in the order of the computation.
  public var parts: [CheckResult] = []

  /// Makes a result.
  public init(
    _ name: String, _ status: Status, _ reason: String, layer: String? = nil,
    difference: TensorDifference? = nil
  ) {
    self.name = name
    self.status = status
    self.reason = reason
    self.layer = layer
    self.difference = difference
  }
}
