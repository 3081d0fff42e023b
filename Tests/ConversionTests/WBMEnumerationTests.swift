import GraphIR
import Testing
import WBMFormat

@testable import WBMConversion

/// The raw values of enumerations in the records of a `.wbm` file and in the model's description.
@Suite struct WBMEnumerationTests {
  private func check<Record, Value>(
    _ record: Record.Type, _ value: Value.Type, without excluded: [Value] = []
  )
  where
    Record: RawRepresentable<String> & CaseIterable, Value: RawRepresentable<String> & CaseIterable
  {
    let expected = Value.allCases.map(\.rawValue).filter { !excluded.map(\.rawValue).contains($0) }
    #expect(Set(Record.allCases.map(\.rawValue)) == Set(expected), "\(Record.self)")
  }

  @Test("Enumerations in records and in the description have the same raw values")
  func rawValues() {
    check(WBMCompaction.Answers.Kind.self, CompactionRecord.Answers.Kind.self)
    check(WBMTolerance.Source.self, ReferenceSet.ToleranceSource.self)
    check(WBMImage.ColorOrder.self, ImageInput.ColorOrder.self)
    check(WBMImage.ResizePolicy.self, ImageInput.ResizePolicy.self)
    check(WBMImage.Layout.self, DataLayout.self)
    check(WBMDetector.Kind.self, DetectorDescription.Kind.self)
    check(WBMDetector.BoxEncoding.self, DetectorDescription.BoxEncoding.self)
    check(WBMDetector.Suppression.self, DetectorDescription.Suppression.self)
    check(WBMDetector.Part.self, DetectorDescription.Part.self)
    check(WBMDetector.Order.self, DetectorDescription.Order.self)
    check(WBMDetector.BoxPoint.self, DetectorDescription.BoxPoint.self, without: [.center])
    check(WBMDetector.TreeChoice.self, DetectorDescription.ClassTree.Choice.self)
  }
}
