import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// The specification versions that introduced layers.
enum CoreMLVersions {
  /// The versions that can be written.
  static let writable = 1...5

  /// The last version whose values have the axes of images.
  static let lastWithImageAxes = 3

  /// The version that introduced integer weights.
  static let firstQuantized = 3

  /// Returns the first version that has a layer: field numbers in the schema rise with the
  /// versions, with two exceptions.
  static func version(of kind: String) -> Int {
    switch CoreMLLayer.fieldNumber(of: kind) {
    case 211, 212: 3  // resizeBilinear and cropResize
    case .some(..<500): 1
    case 500: 2
    case .some(1450...): 5
    default: 4
    }
  }
}
