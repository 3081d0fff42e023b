package import Bytes
package import GraphIR

/// The subject of a verification: a model, and what its file states.
package struct VerificationSubject: Sendable {
  /// The model as it was read.
  package var content: ModelContent
  /// The types that the file states for the graph's values, when it states any.
  package var storedTypes: [TensorType]?
  /// Recomputes the digests of every byte of the file and returns what does not match; `nil` for
  /// formats without digests.
  package var checkIntegrity: (@Sendable () throws(WeighbridgeError) -> [String])?

  /// Creates a subject.
  package init(
    content: ModelContent, storedTypes: [TensorType]? = nil,
    checkIntegrity: (@Sendable () throws(WeighbridgeError) -> [String])? = nil
  ) {
    self.content = content
    self.storedTypes = storedTypes
    self.checkIntegrity = checkIntegrity
  }
}

/// One thing to verify.
package protocol VerificationCheck: Sendable {
  /// The name under which results appear.
  var name: String { get }

  /// Checks the subject. A fault in the subject is a result, never an error.
  ///
  /// - Throws: Only ``WeighbridgeError/Code/cancelled`` ends the verification; any other error
  ///   becomes a failed result.
  func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult]
}

/// Runs checks one after the other and collects what they find.
package struct Verifier: Sendable {
  private let checks: [any VerificationCheck]

  /// - Parameter checks: The checks, in the order in which they run and are reported.
  package init(_ checks: [any VerificationCheck]) { self.checks = checks }

  /// Verifies a subject.
  ///
  /// - Throws: ``WeighbridgeError/Code/cancelled``.
  package func verify(
    _ subject: VerificationSubject
  ) throws(WeighbridgeError) -> VerificationReport {
    var report = VerificationReport(results: [])
    for check in checks {
      do {
        report.results += try check.run(subject)
      } catch {
        guard error.code != .cancelled else { throw error }
        report.results.append(CheckResult(check.name, .failed, error.description))
      }
    }
    return report
  }
}
