#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The geometry of an object that the cost depends on.
struct ObjectGeometry {
  /// The center, in the image's unit square from its upper left corner.
  let x, y: Double
  /// The image's width divided by its height. Coordinates are subtracted before they are scaled by
  /// it, so that equal distances stay equal.
  let aspectRatio: Double
  /// The square root of the area as a fraction of the image.
  let side: Double
  /// The natural logarithm of `side`.
  let logarithm: Double

  init(_ box: Box, aspectRatio: Double) {
    let center = box.center
    (x, y) = (center.x, center.y)
    self.aspectRatio = aspectRatio
    side = (box.width * box.height).squareRoot()
    logarithm = log(side)
  }

  /// Returns the square of the distance between two centers.
  func squaredDistance(to other: ObjectGeometry) -> Double {
    let (dx, dy) = ((other.x - x) * aspectRatio, other.y - y)
    return dx * dx + dy * dy
  }

  /// Returns the unit vector from this center to another one; `nil` where they coincide.
  func direction(to other: ObjectGeometry) -> (x: Double, y: Double)? {
    let (dx, dy) = ((other.x - x) * aspectRatio, other.y - y)
    let length = (dx * dx + dy * dy).squareRoot()
    return length > 0 ? (dx / length, dy / length) : nil
  }
}

/// A wanted object and the other wanted one nearest to it.
struct NearestPair {
  /// The index of the nearest other object, the first of equally near ones.
  let other: Int
  /// The unit vector between the centers; `nil` where they coincide.
  let direction: (x: Double, y: Double)?
  /// The logarithm of the ratio of the objects' sides.
  let logarithmicRatio: Double

  /// - Returns: `nil` if there is only one object.
  init?(of index: Int, in objects: [ObjectGeometry]) {
    let others = objects.indices.filter { $0 != index }
    // `min` returns the first of equals.
    let nearest = others.min {
      objects[index].squaredDistance(to: objects[$0])
        < objects[index].squaredDistance(to: objects[$1])
    }
    guard let nearest else { return nil }
    other = nearest
    direction = objects[index].direction(to: objects[nearest])
    logarithmicRatio = objects[index].logarithm - objects[nearest].logarithm
  }

  /// Returns |1 - d·d'| for the objects that are assigned to the pair in an image.
  func positionTerm(_ first: ObjectGeometry, _ second: ObjectGeometry) -> Double {
    guard let direction, let found = first.direction(to: second) else { return 0 }
    return abs(1 - (direction.x * found.x + direction.y * found.y))
  }

  /// Returns min(2, |ln of the ratio of ratios|); 2 if a found object has no area.
  func sizeTerm(_ first: ObjectGeometry, _ second: ObjectGeometry) -> Double {
    let difference = abs(logarithmicRatio - (first.logarithm - second.logarithm))
    return difference < 2 ? difference : 2
  }
}
