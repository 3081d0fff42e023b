import ImageSearch
import Vision

/// The cost of a composition by trying all assignments, implemented from the definition alone:
/// boxes and angles, no tables, no bounds.
struct BruteForce {
  let wanted: [Composition.Object]
  let found: [Composition.Object]
  let wantedAspect, foundAspect: Double
  let weights: CompositionWeights
  let classes: Set<String>?

  /// The least cost of all assignments that assign as many objects as possible.
  func leastCost() -> Double {
    var least = Double.infinity
    forEachAssignment([], without: surplus) { least = min(least, cost($0)) }
    return least + weights.presence * presence()
  }

  /// The number of wanted objects that no found one is left for.
  private var surplus: Int {
    Set(wanted.map(\.label)).reduce(0) { sum, label in
      let missing =
        wanted.filter { $0.label == label }.count - found.filter { $0.label == label }.count
      return sum + max(0, missing)
    }
  }

  /// Calls `body` with every assignment: the indices of found objects, and -1 for the `surplus`
  /// wanted ones that have none.
  private func forEachAssignment(
    _ start: [Int], without surplus: Int, _ body: ([Int]) -> Void
  ) {
    guard start.count < wanted.count else {
      if surplus == 0 { body(start) }
      return
    }
    if surplus > 0 { forEachAssignment(start + [-1], without: surplus - 1, body) }
    for index in found.indices
    where !start.contains(index) && found[index].label == wanted[start.count].label {
      forEachAssignment(start + [index], without: surplus, body)
    }
  }

  private func presence() -> Double {
    let labels = Set((wanted + found).map(\.label))
    return labels.filter { classes?.contains($0) ?? true }.reduce(0) { sum, label in
      let difference =
        wanted.filter { $0.label == label }.count - found.filter { $0.label == label }.count
      return sum + Double(abs(difference))
    }
  }

  private func cost(_ assignment: [Int]) -> Double {
    var (position, size, relative) = (0.0, 0.0, 0.0)
    for (index, match) in assignment.enumerated() where match >= 0 {
      size += abs(area(wanted[index]).squareRoot() - area(found[match]).squareRoot())
      guard let other = nearest(index), assignment[other] >= 0 else { continue }
      let (a, b) = (wanted[index], wanted[other])
      let (c, d) = (found[match], found[assignment[other]])
      if let first = angle(a, b, wantedAspect), let second = angle(c, d, foundAspect) {
        position += abs(1 - cosine(first - second))
      }
      let ratio = (area(a) / area(b)).squareRoot() / (area(c) / area(d)).squareRoot()
      relative += min(2, abs(logarithm(ratio)))
    }
    return weights.relativePosition * position + weights.size * size
      + weights.relativeSize * relative
  }

  private func nearest(_ index: Int) -> Int? {
    var best: (Int, Double)?
    for other in wanted.indices where other != index {
      let (a, b) = (center(wanted[index]), center(wanted[other]))
      let dx = (a.x - b.x) * wantedAspect
      let distance = (dx * dx + (a.y - b.y) * (a.y - b.y)).squareRoot()
      if best.map({ distance < $0.1 }) ?? true { best = (other, distance) }
    }
    return best?.0
  }

  private func center(_ object: Composition.Object) -> (x: Double, y: Double) {
    (object.box.x + object.box.width / 2, object.box.y + object.box.height / 2)
  }

  private func area(_ object: Composition.Object) -> Double { object.box.width * object.box.height }

  private func angle(
    _ first: Composition.Object, _ second: Composition.Object, _ aspect: Double
  ) -> Double? {
    let (a, b) = (center(first), center(second))
    let (dx, dy) = ((b.x - a.x) * aspect, b.y - a.y)
    return dx == 0 && dy == 0 ? nil : arcTangent(dy, dx)
  }
}
