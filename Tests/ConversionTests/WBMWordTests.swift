import GraphIR
import Testing
import WBMFormat

@testable import WBMConversion

/// The words that the records of a `.wbm` file and the model's description have for the same things.
@Suite struct WBMWordTests {
  private func check<Record, Word>(
    _ record: Record.Type, _ word: Word.Type, without others: [Word] = []
  )
  where
    Record: RawRepresentable<String> & CaseIterable, Word: RawRepresentable<String> & CaseIterable
  {
    let known = Word.allCases.map(\.rawValue).filter { !others.map(\.rawValue).contains($0) }
    #expect(Set(Record.allCases.map(\.rawValue)) == Set(known), "\(Record.self)")
  }

  @Test("Every word of a record is one of the description, and the other way round")
  func words() {
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
