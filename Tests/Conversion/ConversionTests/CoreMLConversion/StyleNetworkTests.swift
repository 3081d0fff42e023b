import JSON
import TestSupport
import Testing
import Weighbridge

@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct StyleNetworkTests {
  private func file(_ name: String) -> String { Fixtures.file("keras/real/van-gogh/\(name)") }

  /// The weights with the network's architecture and what its own layers compute.
  private func model(_ folder: TemporaryFolder) throws -> Model {
    try Files.write(StyleNetwork.json.text().utf8, to: folder.file("style.json"))
    var options = ReadOptions()
    options.architecture = folder.file("style.json")
    options.customLayers =
      "\(Paths.project)/Tests/Conversion/ConversionTests/Files/style_layers.json"
    return try Model(contentsOf: file("van-gogh-starry-night_style.h5"), options: options)
  }

  private func distance(_ image: String, to wanted: [NamedTensor], step: Int) throws -> Distance {
    let model = try model(try TemporaryFolder())
    var options = RunOptions()
    options.engine = .reference
    let inputs = try ArrayFile.read(file("\(image)_inputs.npz"))
    let output = try model.run(inputs, options: options).outputs[0].tensor
    return Distance(actual: output.everyPixel(step), expected: wanted[0].tensor)
  }

  @Test("The style network paints the noise as Keras painted it")
  func noise() throws {
    let wanted = try ArrayFile.read(file("noise_outputs.npz"))
    let distance = try distance("noise", to: wanted, step: 1)
    #expect(distance.error <= 1e-5, "\(distance)")
  }

  @Test("The style network paints the smooth image as closely as Keras itself computes it")
  func smooth() throws {
    // Keras's own single-precision outputs are 1.6e-4 away from what Keras computes in double
    // precision (see Files/style_exact.py), and 1e-4 away from themselves on another machine.
    let wanted = try ArrayFile.read(file("smooth_outputs.npz"))
    let distance = try distance("smooth", to: wanted, step: 1)
    #expect(distance.error <= 2e-4, "\(distance)")
  }

  @Test(
    "Both images are as Keras computes them in double precision",
    arguments: [("noise", 1e-5), ("smooth", 2e-5)])
  func exact(image: String, limit: Double) throws {
    let exact = try ArrayFile.read(
      "\(Paths.project)/Tests/Conversion/ConversionTests/Files/style_exact.npz")
    let wanted = try #require(exact[image])
    let wantedArray = [NamedTensor(name: image, tensor: wanted)]
    let distance = try distance(image, to: wantedArray, step: 8)
    #expect(distance.error <= limit, "\(distance)")
  }

  @Test("All of its weights are used, and its .wbm names both files")
  func conversion() throws {
    let folder = try TemporaryFolder()
    try model(folder).write(to: folder.file("style.wbm"))
    let stored = try Model(contentsOf: folder.file("style.wbm"))
    let convolutions = stored.content.graph.nodes.count { $0.operation.kind == "convolution" }
    #expect(convolutions == 16)
    #expect(stored.provenance.sources.map(\.role) == ["weights", "architecture", "custom-layers"])
    #expect(
      stored.provenance.sources.map(\.fileName)
        == ["van-gogh-starry-night_style.h5", "style.json", "style_layers.json"])
    #expect(stored.provenance.decisions.count == 7)
  }

  @Test("Without an architecture the weights mean nothing")
  func weightsOnly() {
    let error = failure { _ = try Model(contentsOf: file("van-gogh-starry-night_style.h5")) }
    #expect(error?.code == .missing)
    #expect(error?.reason.contains("`ReadOptions.architecture`") == true)
  }
}

extension Tensor {
  /// Every n-th row and column of `[1, height, width, channels]`.
  fileprivate func everyPixel(_ step: Int) -> Tensor {
    guard step > 1 else { return self }
    let (height, width, channels) = (shape[1], shape[2], shape[3])
    let numbers = doubles
    var kept: [Double] = []
    for row in stride(from: 0, to: height, by: step) {
      for column in stride(from: 0, to: width, by: step) {
        let start = (row * width + column) * channels
        kept += numbers[start..<start + channels]
      }
    }
    return Tensor(elementType, shape: [1, height / step, width / step, channels], kept)
  }
}
