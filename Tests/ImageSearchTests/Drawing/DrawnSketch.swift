import Bytes
import Foundation
import Vision

/// A figure drawn with an unsteady hand, white on black, as those that the sketch classifier of the
/// samples was trained on.
struct DrawnSketch {
  enum Category: String, CaseIterable {
    case line, cross, circle, square, triangle, zigzag, spiral, star
  }

  private static let size = 64
  let category: Category
  let image: Image

  init(_ category: Category, _ random: inout SplitMix64) {
    self.category = category
    let turn = Double.random(in: 0...2 * .pi, using: &random)
    let scale = Double.random(in: 14...26, using: &random)
    let strokes = category.strokes(&random).map { points in
      Self.wobbling(points, &random).map { $0.turned(turn) * scale }
    }
    let points = strokes.joined()
    let half = Double(Self.size) / 2
    let reach = (points.map { abs($0.x) }.max() ?? 0, points.map { abs($0.y) }.max() ?? 0)
    let (across, down) = (max(half - 3 - reach.0, 0), max(half - 3 - reach.1, 0))
    let center = Point(
      x: half + .random(in: -across...across, using: &random),
      y: half + .random(in: -down...down, using: &random))
    let width = Double.random(in: 1.2...3, using: &random)
    let masks = strokes.map { points in
      Mask(size: Self.size, line: points.map { $0 + center }, width: width)
    }
    let ink = masks.dropFirst().reduce(masks[0]) { $0.union($1) }
    image = Image(
      width: Self.size, height: Self.size,
      pixels: ink.values.flatMap { value in
        [UInt8](repeating: UInt8((value * 255).rounded()), count: 3)
      })
  }

  /// Sketches of a seed, the categories in turn.
  static func sketches(_ count: Int, seed: UInt64) -> [DrawnSketch] {
    var random = SplitMix64(seed: seed)
    let categories = Category.allCases
    return (0..<count).map { DrawnSketch(categories[$0 % categories.count], &random) }
  }

  /// Many points along a line, moved by smooth noise.
  private static func wobbling(_ points: [Point], _ random: inout SplitMix64) -> [Point] {
    let count = max(25, points.count)
    let noise = (0..<count + 4).map { _ in
      Point(x: random.normal(1), y: random.normal(1))
    }
    return (0..<count).map { index in
      let position = Double(index) * Double(points.count - 1) / Double(count - 1)
      let start = min(Int(position), points.count - 2)
      let point =
        points[start] + (points[start + 1] - points[start]) * (position - Double(start))
      let smooth = noise[index..<index + 5].reduce(Point(x: 0, y: 0), +) * (1 / 5.0.squareRoot())
      return point + smooth * 0.025
    }
  }
}

extension DrawnSketch.Category {
  /// The lines of a figure of radius about 1 around the origin.
  fileprivate func strokes(_ random: inout SplitMix64) -> [[Point]] {
    switch self {
    case .line: return [[Point(x: -1, y: 0), Point(x: 1, y: 0)]]
    case .cross:
      let length = Double.random(in: 0.7...1.2, using: &random)
      let turn = Double.random(in: -0.3...0.3, using: &random)
      let second = [Point(x: 0, y: -1), Point(x: 0, y: 1)].map { ($0 * length).turned(turn) }
      return [[Point(x: -1, y: 0), Point(x: 1, y: 0)], second]
    case .circle:
      let turns = Double.random(in: 0.95...1.05, using: &random)
      let height = Double.random(in: 0.75...1, using: &random)
      return [Self.arc(turns: turns, count: 40).map { $0.scaled(1, height) }]
    case .square:
      let height = Double.random(in: 0.75...1, using: &random)
      return [Self.arc(count: 5).map { $0.turned(.pi / 4).scaled(1, height) }]
    case .triangle:
      let height = Double.random(in: 0.75...1.2, using: &random)
      return [Self.arc(count: 4).map { $0.scaled(1, height) }]
    case .zigzag:
      let count = Int.random(in: 5...7, using: &random)
      let height = Double.random(in: 0.35...0.6, using: &random)
      return [
        (0..<count).map { index in
          Point(
            x: -1 + 2 * Double(index) / Double(count - 1), y: index % 2 == 0 ? height : -height)
        }
      ]
    case .spiral:
      let points = Self.arc(turns: .random(in: 2...3, using: &random), count: 70)
      return [
        points.enumerated().map { index, point in point * (0.08 + 0.92 * Double(index) / 69) }
      ]
    case .star:
      let points = Self.arc(count: 6)
      return [[0, 2, 4, 1, 3, 0].map { points[$0] }]
    }
  }

  /// Points along the unit circle.
  private static func arc(turns: Double = 1, count: Int) -> [Point] {
    (0..<count).map { Point(angle: 2 * .pi * turns * Double($0) / Double(count - 1)) }
  }
}
