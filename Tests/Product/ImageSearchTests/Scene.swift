import ImageSearch
import TestSupport
import Vision

/// One of the 60 drawn sample scenes, with the drawn (not detected) objects.
struct Scene {
  static let count = 60
  private static let folder = Paths.sample("Models/scene-detector")
  /// The file.
  let path: String
  /// The shapes as they were drawn.
  let composition: Composition

  init(_ number: Int) throws {
    let name = number < 10 ? "0\(number)" : "\(number)"
    path = "\(Self.folder)/scenes/\(name).png"
    composition = try Composition(layoutFile: "\(Self.folder)/layouts/\(name).json")
  }

  /// The first ones.
  static func first(_ count: Int) throws -> [Scene] { try (0..<count).map(Scene.init) }

  /// The pixels.
  func image() throws -> Image { try Image(contentsOf: path) }
}
