extension Box {
  /// Returns the intersection of two boxes over their union, 0...1; 0 where that is undefined.
  package func intersectionOverUnion(_ other: Box) -> Double {
    let intersection =
      max(0, overlap(x, width, other.x, other.width))
      * max(0, overlap(y, height, other.y, other.height))
    let union = width * height + other.width * other.height - intersection
    return intersection > 0 && union > 0 ? intersection / union : 0
  }

  /// Returns the intersection over union minus (d²/c²)^exponent, where d is the distance between
  /// the centers and c the diagonal of the box around both.
  ///
  /// "Distance-IoU Loss" (Zheng et al., 2020), section 3.3, where the exponent is 1; darknet uses
  /// 0.6.
  package func distanceIntersectionOverUnion(_ other: Box, exponent: Double) -> Double {
    let across = max(x + width, other.x + other.width) - min(x, other.x)
    let down = max(y + height, other.y + other.height) - min(y, other.y)
    let diagonal = across * across + down * down
    let overlap = intersectionOverUnion(other)
    guard diagonal > 0 else { return overlap }
    let (dx, dy) = (center.x - other.center.x, center.y - other.center.y)
    return overlap - Activations.power((dx * dx + dy * dy) / diagonal, exponent)
  }

  private func overlap(
    _ start: Double, _ dimension: Double, _ otherStart: Double, _ otherDimension: Double
  ) -> Double {
    min(start + dimension, otherStart + otherDimension) - max(start, otherStart)
  }
}
