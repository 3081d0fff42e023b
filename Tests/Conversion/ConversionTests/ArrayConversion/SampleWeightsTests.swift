import FormatRegistry
import TestSupport
import Testing
import Verifier

@Suite struct SampleWeightsTests {
  @Test(
    "No weight of a sample is taken for a fault, whatever constants its functions have",
    arguments: ExportSubjects.samples.rows.map(\.title))
  func weights(_ model: String) throws {
    let content = try ModelReader.read(Paths.sample(model)).content
    let results = try WeightsCheck().run(VerificationSubject(content: content))
    #expect(!results.isEmpty && !results.contains { $0.status == .failed }, "\(results)")
  }
}
