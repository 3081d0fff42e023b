#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the cost depends on of an object.
struct ObjectGeometry {
  /// The centre, in the image's unit square from its upper left corner.
  let x, y: Double
  /// The image's width over its height. Differences are taken before they are scaled, so that equal
  /// distances stay equal.
  let aspectRatio: Double
  /// The square root of the area, which is a share of the image.
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

  /// The square of the distance between two centres.
  func squaredDistance(to other: ObjectGeometry) -> Double {
    let (dx, dy) = ((other.x - x) * aspectRatio, other.y - y)
    return dx * dx + dy * dy
  }

  /// The unit vector from this centre to another one; `nil` where they coincide.
  func direction(to other: ObjectGeometry) -> (x: Double, y: Double)? {
    let (dx, dy) = ((other.x - x) * aspectRatio, other.y - y)
    let length = (dx * dx + dy * dy).squareRoot()
    return length > 0 ? (dx / length, dy / length) : nil
  }
}

/// A wanted object and the other wanted one that is nearest to it.
struct NearestPair {
  /// The position of the nearest other object, the first of equally near ones.
  let other: Int
  /// The unit vector between the centres; `nil` where they coincide.
  let direction: (x: Double, y: Double)?
  /// The logarithm of the ratio of the objects' sides.
  let logarithmicRatio: Double

  /// - Returns: `nil` for the only object.
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

  /// |1 - d·d'| for the objects that stand for the pair in an image.
  func positionTerm(_ first: ObjectGeometry, _ second: ObjectGeometry) -> Double {
    guard let direction, let found = first.direction(to: second) else { return 0 }
    return abs(1 - (direction.x * found.x + direction.y * found.y))
  }

  /// min(2, |ln of the ratio of ratios|); 2 where an object that was found has no area.
  func sizeTerm(_ first: ObjectGeometry, _ second: ObjectGeometry) -> Double {
    let difference = abs(logarithmicRatio - (first.logarithm - second.logarithm))
    return difference < 2 ? difference : 2
  }
}
