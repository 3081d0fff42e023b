/// The results of a verification.
public struct VerificationReport: Sendable {
  /// The results, in the order of the checks.
  public var results: [CheckResult]

  /// Creates a report.
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
    /// Nothing is certainly wrong, but a person should look at it.
    case warning
    /// There was nothing to check, or no way to check it.
    case skipped
  }

  /// The check's name: `container`, `shapes`, `weights`, `references`, `engines`,
  /// `source`, `bound`, `layers`.
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

  /// Creates a result.
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
