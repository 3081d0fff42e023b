import GraphIR
import Testing
import WBMFormat

@testable import WBMConversion

/// The raw values of enumerations in the records of a `.wbm` file and in the model's description.
@Suite struct WBMEnumerationTests {
  private func check<Record, Value>(_ record: Record.Type, _ value: Value.Type)
  where
    Record: RawRepresentable<String> & CaseIterable, Value: RawRepresentable<String> & CaseIterable
  {
    let expected = Value.allCases.map(\.rawValue)
    #expect(Set(Record.allCases.map(\.rawValue)) == Set(expected), "\(Record.self)")
  }

  @Test("Enumerations in records and in the description have the same raw values")
  func rawValues() {
    check(WBMCompaction.Answers.Kind.self, CompactionRecord.Answers.Kind.self)
    check(WBMTolerance.Source.self, ReferenceSet.ToleranceSource.self)
    check(WBMImage.ColorOrder.self, ImageInput.ColorOrder.self)
    check(WBMImage.ResizePolicy.self, ImageInput.ResizePolicy.self)
    check(WBMImage.Layout.self, DataLayout.self)
  }
}
