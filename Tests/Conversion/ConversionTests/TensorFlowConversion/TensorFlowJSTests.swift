import Foundation
import TestSupport
import Testing
import Weighbridge

/// Layers models of TensorFlow.js: what tensorflowjs made of models of Keras, and what TensorFlow.js
/// wrote itself, against what these computed.
@Suite struct TensorFlowJSTests {
  static func sample(_ path: String) -> String { Paths.sample("TensorFlowJS/\(path)") }

  /// Models that tensorflowjs 4.22 converted.
  static let converted = [
    "convolutions", "float16", "nested", "recurrent", "sharded", "uint16", "uint8",
  ]
  /// Those whose weights are as in the `.h5`.
  static let plain = ["convolutions", "nested", "recurrent", "sharded"]

  private func check(_ model: Model, _ name: String, tolerance: Double = 1e-5) throws {
    let outputs = try model.run(ArrayFile.read(Self.sample("\(name).inputs.npz"))).outputs
    let wanted = try ArrayFile.read(Self.sample("\(name).outputs.npz"))
    #expect(outputs.count == wanted.count)
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: tolerance, relative: tolerance), "\(distance)")
    }
  }

  @Test("A converted model computes what Keras computed, from its folder", arguments: converted)
  func folder(_ name: String) throws {
    try check(Model(contentsOf: Self.sample(name)), name)
  }

  @Test("A converted model and the .h5 that it was made of have no difference", arguments: plain)
  func differences(_ name: String) throws {
    let model = try Model(contentsOf: Self.sample("\(name)/model.json"))
    let original = try Model(contentsOf: Self.sample("\(name).h5"))
    #expect(try model.differences(from: original).isEmpty)
  }

  @Test("A model of Teachable Machine has its labels and its picture, and computes the same")
  func teachable() throws {
    let model = try Model(contentsOf: Self.sample("teachable"))
    #expect(model.metadata.labels == ["cat", "dog", "bird"])
    let image = try #require(model.metadata.inputs.first?.image)
    #expect(image.colorOrder == .rgb && image.resize == .centerCrop)
    #expect(image.scale == 1 / 127.0 && image.bias == [-1, -1, -1])
    let outputs = try model.run(ArrayFile.read(Self.sample("teachable.input.npy"))).outputs
    let wanted = try ArrayFile.read(Self.sample("teachable.output.npy"))
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  @Test(
    "What is written is read again, and computes what Keras computed", arguments: plain.dropLast(2))
  func written(_ name: String) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Self.sample("\(name).h5"))
    let report = try model.export(to: folder.file("web"), as: .tensorFlowJS())
    #expect(report.files.first == folder.file("web/model.json"))
    try check(Model(contentsOf: folder.file("web")), name)
  }

  /// Models with layers that TensorFlow.js tells by wrappers and passed masks, and those layers.
  static let stepwise: [(sample: String, classes: [String])] = [
    ("Keras/1.2.2-theano/bidirectional_gru_sum", ["Bidirectional"]),
    ("Keras/2.2.4-tensorflow/time_distributed_conv", ["TimeDistributed"]),
    ("Keras/1.2.2-theano/masking_gru", ["Masking", "GRU"]),
    ("Keras/1.2.2-theano/embedding_mask_lstm", ["Embedding", "LSTM"]),
    ("Layers/simple_rnn/simple_rnn_forms", ["SimpleRNN"]),
  ]

  @Test("Directions, steps and masks are written as the layers that have them", arguments: stepwise)
  func steps(_ sample: String, _ classes: [String]) throws {
    let folder = try TemporaryFolder()
    let path = Paths.sample(sample)
    let model = try Model(contentsOf: "\(path).h5")
    _ = try model.export(to: folder.file("web"), as: .tensorFlowJS())
    let text = try String(contentsOfFile: folder.file("web/model.json"), encoding: .utf8)
    let missing = classes.filter { !text.contains("\"class_name\":\"\($0)\"") }
    #expect(!classes.isEmpty && missing.isEmpty)
    let outputs = try Model(contentsOf: folder.file("web"))
      .run(ArrayFile.read("\(path).inputs.npz")).outputs
    let wanted = try ArrayFile.read("\(path).outputs.npz")
    #expect(!wanted.isEmpty && outputs.count == wanted.count)
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  @Test(
    "Quantized weights differ by half a step at most, and 0 stays 0",
    arguments: TensorFlowJSQuantization.allCases)
  func quantized(_ quantization: TensorFlowJSQuantization) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Self.sample("convolutions.h5"))
    var options = TensorFlowJSOptions()
    options.quantization = quantization
    _ = try model.export(to: folder.file("web"), as: .tensorFlowJS(options))
    let copy = try Model(contentsOf: folder.file("web"))
    let (weights, others) = (Self.weights(model), Self.weights(copy))
    #expect(weights.count == 11 && others.count == 11)
    for (elements, others) in zip(weights, others) {
      let range = max(0, elements.max() ?? 0) - min(0, elements.min() ?? 0)
      let step = quantization == .uint8 ? range / 255 : range / 1024
      for (element, other) in zip(elements, others) {
        #expect(abs(element - other) <= 0.51 * step)
      }
    }
  }

  private static func weights(_ model: Model) -> [[Double]] {
    model.content.graph.values.compactMap { $0.constant?.doubles }
  }

  @Test(
    "What TensorFlow.js computes in another way is written in a form that it computes as meant",
    arguments: [
      ("TensorFlow/2.15/sequential_cnn/model.h5", "TensorFlow/2.15/sequential_cnn/", "Flatten"),
      ("TFLite/2.15/depthwise.tflite", "TFLite/2.15/depthwise.", "DepthwiseConv2D"),
    ])
  func otherForm(_ sample: (model: String, arrays: String, layer: String)) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Paths.sample(sample.model))
    _ = try model.export(to: folder.file("web"), as: .tensorFlowJS())
    let text = String(decoding: try Files.read(folder.file("web/model.json")), as: UTF8.self)
    #expect(text.contains("\"class_name\":\"\(sample.layer)\""))
    let inputs = try ArrayFile.read(Paths.sample("\(sample.arrays)inputs.npz"))
    let outputs = try Model(contentsOf: folder.file("web")).run(inputs).outputs
    let wanted = try ArrayFile.read(Paths.sample("\(sample.arrays)outputs.npz"))
    #expect(outputs.count == wanted.count && !wanted.isEmpty)
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  @Test(
    "What TensorFlow.js computes wrongly, or fails at, is refused",
    arguments: [
      ("Layers/average_pooling/average_pooling3d_same_stride2x1x3", "pad by less than nothing"),
      ("Layers/batch_normalization/batch_normalization_axis1", "along the last only"),
      ("Layers/batch_normalization/batch_normalization_5d", "of up to 4"),
      ("Layers/dot/dot_image_and_matrix", "has Dot of up to 3"),
      ("Layers/layer_normalization/layer_normalization_no_scale", "has scale=false"),
      ("Layers/max_pooling/max_pooling3d_same_stride2x1x3", "pad by less than nothing"),
      ("Layers/softmax/softmax_axis1", "along the last only"),
      ("Layers/lstm/lstm_bidirectional_masked_keras2_2_4", "a model with masks"),
      ("Keras/2.0.9-tensorflow/separable2d_dilated", "DepthwiseConv2D with [1,1] only"),
    ])
  func wrongInLibrary(_ sample: (name: String, phrase: String)) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Paths.sample("\(sample.name).h5"))
    let error = failure { _ = try model.export(to: folder.file("web"), as: .tensorFlowJS()) }
    #expect(error?.has(.unsupported, sample.phrase) == true, "\(error as Any)")
  }

  @Test("A layer that TensorFlow.js lacks, or would compute in another way, is refused")
  func refusal() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Self.sample("recurrent.h5"))
    let error = failure { _ = try model.export(to: folder.file("web"), as: .tensorFlowJS()) }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("gru (GRU): has reset_after=true") == true, "\(error as Any)")
    #expect(Files.names(in: folder.file("web")).isEmpty)
  }
}

/// Models of TensorFlow.js that are wrong.
@Suite struct HostileTensorFlowJSTests {
  /// A change to a copy of a good model, and a part of the reason why it is refused.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: WeighbridgeError.Code
    let reason: String
    let change: @Sendable (TemporaryFolder) throws -> Void
  }

  private static func replacing(_ old: String, _ new: String)
    -> @Sendable (TemporaryFolder) throws
    -> Void
  {
    { folder in
      let path = folder.file("model.json")
      let text = String(decoding: try Files.read(path), as: UTF8.self)
      let changed = text.replacing(old, with: new, maxReplacements: 1)
      try #require(changed != text)
      try Files.write(changed.utf8, to: path)
    }
  }

  static let cases = [
    Case(testDescription: "a file that is missing", code: .missing, reason: "cannot open") {
      try Files.remove($0.file("group1-shard2of3.bin"))
    },
    Case(testDescription: "a file that is cut short", code: .malformed, reason: "not complete") {
      try Files.write([0, 1, 2], to: $0.file("group1-shard2of3.bin"))
    },
    Case(
      testDescription: "a path that leaves the folder", code: .malformed, reason: "leads out",
      change: replacing("group1-shard1of3.bin", "../group1-shard1of3.bin")),
    Case(
      testDescription: "an absolute path", code: .malformed, reason: "leads out",
      change: replacing("group1-shard1of3.bin", "/etc/passwd")),
    Case(testDescription: "a link", code: .malformed, reason: "symbolic link") {
      let name = "group1-shard1of3.bin"
      try Files.remove($0.file(name))
      try Files.link($0.file(name), to: TensorFlowJSTests.sample("sharded/\(name)"))
    },
    Case(
      testDescription: "a weight that is listed twice", code: .malformed, reason: "twice",
      change: replacing("\"name\": \"first/bias\"", "\"name\": \"first/kernel\"")),
    Case(
      testDescription: "a size that does not fit", code: .malformed, reason: "bytes",
      change: replacing("\"shape\": [3, 3, 3, 4]", "\"shape\": [3, 3, 3, 5]")),
    Case(
      testDescription: "a size beyond all memory", code: .malformed, reason: "size",
      change: replacing(
        "\"shape\": [3, 3, 3, 4]", "\"shape\": [3000000000, 3000000000, 3000000000]")),
    Case(
      testDescription: "a string", code: .unsupported, reason: "is string",
      change: replacing("\"dtype\": \"float32\"}", "\"dtype\": \"string\"}")),
    Case(
      testDescription: "layers of a graph model", code: .malformed, reason: "has no operations",
      change: replacing("\"layers-model\"", "\"graph-model\"")),
  ]

  @Test("What is wrong is named", arguments: cases)
  func refusal(_ sample: Case) throws {
    let folder = try TemporaryFolder()
    for name in Files.names(in: TensorFlowJSTests.sample("sharded")) {
      try Files.write(
        Files.read(TensorFlowJSTests.sample("sharded/\(name)")), to: folder.file(name))
    }
    try sample.change(folder)
    let error = failure { _ = try Model(contentsOf: folder.path) }
    #expect(error?.code == sample.code)
    #expect(error?.reason.contains(sample.reason) == true, "\(error as Any)")
  }

  @Test("A scale that is not finite is refused")
  func scale() throws {
    let folder = try TemporaryFolder()
    let name = "group1-shard1of1.bin"
    try Files.write(Files.read(TensorFlowJSTests.sample("uint8/\(name)")), to: folder.file(name))
    let text = String(
      decoding: try Files.read(TensorFlowJSTests.sample("uint8/model.json")), as: UTF8.self)
    let manifest = try #require(text.range(of: "weightsManifest")).upperBound
    let start = try #require(text.range(of: "\"scale\": ", range: manifest..<text.endIndex))
    let end = try #require(text[start.upperBound...].firstIndex { ",}".contains($0) })
    let changed = text[..<start.upperBound] + "NaN" + text[end...]
    try Files.write(changed.utf8, to: folder.file("model.json"))
    let error = failure { _ = try Model(contentsOf: folder.path) }
    #expect(error?.code == .malformed)
    #expect(error?.reason.contains("expected a finite number") == true, "\(error as Any)")
  }
}
