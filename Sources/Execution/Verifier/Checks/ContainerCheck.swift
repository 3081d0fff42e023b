package import Bytes

/// Checks that every byte of the file is accounted for and that all digests match.
package struct ContainerCheck: VerificationCheck {
  package let name = "container"

  /// Creates the check.
  package init() {}

  package func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult] {
    guard let checkIntegrity = subject.checkIntegrity else {
      return [CheckResult(name, .skipped, "the file's format has no digests")]
    }
    let problems = try checkIntegrity()
    guard problems.isEmpty else {
      return problems.map { CheckResult(name, .failed, $0) }
    }
    return [CheckResult(name, .passed, "every byte is accounted for, every digest agrees")]
  }
}
