import Bytes
import ImageSearch
import TestSupport
import Testing
import Vision

@Suite("The cost of a composition")
struct CompositionCostTests {
  private func object(
    _ label: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double
  ) -> Composition.Object {
    .init(label: label, box: Box(x: x, y: y, width: width, height: height))
  }

  private func match(
    _ wanted: [Composition.Object], _ found: [Composition.Object], aspect: Double = 1,
    foundAspect: Double = 1, classes: [String]? = nil
  ) throws -> CompositionMatch {
    var query = CompositionQuery(Composition(objects: wanted, aspectRatio: aspect))
    query.classes = classes
    return try query.match(Composition(objects: found, aspectRatio: foundAspect))
  }

  @Test("10,000 random scenes have the cost that trying all assignments gives")
  func bruteForce() throws {
    var random = SplitMix64(seed: 19)
    var largest = 0.0
    for _ in 0..<10_000 {
      let scene = RandomScene(&random)
      let cost = try scene.query.match(scene.found).cost
      let least = scene.bruteForce.leastCost()
      largest = max(largest, abs(cost - least))
      try #require(abs(cost - least) <= 1e-6, "\(scene)")
    }
    #expect(largest < 1e-9)
  }

  @Test("The cost is the weighted sum of the terms, and the terms are those of the assignment")
  func terms() throws {
    // The centers are 0.4 apart horizontally, and the found ones 0.3 vertically; sides 0.2 and 0.1,
    // found 0.1 and 0.2.
    let found = [object("cat", 0.1, 0.1, 0.1, 0.1), object("dog", 0.05, 0.35, 0.2, 0.2)]
    let wanted = [object("cat", 0.2, 0.4, 0.2, 0.2), object("dog", 0.65, 0.45, 0.1, 0.1)]
    let match = try match(wanted, found)
    #expect(match.assignment == [0, 1] && match.method == .exact)
    // Both objects are each other's nearest: 2 x |1 - 0|, 2 x 0.1, 2 x ln(2 / 0.5).
    #expect(match.terms.presence == 0)
    #expect(abs(match.terms.relativePosition - 2) < 1e-12)
    #expect(abs(match.terms.size - 0.2) < 1e-12)
    #expect(abs(match.terms.relativeSize - 2 * 1.3862943611198906) < 1e-12)
    #expect(abs(match.cost - (1.5 * 2 + 0.2 + 0.5 * 2.772588722239781)) < 1e-12)
  }

  @Test("Missing and surplus objects cost 2 each, in the given classes")
  func presence() throws {
    let wanted = [object("cat", 0, 0, 0.5, 0.5), object("cat", 0.5, 0.5, 0.5, 0.5)]
    let found = [object("dog", 0, 0, 0.5, 0.5), object("cow", 0, 0, 0.5, 0.5)]
    #expect(try match(wanted, []).cost == 4)
    #expect(try match(wanted, found).cost == 8)
    #expect(try match(wanted, found, classes: ["dog"]).cost == 2)
    #expect(try match(wanted, found, classes: ["cat", "cow"]).terms.presence == 3)
  }

  @Test("The relative size term is at most 2 per object, and coinciding centers have no direction")
  func limits() throws {
    let wanted = [object("cat", 0.4, 0.4, 0.2, 0.2), object("dog", 0.45, 0.45, 0.1, 0.1)]
    let found = [object("cat", 0.1, 0.1, 0.01, 0.01), object("dog", 0.5, 0.5, 0.5, 0.5)]
    let match = try match(wanted, found)
    #expect(match.terms.relativePosition == 0)
    #expect(match.terms.relativeSize == 4)
  }

  @Test("Directions are those of the images' real proportions")
  func aspectRatio() throws {
    // In an image of 2 x 1 the diagonal is (0.2, 0.4) of the unit square.
    let wanted = [object("cat", 0.1, 0.1, 0.1, 0.1), object("dog", 0.3, 0.3, 0.1, 0.1)]
    let found = [object("cat", 0.1, 0.1, 0.1, 0.1), object("dog", 0.2, 0.3, 0.1, 0.1)]
    #expect(try match(wanted, found).terms.relativePosition > 0.1)
    #expect(try match(wanted, found, foundAspect: 2).terms.relativePosition < 1e-12)
    #expect(try match(found, wanted, aspect: 2).terms.relativePosition < 1e-12)
  }

  @Test("Of equally near objects the first is the nearest")
  func equallyNear() throws {
    // The second is as far from the first as from the third.
    let wanted = [
      object("a", 0, 0.375, 0.25, 0.25), object("b", 0.375, 0.375, 0.25, 0.25),
      object("c", 0.75, 0.375, 0.25, 0.25),
    ]
    // The first has moved below the second: its pair and that of the second rotate by 90 degrees.
    let found = [object("a", 0.375, 0.75, 0.25, 0.25)] + wanted[1...]
    #expect(abs(try match(wanted, found).terms.relativePosition - 2) < 1e-12)
    #expect(abs(try match(wanted.reversed(), found).terms.relativePosition - 1) < 1e-12)
  }

  @Test("Up to 8 objects the assignment is exact; above, it is improved, and the result says so")
  func methods() throws {
    var random = SplitMix64(seed: 20)
    for count in [8, 9] {
      let wanted = (0..<count).map { _ in RandomScene.object(&random, labels: ["cat"]) }
      let match = try match(wanted, wanted)
      #expect(match.method == (count == 8 ? .exact : .improved))
      #expect(Set(match.assignment.compactMap { $0 }).count == count)
      if count == 8 { #expect(match.cost < 1e-12) }
    }
  }

  @Test("An improved assignment finds 9 to 12 shuffled objects again")
  func improvedAssignments() throws {
    var random = SplitMix64(seed: 21)
    for _ in 0..<100 {
      let wanted = (0..<9 + Int(random.next() % 4)).map { _ in
        RandomScene.object(&random, labels: ["cat", "dog"])
      }
      // The same objects in another order: the best assignment costs nothing.
      let order = wanted.indices.shuffled(using: &random)
      let match = try match(wanted, order.map { wanted[$0] })
      #expect(match.method == .improved)
      #expect(match.cost < 1e-9, "objects of different sizes are told apart by their sizes")
    }
  }
}
