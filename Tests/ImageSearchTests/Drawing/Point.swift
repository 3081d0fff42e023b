import Bytes
import Foundation

/// A point or a vector in pixels.
struct Point {
  var x, y: Double

  static func + (first: Point, second: Point) -> Point {
    Point(x: first.x + second.x, y: first.y + second.y)
  }

  static func - (first: Point, second: Point) -> Point {
    Point(x: first.x - second.x, y: first.y - second.y)
  }

  static func * (point: Point, factor: Double) -> Point {
    Point(x: point.x * factor, y: point.y * factor)
  }

  var length: Double { (x * x + y * y).squareRoot() }

  /// The point of the unit circle at an angle.
  init(angle: Double) { self.init(x: cos(angle), y: sin(angle)) }

  init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

  func scaled(_ across: Double, _ down: Double) -> Point { Point(x: x * across, y: y * down) }

  func turned(_ angle: Double) -> Point {
    Point(x: x * cos(angle) - y * sin(angle), y: x * sin(angle) + y * cos(angle))
  }
}

extension SplitMix64 {
  /// A number of the normal distribution (Box and Muller).
  mutating func normal(_ deviation: Double) -> Double {
    let first = Double.random(in: Double.ulpOfOne...1, using: &self)
    let angle = Double.random(in: 0..<2 * .pi, using: &self)
    return deviation * (-2 * log(first)).squareRoot() * cos(angle)
  }
}
