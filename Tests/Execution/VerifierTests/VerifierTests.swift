import Bytes
import GraphIR
import TestSupport
import Testing
import Verifier
import Weighbridge

/// A check that throws an error.
private struct Failing: VerificationCheck {
  let name = "failing"
  let error: WeighbridgeError

  func run(_ subject: VerificationSubject) throws(WeighbridgeError) -> [CheckResult] {
    throw error
  }
}

@Suite struct VerifierTests {
  private func report(_ checks: any VerificationCheck...) throws -> VerificationReport {
    try Verifier(checks).verify(VerificationSubject(content: ShapeDetector.content()))
  }

  @Test("An error in a check is a failed result, and the next check still runs")
  func error() throws {
    let report = try report(
      Failing(error: WeighbridgeError(.malformed, "broken").at(layer: "#3")), WeightsCheck())
    #expect(report.results.map(\.status) == [.failed, .passed])
    #expect(report.results[0].name == "failing")
    #expect(report.results[0].reason == "layer #3: broken")
    #expect(!report.passed)
  }

  @Test("A cancellation ends the verification")
  func cancellation() {
    let error = failure { _ = try report(Failing(error: WeighbridgeError(.cancelled, "stop"))) }
    #expect(error?.code == .cancelled)
  }

  @Test("A verification that is cancelled stops between layers")
  func cancelledRun() throws {
    var options = VerifyOptions()
    let cancellation = Cancellation()
    cancellation.cancel()
    options.run.cancellation = cancellation
    #expect(failure { _ = try ShapeDetector.model().verify(options) }?.code == .cancelled)
  }

  @Test("A format without digests skips the container, and passes all the same")
  func noDigests() throws {
    let report = try ShapeDetector.model().verify()
    #expect(report.results.map(\.status) == [.skipped, .passed, .passed, .passed, .passed])
    #expect(report.passed)
  }

  @Test("The measures of a difference are computed as documented")
  func difference() {
    let actual = Tensor(.float32, shape: [2, 3], [1, 2, 3, 4, 5, 6])
    let expected = Tensor(.float32, shape: [2, 3], [1, 2, 3, 4, 3, 6])
    let difference = TensorDifference(actual: actual, expected: expected)
    #expect(difference.maxAbsolute == 2)
    #expect(difference.maxRelative == 2.0 / 6)
    #expect(difference.error == 2.0 / 6)
    #expect(difference.worstIndex == [1, 1])
    #expect(difference.worstActual == 5 && difference.worstExpected == 3)
    #expect(abs(difference.cosine - 81 / (91.0 * 75).squareRoot()) < 1e-12)
    #expect(difference.isWithin(Tolerance(absolute: 2, relative: 0)))
    #expect(difference.isWithin(Tolerance(absolute: 0.5, relative: 0.25)))
    #expect(!difference.isWithin(Tolerance(absolute: 1.9, relative: 0)))
  }

  @Test("If all expected values are 0, the relative error is relative to 1")
  func zeros() {
    let expected = Tensor(.float32, shape: [4], [0, 0, 0, 0])
    let actual = Tensor(.float32, shape: [4], [0.5, -0.5, 0.5, 0.5])
    #expect(TensorDifference(actual: actual, expected: expected).relativeL2 == 0.5)
    #expect(TensorDifference(actual: expected, expected: expected).relativeL2 == 0)
    #expect(TensorDifference(actual: expected, expected: actual).relativeL2 == 1)
    #expect(
      TensorDifference(actual: actual, expected: expected).isWithin(Tolerance(relativeL2: 0.5)))
    #expect(
      !TensorDifference(actual: actual, expected: expected).isWithin(Tolerance(relativeL2: 0.49)))
  }

  @Test("NaN and infinities agree only with themselves")
  func nonFinite() {
    let expected = Tensor(.float32, shape: [4], [.nan, .infinity, -.infinity, 1])
    let same = TensorDifference(actual: expected, expected: expected)
    #expect(same.nonFiniteMismatches == 0 && same.maxAbsolute == 0)
    let actual = Tensor(.float32, shape: [4], [0, -.infinity, -.infinity, .nan])
    let other = TensorDifference(actual: actual, expected: expected)
    #expect(other.nonFiniteMismatches == 3 && other.worstIndex == [0])
    #expect(!other.isWithin(Tolerance(absolute: .infinity, relative: 0)))
  }
}
