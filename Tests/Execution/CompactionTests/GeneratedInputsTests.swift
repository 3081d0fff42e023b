import Bytes
import GraphIR
import TestSupport
import Testing
import Weighbridge

@testable import Compaction

/// Which inputs are taken for images, what is generated for them, and which are alike.
@Suite struct GeneratedInputsTests {
  private static func classifier() throws -> Graph {
    try Model(contentsOf: Paths.sample("Models/sketch-classifier/sketch-classifier.h5"))
      .content.graph
  }

  private static func generated(
    _ kind: GeneratedImageKind, _ count: Int, components: Int = 3, from seed: Int = 0
  ) -> [Tensor] {
    (seed..<seed + count).map {
      let image = GeneratedImage(
        height: 48, width: 48, components: components, kind: kind, seed: UInt64($0))
      return Tensor(.float32, shape: [1, components, 48, 48], floats: image.planes.flatMap { $0 })
    }
  }

  private static let image = ImageInput(
    colorOrder: .rgb, scale: 1, bias: [0, 0, 0], resize: nil, layout: .channelsFirst)

  @Test func `an input without a description is an image by its shape`() throws {
    let graph = try Self.classifier()
    let images = try #require(try graph.imageInputs(described: [:], examples: []))
    let ranges = try #require(images.values.first)
    #expect(images.count == 1)
    #expect(ranges.map(\.scale) == [1 / 255, 2 / 255, 1])
    #expect(ranges.map(\.bias) == [[0], [-1], [0]])
    let example = Tensor(
      .float32, shape: [1, 64, 64, 1], floats: (0..<4096).map { Float($0) / 4095 * 3 - 1 })
    let given = try graph.imageInputs(described: [:], examples: [[example]])
    #expect(given?.values.first?.map(\.scale) == [3.0 / 255])
    #expect(given?.values.first?.map(\.bias) == [[-1]])
    let other = ImageInput(
      colorOrder: .gray, scale: 0.5, bias: [7], resize: nil, layout: .channelsLast)
    let described = try graph.imageInputs(
      described: [graph.inputs[0].name: other], examples: [[example]])
    #expect(described?.values.first == [other])
  }

  @Test func `sequences of images are no images`() throws {
    let model = try Model(contentsOf: Paths.sample("Keras/2.2.4-tensorflow/conv_lstm.h5"))
    #expect(try model.content.graph.imageInputs(described: [:], examples: []) == nil)
  }

  @Test func `kinds of images and ranges of numbers take turns`() throws {
    let graph = try Self.classifier()
    let images = try #require(try graph.imageInputs(described: [:], examples: []))
    let examples = try graph.generatedExamples(
      15, of: GeneratedImageKind.measured, images: images, seed: 1, workers: Workers(count: 2))
    let ranges = examples.map { inputs in
      let numbers = inputs[0].doubles
      return (numbers.min() ?? 0)...(numbers.max() ?? 0)
    }
    #expect(ranges.count == 15)
    let count = GeneratedImageKind.measured.count
    for number in 0..<count {
      #expect(ranges[number].lowerBound >= 0 && ranges[number].upperBound <= 1)
      #expect(ranges[number + count].lowerBound >= -1 && ranges[number + count].upperBound <= 1)
      #expect(ranges[number + 2 * count].upperBound > 100)
    }
    // Bright images are bright in each range.
    #expect(examples[2][0].doubles.reduce(0, +) / 4096 > 0.65)
    #expect(examples[2 * count + 2][0].doubles.reduce(0, +) / 4096 > 165)
  }

  @Test(arguments: GeneratedImageKind.allCases)
  func `every kind of image varies`(_ kind: GeneratedImageKind) {
    let numbers = Self.generated(kind, 1)[0].doubles
    #expect(numbers.allSatisfy { (0...255).contains($0) && $0 == $0.rounded() })
    #expect(Set(numbers).count > 1)
  }

  @Test func `kinds that errors are measured on are in part unlike those learned from`() {
    let unlike = GeneratedImageKind.measured.filter { !GeneratedImageKind.learned.contains($0) }
    #expect(unlike.count >= 3)
  }

  @Test func `crops of one image are alike, and different images are not`() {
    let photos = Self.generated(.photo, 12, from: 100)
    let whole = Self.generated(.photo, 1, from: 7)[0].doubles
    let crops = (0..<8).map { number in
      let (left, top) = (number % 3 * 8, number / 3 * 8)
      let pixels = (0..<3).flatMap { plane in
        (top..<top + 32).flatMap { row in
          (left..<left + 32).map { whole[(plane * 48 + row) * 48 + $0] }
        }
      }
      return Tensor(.float32, shape: [1, 3, 32, 32], pixels)
    }
    #expect(ImageVariety.areAlike(crops, generated: photos, Self.image))
    let others = GeneratedImageKind.allCases.flatMap { Self.generated($0, 2) }
    #expect(!ImageVariety.areAlike(others, generated: photos, Self.image))
    #expect(!ImageVariety.areAlike([crops[0]], generated: photos, Self.image))
  }
}
