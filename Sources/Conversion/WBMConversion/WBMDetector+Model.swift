import DetectorRecord
import GraphIR
import WBMFormat

extension WBMDetector: DescriptionRecord {
  static var empty: DetectorDescription { DetectorDescription(Fields()) }

  mutating func transfer(_ described: inout DetectorDescription, _ direction: Transfer) {
    switch direction {
    case .toRecord: fields = described.fields
    case .toDescription: described = DetectorDescription(fields)
    }
  }
}
