import GraphIR
import TestSupport
import Testing
import Vision
import Weighbridge

@Suite struct StylizerTests {
  private static let folder = Paths.sample("Models/softening")

  private func model(
    shape: [Int?]? = nil, _ change: (inout DescriptionEdit) -> Void = { _ in }
  ) throws -> Model {
    var options = ReadOptions()
    if let shape { options.inputShapes = [InputShape(shape)] }
    var model = try Model(contentsOf: "\(Self.folder)/softening.h5", options: options)
    var edit = DescriptionEdit()
    var image = DescriptionEdit.Image(input: "photo")
    image.scale = 1.0 / 255
    edit.images = [image]
    change(&edit)
    try model.describe(edit)
    return model
  }

  /// Keras' output for an image, in 0...1.
  private func recorded(_ name: String) throws -> Tensor {
    try #require(try ArrayFile.read("\(Self.folder)/recorded.npz")[name])
  }

  /// Expects Keras' output rounded to bytes; halfway between two, either is right.
  private func expect(
    _ image: Image, _ expected: Tensor, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect([image.height, image.width, 3] == expected.shape, sourceLocation: sourceLocation)
    let worst = zip(image.pixels, expected.doubles).map { abs(Double($0) - $1 * 255) }.max() ?? 1
    #expect(worst <= 0.501, sourceLocation: sourceLocation)
  }

  @Test(
    "An image is computed at its own size, whole or in tiles, as Keras does",
    arguments: [512, 96, 64])
  func tiles(side: Int) throws {
    var options = StylizeOptions()
    options.tile = side
    options.overlap = 32
    let stylizer = try Stylizer(model(), options: options)
    let image = try Image(contentsOf: "\(Self.folder)/wide.png")
    expect(try stylizer.stylize(image), try recorded("wide"))
  }

  @Test(
    "A size that the model cannot take is padded with the image's edge, and the result is cropped")
  func oddSizes() throws {
    let image = try Image(contentsOf: "\(Self.folder)/odd.png")
    #expect(image.width == 67 && image.height == 51)
    expect(try Stylizer(model()).stylize(image), try recorded("odd"))
  }

  @Test("A model of a fixed size gets the image at its size")
  func fixedSize() throws {
    let image = try Image(contentsOf: "\(Self.folder)/wide.png")
    let fixed = try Stylizer(model(shape: [88, 264, 3])).stylize(image)
    expect(fixed, try recorded("wide"))
    let small = try Stylizer(model(shape: [44, 44, 3])).stylize(image)
    #expect(small.width == 44 && small.height == 44)
    var options = StylizeOptions()
    options.resize = .letterbox
    let boxed = try Stylizer(model(shape: [44, 44, 3]), options: options).stylize(image)
    #expect(boxed.width == 44 && boxed.height == 14, "the bars are cut off")
  }

  @Test("The output's description decides how its numbers become pixels")
  func records() throws {
    var inverted = try model()
    inverted.content.description.outputs[0].image = ImageInput(
      colorOrder: .bgr, scale: -1.0 / 255, bias: [1, 1, 1], resize: nil, layout: .channelsLast)
    let image = try Image(contentsOf: "\(Self.folder)/odd.png")
    let plain = try Stylizer(model()).stylize(image)
    let negative = try Stylizer(inverted).stylize(image)
    let expected = stride(from: 0, to: plain.pixels.count, by: 3).flatMap { start in
      (0..<3).map { 255 - Int(plain.pixels[start + 2 - $0]) }
    }
    #expect(negative.pixels.count == expected.count)
    #expect(zip(negative.pixels, expected).allSatisfy { abs(Int($0) - $1) <= 1 })
  }

  @Test("An output description with the wrong number of channels is refused")
  func otherChannels() throws {
    var options = StylizeOptions()
    for bias in [[0.0], [0, 0, 0]] {
      var gray = try model()
      gray.content.description.outputs[0].image = ImageInput(
        colorOrder: .gray, scale: 1.0 / 255, bias: bias, resize: nil, layout: .channelsLast)
      for output in [nil, OutputScale(scale: 1.0 / 255)] {
        options.output = output
        let error = failure { _ = try Stylizer(gray, options: options) }
        #expect(error?.code == .mismatch)
        #expect(
          error?.reason.hasSuffix("with 3 channels, and an image whose colors are gray has 1")
            == true)
      }
    }
    // Along the other layout's channel axis it has 88 elements.
    var transposed = try model(shape: [88, 264, 3])
    transposed.content.description.outputs[0].image = ImageInput(
      colorOrder: .rgb, scale: 1.0 / 255, bias: [0, 0, 0], resize: nil, layout: .channelsFirst)
    let error = failure { _ = try Stylizer(transposed) }
    #expect(error?.code == .mismatch && error?.reason.contains("with 88 channels") == true)
  }

  @Test(
    "Models that do not turn an image into an image are refused, and so is too large an overlap")
  func refusals() throws {
    // The eight channels of an inner layer are no image.
    let inner = try model().cut(to: ["conv2d_1"])
    let channels = failure { _ = try Stylizer(inner) }
    #expect(channels?.code == .mismatch)
    #expect(
      channels?.reason.contains("does not transform an image into an image") == true,
      "\(channels as Any)")
    let classifier = failure { _ = try Stylizer(try Sketches.model()) }
    #expect(classifier?.code == .mismatch)
    #expect(classifier?.reason.contains("its output has a score for each class") == true)
    let blind = failure { _ = try Stylizer(try model { $0.images = [] }) }
    #expect(blind?.reason.contains("how an image becomes its input photo") == true)
    var options = StylizeOptions()
    options.overlap = 600
    #expect(failure { _ = try Stylizer(try model(), options: options) }?.code == .mismatch)
  }

  @Test("Tiles cover an axis, and every pixel has a positive weight")
  func axes() throws {
    let scale = try #require(TileScale(from: (8, 8), to: (16, 16)))
    for length in stride(from: 4, through: 300, by: 4) {
      let axis = TileAxis(length: length, tile: 64, overlap: 20, step: 4)
      var sums = [Float](repeating: 0, count: 2 * length)
      for (index, origin) in axis.origins.enumerated() {
        for (offset, weight) in axis.weights(index, scale).enumerated() {
          sums[2 * origin + offset] += weight
        }
      }
      #expect(sums.allSatisfy { $0 > 0.4 }, "\(length)")
      #expect(axis.origins.last.map { $0 + axis.tile } == length)
      #expect(axis.tile <= 64 && axis.origins.allSatisfy { $0 % 4 == 0 })
    }
  }

  @Test("Two sizes have a scale only if both sides change by the same whole-number ratio")
  func scales() {
    #expect(TileScale(from: (8, 6), to: (16, 12))?.scaled(5) == 10)
    #expect(TileScale(from: (8, 6), to: (4, 3))?.scaled(10) == 5)
    #expect(TileScale(from: (8, 6), to: (16, 13)) == nil)
    #expect(TileScale(from: (8, 6), to: (6, 4)) == nil)
  }
}
