import Bytes
import GraphIR
import TestSupport
import Testing
import Weighbridge

@testable import Compaction

/// Models of all kinds, on examples that are generated.
@Suite struct SampleModelsTests {
  /// Convolutions of all sorts, recurrent layers, embeddings, numbers of 16 bits.
  private static let paths =
    folder("Keras/2.2.4-tensorflow", ".h5") + folder("Models/number-types", ".k3.keras") + [
      "Models/shape-detector/shape-detector.h5"
    ]

  private static func folder(_ path: String, _ ending: String) -> [String] {
    Files.names(in: Paths.sample(path)).filter { $0.hasSuffix(ending) }.map { "\(path)/\($0)" }
  }

  /// Those with weights to compact; one that cannot be read is among them, for its test to fail.
  private static let compactablePaths = paths.filter { path in
    guard let model = try? Model(contentsOf: Paths.sample(path)) else { return true }
    return !CompactableWeight.all(in: model.content.graph).isEmpty
  }

  @Test func `the samples are there`() {
    #expect(Self.paths.count >= 38)
    #expect(Self.compactablePaths.count >= 2)
  }

  @Test(arguments: compactablePaths)
  func `a budget is met, and nothing but large weights changes`(_ path: String) throws {
    let model = try Model(contentsOf: Paths.sample(path))
    let graph = model.content.graph
    let weights = CompactableWeight.all(in: graph)
    let images = model.metadata.inputs.compactMap { input in
      input.image.map { (input.name, [$0]) }
    }
    let examples = try graph.generatedExamples(
      24, images: Dictionary(uniqueKeysWithValues: images), seed: 1, workers: Workers(count: 2))
    let compactor = Compactor(graph, workers: Workers(count: 2))
    let result = try compactor.compact(
      calibration: Array(examples[..<16]), evaluation: Array(examples[16...]), budget: .error(0.1))
    let errors = try #require(result.errors)
    #expect(errors.worst <= errors.bound && errors.bound <= 0.1)
    #expect(result.estimatedSize < result.originalSize)
    #expect(Set(result.weights.map(\.id)).isSubset(of: weights.map(\.id)))
    for weight in result.weights {
      #expect(weight.tensor.type == graph[weight.id].type)
      #expect(weight.addedErrors.count == graph.outputs.count)
    }
  }

  @Test func `generated images are equal for equal seeds and differ for others`() {
    let images = [1, 1, 2].map {
      GeneratedImage(height: 40, width: 30, components: 3, seed: UInt64($0))
    }
    #expect(images[0].planes == images[1].planes)
    #expect(images[0].planes != images[2].planes)
    for plane in images[0].planes {
      #expect(plane.count == 1200)
      #expect(plane.allSatisfy { (0...255).contains($0) })
    }
  }

  @Test func `generated images have similar variance in each octave`() {
    // Amplitudes that fall as 1/f have the same variance in each octave: differences of means of
    // squares vary as much for large squares as for small ones.
    var variances = [Double](repeating: 0, count: 4)
    for seed in 0..<24 {
      let plane = GeneratedImage(height: 128, width: 128, components: 1, seed: UInt64(seed)).planes[
        0]
      for octave in 0..<4 {
        let size = 2 << octave
        func mean(_ x: Int, _ y: Int) -> Double {
          var sum = 0.0
          for row in y..<y + size {
            for column in x..<x + size { sum += Double(plane[row * 128 + column]) }
          }
          return sum / Double(size * size)
        }
        let positions = stride(from: 0, to: 128 - size, by: 2 * size)
        var squares = 0.0
        for y in positions {
          for x in positions {
            let difference = mean(x + size, y) - mean(x, y)
            squares +=
              difference * difference / Double(Array(positions).count * Array(positions).count)
          }
        }
        variances[octave] += squares
      }
    }
    for octave in 1..<4 { #expect((0.5...2.5).contains(variances[octave] / variances[octave - 1])) }
  }
}
