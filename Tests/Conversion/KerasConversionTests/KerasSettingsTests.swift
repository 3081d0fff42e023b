import Bytes
import GraphIR
import JSON
import KerasConversion
import KerasFormat
import LayerCatalog
import Testing

/// Creates the graph of one Keras layer on inputs of given shapes, as the importer does.
private func graph(
  of className: String, _ settings: JSONObject, on shapes: [[Dimension]],
  weights: [Tensor] = [], writer: KerasProducer = KerasProducer(version: KerasVersion(2, 15, 0))
) throws -> Graph {
  var builder = GraphBuilder()
  var inputs: [ValueID] = []
  for (position, shape) in shapes.enumerated() {
    inputs.append(try builder.addInput("input_\(position)", TensorType(.float32, shape)))
  }
  var layer = KerasLayer(
    source: SourceScope(layer: "layer", className: className), writer: writer,
    settings: settings,
    weights: .file(weights.map { KerasLayer.Weight(path: "/w", tensor: $0) }),
    weightValues: [:], network: KerasNetwork(graph: builder))
  let build = try #require(KerasMappings.layers[className])
  let outputs = try build(&layer, inputs)
  try layer.finish()
  return try layer.graph.finish(
    outputs: outputs.enumerated().map { Port(name: "output_\($0)", value: $1) })
}

private let batch = Dimension.symbolic("batch")

/// The operators of an `Activation` layer with a setting in any form.
private func activation(
  _ setting: JSONValue, _ version: KerasVersion = KerasVersion(2, 15, 0)
) throws -> [AnyHashable] {
  try graph(
    of: "Activation", ["activation": setting], on: [[batch, 4, 3]],
    writer: KerasProducer(version: version)
  ).operators
}

extension Tensor {
  fileprivate static func zeros(_ shape: [Int]) -> Tensor {
    Tensor(.float32, shape: shape, [Double](repeating: 0, count: shape.reduce(1, *)))
  }
}

extension Graph {
  fileprivate var operators: [AnyHashable] { nodes.map { AnyHashable($0.operation) } }
}

@Suite struct KerasSettingsTests {
  @Test(
    "What a layer does in training only is kept, with the axes that share a random number",
    arguments: [
      ("Dropout", ["rate": .real(0.25)], TrainingNoise(.dropout, rate: 0.25)),
      (
        "Dropout", ["rate": .real(0.25), "noise_shape": [.null, 1, .null]],
        TrainingNoise(.dropout, rate: 0.25, sharedAxes: [1])
      ),
      ("Dropout", ["rate": .real(0)], nil),
      ("Dropout", ["rate": .real(1)], nil),
      ("AlphaDropout", ["rate": .real(0.5)], TrainingNoise(.alphaDropout, rate: 0.5)),
      ("GaussianDropout", ["rate": .real(0.5)], TrainingNoise(.gaussianDropout, rate: 0.5)),
      ("GaussianNoise", ["stddev": .real(3)], TrainingNoise(.gaussianNoise, rate: 3)),
      (
        "SpatialDropout1D", ["rate": .real(0.5)],
        TrainingNoise(.dropout, rate: 0.5, sharedAxes: [1])
      ),
      (
        "StochasticDepth", ["drop_path_rate": .real(0.1)],
        TrainingNoise(.dropout, rate: 0.1, sharedAxes: [1, 2])
      ),
    ] as [(String, JSONObject, TrainingNoise?)])
  func noise(className: String, settings: JSONObject, expected: TrainingNoise?) throws {
    let graph = try graph(of: className, settings, on: [[batch, 4, 3]])
    #expect(graph.operators == [Identity(noise: expected)])
  }

  @Test(
    "Whole channels are dropped out in both orders of axes",
    arguments: [("channels_last", [1, 2]), ("channels_first", [2, 3])])
  func spatialDropout(layout: String, axes: [Int]) throws {
    let settings: JSONObject = ["rate": .real(0.5), "data_format": .string(layout)]
    let graph = try graph(of: "SpatialDropout2D", settings, on: [[batch, 4, 4, 3]])
    #expect(
      graph.operators
        == [Identity(noise: TrainingNoise(.dropout, rate: 0.5, sharedAxes: axes))])
  }

  @Test("A function is known by its name and as a serialized object")
  func activationForms() throws {
    #expect(try activation("relu") == [ReLU(slope: 0, threshold: 0, maximum: nil)])
    let written: JSONObject = [
      "module": "builtins", "class_name": "function", "config": "tanh",
      "registered_name": "function",
    ]
    #expect(try activation(.object(written)) == [Tanh()])
    #expect(try activation("softmax") == [Softmax(axes: [2])])
  }

  @Test("Other objects are refused by name")
  func otherObjects() {
    let layer: JSONObject = ["class_name": "Dense", "config": .object([:])]
    let own: JSONObject = [
      "module": "my.code", "class_name": "function", "config": "relu", "registered_name": "relu",
    ]
    let errors = [layer, own].compactMap { setting in
      #expect(throws: WeighbridgeError.self) { try activation(.object(setting)) }
    }
    #expect(errors.map(\.code) == [.unsupported, .unsupported])
    #expect(errors.first?.reason.contains("Dense") == true)
    #expect(errors.last?.reason.contains("my.code") == true)
  }

  @Test("A layer in place of a function keeps its settings")
  func activationLayers() throws {
    let settings: JSONObject = ["name": "act", "dtype": "float32", "alpha": .real(0.25)]
    let layer: JSONObject = [
      "module": "keras.layers", "class_name": "LeakyReLU", "config": .object(settings),
      "registered_name": .null,
    ]
    #expect(try activation(.object(layer)) == [LeakyReLU(slope: 0.25)])
    var refused: [JSONObject] = [layer, layer, layer]
    refused[0]["module"] = "my.layers"
    refused[1]["config"] = .object(["alpha": .real(0.25), "beta": 1])
    refused[2]["config"] = .object(["dtype": "float8", "alpha": .real(0.25)])
    for (setting, phrase) in zip(refused, ["my.layers", "beta", "float8"]) {
      let error = #expect(throws: WeighbridgeError.self) { try activation(.object(setting)) }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    }
  }

  @Test("What a layer does not support is named")
  func refusals() {
    let withWeights: JSONObject = ["class_name": "PReLU", "config": .object([:])]
    let cases: [(name: String, settings: JSONObject, shape: [Dimension], reason: String)] = [
      ("LSTM", ["units": 3, "activation": .object(withWeights)], [batch, 5, 4], "PReLU"),
      ("Dense", ["units": 3, "dtype": "float8_from_float32"], [batch, 3], "float8"),
      ("Dense", ["units": 3, "dtype": "int4_from_float32"], [batch, 3], "int4"),
      ("ReLU", ["dtype": "int8_from_float32"], [batch, 3], "quantized to int8"),
      ("Rescaling", ["dtype": "int32", "scale": 2], [batch, 3], "int32"),
      ("STFTSpectrogram", ["mode": "psd", "frame_length": 0], [batch, 9, 1], "frame_length=0"),
    ]
    for (name, settings, shape, reason) in cases {
      let error = #expect(throws: WeighbridgeError.self) {
        try KerasConversionTests.graph(
          of: name, settings, on: [shape], writer: KerasProducer(version: KerasVersion(3, 13, 0)))
      }
      #expect(error?.reason.contains(reason) == true, "\(name): \(error?.reason ?? "")")
    }
  }

  @Test(
    "A depthwise convolution with strides and a dilation is read where Keras computes it as meant")
  func stridesWithDilation() throws {
    let settings: JSONObject = ["kernel_size": [3], "strides": [2], "dilation_rate": [2]]
    func read(_ writer: KerasProducer) throws {
      _ = try KerasConversionTests.graph(
        of: "DepthwiseConv1D", settings, on: [[batch, 9, 2]],
        weights: [.zeros([3, 2, 1]), .zeros([2])], writer: writer)
    }
    try read(KerasProducer(version: KerasVersion(3, 15, 0)))
    let error = #expect(throws: WeighbridgeError.self) {
      try read(KerasProducer(version: KerasVersion(2, 6, 0)))
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("strides=[2] with a dilation of [2]") == true, "\(error as Any)")
  }

  @Test(
    "Where the backend is not known, a bias stays on its axis, and a decision says what TensorFlow does"
  )
  func biasOfUnknownBackend() throws {
    let settings: JSONObject = [
      "filters": 3, "kernel_size": [2], "data_format": "channels_first",
    ]
    func decisions(_ isOnTensorFlow: Bool?) throws -> [String] {
      var builder = GraphBuilder()
      let input = try builder.addInput("x", TensorType(.float32, [batch, 2, 4]))
      let weights: [Tensor] = [.zeros([2, 2, 3]), .zeros([3])]
      var layer = KerasLayer(
        source: SourceScope(layer: "layer", className: "Conv1D"),
        writer: KerasProducer(version: KerasVersion(3, 15, 0), isOnTensorFlow: isOnTensorFlow),
        settings: settings,
        weights: .file(weights.map { KerasLayer.Weight(path: "/w", tensor: $0) }),
        weightValues: [:], network: KerasNetwork(graph: builder))
      let build = try #require(KerasMappings.layers["Conv1D"])
      _ = try build(&layer, [input])
      return layer.network.decisions.map(\.text)
    }
    #expect(try decisions(false) == [])
    #expect(
      try decisions(true) == ["3 numbers are added along axis 2, as Keras does on TensorFlow"])
    let text = try #require(try decisions(nil).first)
    #expect(
      text.contains("along the axis that they have; Keras on TensorFlow adds them along axis 2"))
  }

  @Test("A layer that works along the batch is not applied to all steps at once")
  func distributedBatch() throws {
    func read(_ axes: [Int], _ version: KerasVersion, batch: Dimension) throws {
      let inner: JSONObject = [
        "class_name": "Softmax",
        "config": .object(["name": "s", "axis": .array(axes.map(JSONValue.integer))]),
      ]
      _ = try KerasConversionTests.graph(
        of: "TimeDistributed", ["layer": .object(inner)], on: [[batch, 5, 3, 2]],
        writer: KerasProducer(version: version))
    }
    try read([1, 2], KerasVersion(3, 15, 0), batch: batch)
    try read([0, 1], KerasVersion(2, 15, 0), batch: batch)
    for (version, batch) in [
      (KerasVersion(3, 15, 0), batch), (KerasVersion(2, 15, 0), .fixed(4)),
    ] {
      let error = #expect(throws: WeighbridgeError.self) {
        try read([0, 1], version, batch: batch)
      }
      #expect(error?.reason.contains("works along axis 0, the batch") == true, "\(error as Any)")
    }
  }

  @Test("A separable convolution follows its dilation as its version of Keras does")
  func ignoredDilation() throws {
    let settings: JSONObject = ["filters": 3, "kernel_size": [3, 3], "dilation_rate": [2, 2]]
    func dilation(_ writer: KerasProducer) throws -> [Int]? {
      let graph = try KerasConversionTests.graph(
        of: "SeparableConv2D", settings, on: [[batch, 9, 9, 2]],
        weights: [.zeros([3, 3, 2, 1]), .zeros([1, 1, 2, 3]), .zeros([3])], writer: writer)
      return graph.nodes.compactMap { $0.operation as? Convolution }.first?.window.dilation
    }
    let unpackaged = try #require(KerasVersion("2.0.8"))
    let packaged = try #require(KerasVersion("2.0.8-tf"))
    #expect(try dilation(KerasProducer(version: unpackaged)) == [1, 1])
    #expect(try dilation(KerasProducer(version: packaged)) == [2, 2])
    #expect(try dilation(KerasProducer(version: KerasVersion(2, 0, 9))) == [2, 2])
    for (writer, reason) in [
      (
        KerasProducer(version: KerasVersion(2, 0), isVersionAssumed: true),
        "ignores, and the file does not name its version; say which with `ReadOptions.kerasVersion`"
      ),
      (
        KerasProducer(version: KerasVersion(2, 2, 4), backend: .cntk),
        "dilation_rate=[2, 2], which Keras computes wrongly on CNTK"
      ),
    ] {
      let error = #expect(throws: WeighbridgeError.self) { _ = try dilation(writer) }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.contains(reason) == true, "\(error as Any)")
    }
  }

  @Test("The hard sigmoid is the one of the file's version of Keras")
  func hardSigmoid() throws {
    let old = try activation("hard_sigmoid", KerasVersion(2, 2, 4))
    #expect(old == [HardSigmoid(slope: 0.2, offset: 0.5)])
    let new = try activation("hard_sigmoid", KerasVersion(3, 0, 0))
    #expect(new == [HardSigmoid(slope: 1 / 6, offset: 0.5)])
  }

  @Test("An explicit 0 is not an absent setting")
  func explicitZero() throws {
    let bounded = try graph(of: "ReLU", ["max_value": 0], on: [[batch, 3]])
    #expect(
      bounded.operators[0] == AnyHashable(ReLU(slope: 0, threshold: 0, maximum: 0)))
    let absent = try graph(of: "ReLU", ["max_value": .null], on: [[batch, 3]])
    #expect(
      absent.operators[0] == AnyHashable(ReLU(slope: 0, threshold: 0, maximum: nil)))
  }

  @Test("An input of a lower rank gets its new axes after the batch")
  func lowerRank() throws {
    let graph = try graph(of: "Multiply", [:], on: [[batch, 3], [batch, 4, 5, 3]])
    #expect(graph.operators[0] == AnyHashable(ExpandDims(axes: [1, 2])))
    #expect(graph[graph.outputs[0].value].type == TensorType(.float32, [batch, 4, 5, 3]))
    let error = #expect(throws: WeighbridgeError.self) {
      try self.graph(of: "Add", [:], on: [[batch, 5], [batch, 4, 5, 3]])
    }
    #expect(error?.code == .malformed, "\(error as Any)")
  }

  @Test("A softmax takes several axes, counted from either end")
  func softmaxAxes() throws {
    let graph = try graph(of: "Softmax", ["axis": [1, -1]], on: [[batch, 4, 5, 3]])
    #expect(graph.operators[0] == AnyHashable(Softmax(axes: [1, 3])))
    for axis: JSONValue in [4, -5, [], [1, 1], [3, -1]] {
      let error = #expect(throws: WeighbridgeError.self) {
        try self.graph(of: "Softmax", ["axis": axis], on: [[batch, 4, 5, 3]])
      }
      #expect(error?.code == .malformed)
      #expect(error?.reason.contains("axis=") == true, "\(error as Any)")
    }
  }

  @Test("The shared axes of a PReLU share one alpha")
  func sharedAxes() throws {
    let alpha = Tensor(.float32, shape: [1, 1, 3], [0.1, 0.2, 0.3])
    let input: [Dimension] = [batch, .symbolic("height"), .symbolic("width"), 3]
    let shared = try graph(of: "PReLU", ["shared_axes": [1, 2]], on: [input], weights: [alpha])
    #expect(shared[shared.outputs[0].value].type == TensorType(.float32, input))
    let error = #expect(throws: WeighbridgeError.self) {
      try self.graph(of: "PReLU", ["shared_axes": .null], on: [input], weights: [alpha])
    }
    #expect(error?.code == .malformed)
    #expect(error?.reason.contains("the size of axis 1 is not known") == true, "\(error as Any)")
  }

  @Test("An output padding of 0 differs from none, and an invalid one is refused")
  func outputPadding() throws {
    let kernel = Tensor.zeros([3, 3, 2, 4])
    func dimensions(_ padding: JSONValue) throws -> [Dimension] {
      let settings: JSONObject = [
        "filters": 2, "kernel_size": 3, "strides": 2, "padding": "same", "use_bias": false,
        "output_padding": padding,
      ]
      let graph = try graph(
        of: "Conv2DTranspose", settings, on: [[batch, 5, .symbolic("width"), 4]],
        weights: [kernel])
      return graph[graph.outputs[0].value].type.shape
    }
    #expect(try dimensions(.null) == [batch, 10, .unknown, 2])
    #expect(try dimensions(0) == [batch, 9, .unknown, 2])
    #expect(try dimensions([1, 0]) == [batch, 10, .unknown, 2])
    for padding: JSONValue in [2, -1, [0], [0, 0, 0], "same"] {
      let error = #expect(throws: WeighbridgeError.self) { try dimensions(padding) }
      let code: WeighbridgeError.Code = padding.integer == nil ? .unsupported : .malformed
      #expect(error?.code == code)
      #expect(error?.reason.contains("output_padding=") == true, "\(error as Any)")
    }
  }

  @Test("Attention is causal if its older setting says so")
  func causalAttention() throws {
    let graph = try graph(of: "Attention", ["causal": true], on: [[batch, 4, 3], [batch, 4, 3]])
    let masking = AttentionMasking(isCausal: true, hasMask: false, fullyMaskedRows: .mean)
    let expected = Attention(
      score: .dot, hasScale: false, masking: masking, returnsAttentionWeights: false)
    #expect(graph.operators == [AnyHashable(expected)])
  }

  @Test("Dropout of attention weights is kept")
  func attentionDropout() throws {
    let attended = try graph(
      of: "Attention", ["dropout": .real(0.25)], on: [[batch, 4, 3], [batch, 4, 3]])
    let masking = AttentionMasking(
      isCausal: false, hasMask: false, fullyMaskedRows: .mean, dropout: 0.25)
    let expected = Attention(
      score: .dot, hasScale: false, masking: masking, returnsAttentionWeights: false)
    #expect(attended.operators == [AnyHashable(expected)])
  }

  @Test("Mean and variance are both in the settings or both in the weights")
  func statistics() throws {
    let written: JSONObject = ["axis": [-1], "mean": [[1, 2, 3]], "variance": 4]
    let graph = try graph(of: "Normalization", written, on: [[batch, 3]])
    #expect(graph.weights.map { $0.tensor.doubles } == [[1, 2, 3], [4, 4, 4]])
    let refused: [(settings: JSONObject, code: WeighbridgeError.Code, phrase: String)] = [
      (["axis": [-1]], .malformed, "the weight mean [3] is missing"),
      (["axis": [-1], "mean": 1], .malformed, "mean and variance"),
      (["axis": [2], "mean": 1, "variance": 1], .malformed, "axis=2"),
      (["axis": [-1], "mean": [1, 2], "variance": 1], .unsupported, "mean="),
      (["axis": .null, "mean": 1, "variance": 1], .malformed, "the setting axis is missing"),
    ]
    for (settings, code, phrase) in refused {
      let error = #expect(throws: WeighbridgeError.self) {
        try self.graph(of: "Normalization", settings, on: [[batch, 3]])
      }
      #expect(error?.code == code, "\(error as Any)")
      #expect(error?.reason.contains(phrase) == true, "\(error as Any)")
    }
  }

  @Test("An index outside of the table is an error when the model runs")
  func indexOutside() {
    let table = Tensor.zeros([3, 2])
    for index in [-1, 3, Double.nan, .infinity] {
      let error = #expect(throws: WeighbridgeError.self) {
        let indices = Tensor(.float32, shape: [1, 2], [0, index])
        _ = try Embedding().evaluate([indices, table], workers: Workers(count: 1))
      }
      #expect(error?.code == .mismatch)
    }
  }

  private func graph(
    of className: String, _ settings: JSONObject, on shapes: [[Dimension]], weights: [Tensor] = []
  ) throws -> Graph {
    try KerasConversionTests.graph(of: className, settings, on: shapes, weights: weights)
  }
}
