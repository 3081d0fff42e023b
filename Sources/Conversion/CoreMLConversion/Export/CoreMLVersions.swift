import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// Which specification version brought which layers.
enum CoreMLVersions {
  /// The versions that can be written.
  static let all = 1...5

  /// The last version whose values have the axes of images.
  static let lastOfImages = 3

  /// The version that brought weights of integers.
  static let firstQuantized = 3

  /// The first version that has a layer: numbers in the schema rise with the versions, but for two.
  static func version(of kind: String) -> Int {
    switch CoreMLLayer.schemaNumber(of: kind) {
    case 211, 212: 3  // resizeBilinear and cropResize
    case .some(..<500): 1
    case 500: 2
    case .some(1450...): 5
    default: 4
    }
  }
}
