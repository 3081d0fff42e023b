import Bytes
import ImageSearch
import Vision

/// A layout and an image's objects, both generated: up to 6 objects of up to 3 classes each.
struct RandomScene {
  let query: CompositionQuery
  let found: Composition

  init(_ random: inout SplitMix64) {
    let labels = Array(["cat", "dog", "cow"].prefix(Int.random(in: 1...3, using: &random)))
    // Positions on a coarse grid have equal distances and coincident centers; other positions do
    // not.
    let grid = Bool.random(using: &random) ? 4.0 : nil
    let wanted = (0..<Int.random(in: 1...6, using: &random)).map { _ in
      Self.object(&random, labels: labels, grid: grid)
    }
    let found = (0..<Int.random(in: 0...6, using: &random)).map { _ in
      Self.object(&random, labels: labels + ["fox"], grid: grid)
    }
    var query = CompositionQuery(
      Composition(objects: wanted, aspectRatio: Double.random(in: 0.4...2.5, using: &random)))
    if Bool.random(using: &random) {
      query.weights = CompositionWeights(
        presence: .random(in: 0...3, using: &random),
        relativePosition: .random(in: 0...3, using: &random),
        size: .random(in: 0...3, using: &random), relativeSize: .random(in: 0...3, using: &random))
    }
    if Bool.random(using: &random) { query.classes = [labels[0]] }
    self.query = query
    self.found = Composition(
      objects: found, aspectRatio: Double.random(in: 0.4...2.5, using: &random))
  }

  static func object(
    _ random: inout SplitMix64, labels: [String], grid: Double? = nil
  ) -> Composition.Object {
    let label = labels[Int.random(in: 0..<labels.count, using: &random)]
    let (width, height) = (
      Double.random(in: 0.05...0.4, using: &random), Double.random(in: 0.05...0.4, using: &random)
    )
    guard let grid else {
      return .init(
        label: label,
        box: Box(
          x: .random(in: 0...1 - width, using: &random),
          y: .random(in: 0...1 - height, using: &random), width: width, height: height))
    }
    let side = 0.25
    let (x, y) = (
      Double(Int.random(in: 0..<4, using: &random)) / grid,
      Double(Int.random(in: 0..<4, using: &random)) / grid
    )
    return .init(label: label, box: Box(x: x, y: y, width: side, height: side))
  }

  var bruteForce: BruteForce {
    BruteForce(
      wanted: query.composition.objects, found: found.objects,
      wantedAspect: query.composition.aspectRatio, foundAspect: found.aspectRatio,
      weights: query.weights, classes: query.classes.map(Set.init))
  }
}
