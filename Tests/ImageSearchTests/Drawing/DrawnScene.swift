import Bytes
import Foundation
import ImageSearch
import Vision

/// Colored shapes on a colored ground with noise, as those that the shape detector of the samples was
/// trained on, with what is where in them.
struct DrawnScene {
  private static let size = 88
  let image: Image
  /// The shapes as they were drawn, which nothing found.
  let composition: Composition

  /// A scene with at least four shapes and all classes, as the sample's own image is.
  init(_ random: inout SplitMix64) {
    var scene = DrawnScene(any: &random)
    while scene.composition.objects.count < 4
      || Set(scene.composition.objects.map(\.label)).count < Shape.allCases.count
    {
      scene = DrawnScene(any: &random)
    }
    self = scene
  }

  /// A scene with up to five shapes.
  private init(any random: inout SplitMix64) {
    var canvas = Canvas(&random)
    var objects: [Composition.Object] = []
    var boxes: [Box] = []
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      let shape = Shape.allCases[Int.random(in: 0..<3, using: &random)]
      guard let corners = shape.placed(&random, in: Self.size, besides: &boxes) else { continue }
      canvas.paint(corners, &random)
      let side = Double(Self.size)
      let box = boxes[boxes.count - 1]
      objects.append(
        .init(
          label: shape.rawValue,
          box: Box(
            x: box.x / side, y: box.y / side, width: box.width / side, height: box.height / side)))
    }
    composition = Composition(objects: objects)
    image = canvas.image
  }

  /// Scenes of a seed.
  static func scenes(_ count: Int, seed: UInt64) -> [DrawnScene] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in DrawnScene(&random) }
  }

  private enum Shape: String, CaseIterable {
    case ellipse, rectangle, triangle

    private func outline(_ random: inout SplitMix64) -> [Point] {
      let corners: [Point]
      switch self {
      case .ellipse: corners = (0..<48).map { Point(angle: Double($0) * .pi / 24) }
      case .rectangle: corners = (0..<4).map { Point(angle: .pi / 4 + Double($0) * .pi / 2) }
      case .triangle:
        let start = Double.random(in: 0...2 * .pi, using: &random)
        corners = (0..<3).map { number in
          Point(
            angle: start + Double(number) * 2 * .pi / 3 + .random(in: -0.4...0.4, using: &random))
        }
      }
      let stretch = exp(Double.random(in: -0.4...0.4, using: &random))
      let turn = Double.random(in: -0.3...0.3, using: &random)
      return corners.map { $0.scaled(stretch, 1 / stretch).turned(turn) }
    }

    /// The corners in pixels of a shape inside the image and clear of others; `nil` when this one is
    /// not.
    func placed(
      _ random: inout SplitMix64, in size: Int, besides boxes: inout [Box]
    ) -> [Point]? {
      let scale = exp(Double.random(in: log(10)...log(24), using: &random))
      let corners = outline(&random).map { $0 * scale }
      let (xs, ys) = (corners.map(\.x), corners.map(\.y))
      guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max(),
        right - left <= Double(size - 4), bottom - top <= Double(size - 4)
      else { return nil }
      let room = Double(size - 2)
      let offset = Point(
        x: .random(in: 2 - left...room - right, using: &random),
        y: .random(in: 2 - top...room - bottom, using: &random))
      let box = Box(
        x: left + offset.x, y: top + offset.y, width: right - left, height: bottom - top)
      guard boxes.allSatisfy({ box.intersectionOverUnion($0) <= 0.02 }) else { return nil }
      boxes.append(box)
      return corners.map { $0 + offset }
    }
  }

  /// The pixels, 0...1 for each component.
  private struct Canvas {
    private var pixels: [[Double]]

    /// A gradient with noise.
    init(_ random: inout SplitMix64) {
      let angle = Double.random(in: 0...2 * .pi, using: &random)
      let deviation = Double.random(in: 0.01...0.04, using: &random)
      let colors = (0..<2).map { _ in
        (0..<3).map { _ in Double.random(in: 0.05...0.95, using: &random) }
      }
      let size = DrawnScene.size
      var pixels: [[Double]] = []
      for index in 0..<size * size {
        let (x, y) = (Double(index % size) + 0.5, Double(index / size) + 0.5)
        let position = ((x * cos(angle) + y * sin(angle)) / Double(size) + 1.5) / 3
        pixels.append(
          (0..<3).map { component in
            let (first, second) = (colors[0][component], colors[1][component])
            return first + position * (second - first) + random.normal(deviation)
          })
      }
      self.pixels = pixels
    }

    /// Fills a polygon with a color that differs clearly from the ground at its middle.
    mutating func paint(_ corners: [Point], _ random: inout SplitMix64) {
      let middle = corners.reduce(Point(x: 0, y: 0), +) * (1 / Double(corners.count))
      let ground = pixels[Int(middle.y) * DrawnScene.size + Int(middle.x)]
      var color: [Double]
      repeat {
        color = (0..<3).map { _ in Double.random(in: 0...1, using: &random) }
      } while zip(color, ground).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) } <= 0.25
      let mask = Mask(size: DrawnScene.size, polygon: corners)
      for (index, share) in mask.values.enumerated() where share > 0 {
        for component in 0..<3 {
          let wanted = color[component] + random.normal(0.02)
          pixels[index][component] += share * (wanted - pixels[index][component])
        }
      }
    }

    var image: Image {
      let size = DrawnScene.size
      return Image(
        width: size, height: size,
        pixels: pixels.joined().map { UInt8((min(max($0, 0), 1) * 255).rounded()) })
    }
  }
}
