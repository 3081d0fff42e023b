import Bytes
import ImageSearch
import TestSupport
import Testing

@Suite("Distances of features")
struct DistanceTests {
  @Test(
    "The cosine distance is 1 - a·b / (|a| |b|), the Euclidean |a - b|",
    arguments: [
      ([1, 0], [0, 2], 1, 5.0.squareRoot()), ([1, 0], [3, 0], 0, 2), ([1, 0], [-2, 0], 2, 3),
      ([3, 4], [4, 3], 1 - 24.0 / 25, 2.0.squareRoot()),
    ] as [([Float], [Float], Double, Double)])
  func distances(first: [Float], second: [Float], cosine: Double, euclidean: Double) throws {
    #expect(abs(try #require(FeatureDistance.cosine(first, second)) - cosine) < 1e-15)
    #expect(abs(try #require(FeatureDistance.euclidean(first, second)) - euclidean) < 1e-15)
  }

  @Test("A vector of zeros has no direction, and a Euclidean distance")
  func zeros() {
    #expect(FeatureDistance.cosine([0, 0], [1, 0]) == nil)
    #expect(FeatureDistance.cosine([1, 0], [0, 0]) == nil)
    #expect(FeatureDistance.euclidean([0, 0], [3, 4]) == 5)
  }

  @Test("No vector is nearer to another one than to itself")
  func rounding() throws {
    var random = SplitMix64(seed: 2)
    for _ in 0..<1000 {
      let vector = (0..<64).map { _ in Float.random(in: -1...1, using: &random) }
      let distance = try #require(FeatureDistance.cosine(vector, vector))
      #expect(distance >= 0 && distance < 1e-15)
    }
  }
}
