import Bytes
import CoreMLFormat
import ProtobufWire
import TestSupport
import Testing

/// Files that are written and read back, and a file of coremltools.
@Suite struct ModelTests {
  private let input = CoreMLFeature(
    name: "image", summary: "An image",
    type: .image(
      CoreMLImage(
        size: .init(width: 4, height: 3), colorSpace: .bgr,
        flexibility: .range(
          width: CoreMLSizeRange(lowerBound: 1, upperBound: nil),
          height: CoreMLSizeRange(lowerBound: 2, upperBound: 9)))))

  private func weights(_ offset: Int, _ encoding: CoreMLWeights.Encoding) -> ProtobufValue {
    .record(CoreMLWeights(encoding, at: ProtobufByteRange(offset: offset, byteCount: 12)).record)
  }

  /// A network with weights of every encoding.
  private var network: CoreMLNetwork {
    CoreMLNetwork(
      layers: [
        CoreMLLayer(
          name: "conv", kind: "convolution", inputs: ["image"], outputs: ["a"],
          inputShapes: [CoreMLShape(rank: 4, dimensions: [1, -1, 3, 4])],
          settings: [
            "outputChannels": .integer(3), "same": .record([:]), "kernelSize": .integers([1, 1]),
            "weights": weights(1, .float32), "bias": weights(2, .float16),
          ]),
        CoreMLLayer(
          name: "scale", kind: "scale", inputs: ["a"], outputs: ["b"],
          settings: [
            "scale": weights(3, .quantized(bits: 5, .linear(scales: [0.5], biases: [1, 2]))),
            "bias": weights(4, .quantized(bits: 8, .lookupTable([0.25, -1]))),
          ]),
        CoreMLLayer(
          name: "dense", kind: "innerProduct", inputs: ["b"], outputs: ["c"],
          settings: [
            "int8DynamicQuantize": .boolean(true),
            "weights": weights(5, .int8(.linear(scales: [1], biases: []))),
          ]),
      ],
      preprocessing: [
        CoreMLPreprocessing(
          feature: "image",
          step: .scaler(scale: 0.5, red: 1, green: 2, blue: 3, gray: 0)),
        CoreMLPreprocessing(
          feature: nil, step: .meanImage(ProtobufByteRange(offset: 6, byteCount: 12))),
      ], arrayMapping: .exact, imageMapping: .rank4)
  }

  private func model(_ content: CoreMLContent) -> CoreMLModel {
    let array = CoreMLArray(
      shape: [2, 3], element: .float32, flexibility: .enumerated([[2, 3], [4, 3]]),
      defaultValue: .double(0))
    let ranges = CoreMLArray(
      shape: [], element: nil,
      flexibility: .ranges([CoreMLSizeRange(lowerBound: 0, upperBound: 5)]))
    let sizes = CoreMLImage(
      size: .init(width: 1, height: 1), colorSpace: .grayscale,
      flexibility: .enumerated([.init(width: 1, height: 1)]))
    let types: [CoreMLFeatureType] = [
      .int64, .double, .string, .multiArray(array), .multiArray(ranges), .image(sizes),
      .dictionary(.int64), .dictionary(.string),
      .sequence(.string, CoreMLSizeRange(lowerBound: 1, upperBound: nil)), .sequence(.int64, nil),
    ]
    let outputs = types.enumerated().map { index, type in
      CoreMLFeature(name: "o\(index)", type: type, isOptional: index == 3)
    }
    return CoreMLModel(
      specificationVersion: 4,
      description: CoreMLDescription(
        inputs: [input], outputs: outputs, predictedFeature: "o0", predictedProbabilities: "o6",
        metadata: CoreMLMetadata(
          summary: "s", version: "v", author: "é", license: "l",
          userDefined: ["b": "2", "a": "1", "empty": ""])), content: content)
  }

  private var contents: [CoreMLContent] {
    let classes = CoreMLClasses(labels: .strings(["cat", "dog"]), probabilities: "c")
    let suppression = CoreMLSuppression(
      method: .init(isPerClass: true), labels: .integers([3, -4]), iouThreshold: 0.25,
      confidenceThreshold: 0, inputs: .init(confidence: "rc", coordinates: "rx"),
      outputs: .init(confidence: "c", coordinates: "x"), iouThresholdInput: "iou",
      confidenceThresholdInput: "conf")
    let pipeline = CoreMLPipeline(
      models: [model(.neuralNetwork(network)), model(.nonMaximumSuppression(suppression))],
      names: ["network", "suppression"])
    return [
      .neuralNetwork(network), .neuralNetworkRegressor(network),
      .neuralNetworkClassifier(network, classes), .nonMaximumSuppression(suppression),
      .pipeline(pipeline), .pipelineClassifier(pipeline), .pipelineRegressor(pipeline),
    ]
  }

  /// Writes a model in which each byte of elements is the offset of their byte range.
  private func write(_ model: CoreMLModel, to path: String) throws {
    var writer = try CoreMLWriter(model, to: path)
    while let byteRange = try writer.nextByteRange() {
      let elements = [UInt8](repeating: UInt8(byteRange.offset), count: byteRange.byteCount)
      try writer.append(elements.span.bytes)
    }
    try writer.commit(replacing: true)
  }

  private func isRecognized(_ bytes: [UInt8]) -> Bool { CoreMLReader.recognizes(bytes.span.bytes) }

  @Test("What is written reads back, with its weights where they are", arguments: 0..<7)
  func roundTrip(index: Int) throws {
    let folder = try TemporaryFolder()
    let model = model(contents[index])
    try write(model, to: folder.file("m.mlmodel"))
    let bytes = [UInt8](try Files.read(folder.file("m.mlmodel")))
    #expect(isRecognized(bytes))
    let read = try CoreMLReader.read(bytes.span.bytes)
    let originalRange = { (range: ProtobufByteRange) in
      ProtobufByteRange(offset: Int(bytes[range.offset]), byteCount: range.byteCount)
    }
    #expect(read.mappingByteRanges(originalRange) == model)
  }

  @Test("A file is the same whenever it is written")
  func deterministic() throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { try write(model(contents[4]), to: folder.file(name)) }
    #expect(try Files.read(folder.file("a")) == Files.read(folder.file("b")))
  }

  @Test("Models of other kinds are named and refused, whatever they hold")
  func otherKinds() {
    for (number, kind) in [
      (402, "treeEnsembleClassifier"), (606, "categorical"),
    ] {
      let bytes = [8, 7, 0x12, 0] + ProtobufField.header(number, byteCount: 3) + [255, 255, 255]
      #expect(isRecognized(bytes))
      let error = failure { _ = try CoreMLReader.read(bytes.span.bytes) }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.contains(kind) == true)
    }
  }

  @Test("What is not a model is not recognized")
  func unrecognized() {
    for bytes: [UInt8] in [[], [8, 7], [8, 7, 0x12, 3, 1, 2, 3], Array("Core ML".utf8)] {
      #expect(!isRecognized(bytes))
    }
  }

  @Test(
    "Layers, weights and preprocessing of coremltools 0.8",
    .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.skipReason)))
  func fixture() throws {
    let bytes = [UInt8](try Files.read(Fixtures.file("coreml/small_unet.mlmodel")))
    let model = try CoreMLReader.read(bytes.span.bytes)
    guard case .neuralNetwork(let network) = model.content else {
      Issue.record("is no network")
      return
    }
    #expect(model.specificationVersion == 1)
    #expect(network.layers.count == 51)
    #expect(
      network.preprocessing == [
        CoreMLPreprocessing(
          feature: "image",
          step: .scaler(
            scale: Double(Float(0.00392156886)), red: 0, green: 0, blue: 0, gray: 0))
      ])
    let layer = network.layers[0]
    #expect(layer.name == "conv2d_1" && layer.kind == "convolution")
    #expect(layer.inputs == ["image"] && layer.outputs == ["conv2d_1_output"])
    #expect(layer.settings.integers("kernelSize") == [3, 3])
    let weights = try CoreMLWeights(try #require(layer.settings.record("weights")))
    #expect(weights.encoding == .float32 && weights.byteRange.byteCount == 4 * 216)
    let last = bytes[weights.byteRange.range].suffix(4).reversed().reduce(UInt32(0)) {
      $0 << 8 | UInt32($1)
    }
    #expect(Float(bitPattern: last) == 0.3212082087993622)
  }
}

extension CoreMLModel {
  /// The model with other byte ranges.
  fileprivate func mappingByteRanges(
    _ transform: (ProtobufByteRange) -> ProtobufByteRange
  ) -> CoreMLModel {
    var model = self
    switch content {
    case .neuralNetwork(let network):
      model.content = .neuralNetwork(network.mappingByteRanges(transform))
    case .neuralNetworkRegressor(let network):
      model.content = .neuralNetworkRegressor(network.mappingByteRanges(transform))
    case .neuralNetworkClassifier(let network, let classes):
      model.content = .neuralNetworkClassifier(network.mappingByteRanges(transform), classes)
    case .pipeline(let pipeline): model.content = .pipeline(pipeline.mappingByteRanges(transform))
    case .pipelineClassifier(let pipeline):
      model.content = .pipelineClassifier(pipeline.mappingByteRanges(transform))
    case .pipelineRegressor(let pipeline):
      model.content = .pipelineRegressor(pipeline.mappingByteRanges(transform))
    case .nonMaximumSuppression, .program: break
    }
    return model
  }
}

extension CoreMLPipeline {
  fileprivate func mappingByteRanges(
    _ transform: (ProtobufByteRange) -> ProtobufByteRange
  ) -> CoreMLPipeline {
    CoreMLPipeline(models: models.map { $0.mappingByteRanges(transform) }, names: names)
  }
}

extension CoreMLNetwork {
  fileprivate func mappingByteRanges(
    _ transform: (ProtobufByteRange) -> ProtobufByteRange
  ) -> CoreMLNetwork {
    var network = self
    for index in layers.indices {
      network.layers[index].settings = layers[index].settings.mappingByteRanges(transform)
    }
    for index in preprocessing.indices {
      guard case .meanImage(let byteRange) = preprocessing[index].step else { continue }
      network.preprocessing[index].step = .meanImage(transform(byteRange))
    }
    return network
  }
}
