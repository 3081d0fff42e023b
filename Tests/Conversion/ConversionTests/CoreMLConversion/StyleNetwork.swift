import JSON

/// The architecture of the style network whose weights are among the reference files, as a `to_json`
/// text, with its custom layer and its Lambdas, under the layer names of the weights file.
///
/// What these compute is described in `Files/style_layers.json`, as the network of the reference outputs
/// has it: that one's first layer pads with zeros.
struct StyleNetwork {
  private var layers: [JSONValue] = []
  private var last = ""
  private var counts: [String: Int] = [:]

  /// The architecture of `van-gogh-starry-night_style.h5`.
  static var json: JSONValue {
    var network = StyleNetwork()
    network.build()
    let config: JSONObject = [
      "name": "style", "layers": .array(network.layers),
      "input_layers": [["input_1", 0, 0]], "output_layers": [[.string(network.last), 0, 0]],
    ]
    return .object([
      "class_name": "Model", "keras_version": "2.0.6", "backend": "tensorflow",
      "config": .object(config),
    ])
  }

  /// The settings of a Lambda as Keras 2.0 writes them; the code is a placeholder.
  private static let lambda: JSONObject = [
    "function": ["AAAA", .null, .null], "function_type": "lambda", "output_shape": .null,
    "output_shape_type": "raw", "arguments": .object([:]),
  ]

  private mutating func build() {
    addInput()
    add("ReflectionPadding2D", "reflection_padding2d_1", ["padding": [40, 40]])
    addBlock(size: 9, stride: 1, padding: "same")
    addBlock(size: 3, stride: 2, padding: "same")
    addBlock(size: 3, stride: 2, padding: "same")
    for number in 1...5 { addResidualBlock(number) }
    for number in 1...2 {
      add("UpSampling2D", "up_sampling2d_\(number)", ["size": [2, 2]])
      addBlock(size: 3, stride: 1, padding: "same")
    }
    addConvolution(filters: 3, size: 9, stride: 1, padding: "same", activation: "tanh")
    add("Lambda", "lambda_6", Self.lambda)
  }

  private mutating func addInput() {
    let shape: JSONValue = [.null, 320, 320, 3]
    append("InputLayer", "input_1", ["batch_input_shape": shape, "dtype": "float32"], from: [])
  }

  /// Convolution, normalization, ReLU.
  private mutating func addBlock(size: Int, stride: Int, padding: String) {
    addConvolution(filters: 64, size: size, stride: stride, padding: padding)
    addNormalization()
    add("Activation", numbered("activation"), ["activation": "relu"])
  }

  /// Two convolutions that lose a pixel at each border, added to what came in, cropped.
  private mutating func addResidualBlock(_ number: Int) {
    let input = last
    addBlock(size: 3, stride: 1, padding: "valid")
    addConvolution(filters: 64, size: 3, stride: 1, padding: "valid")
    addNormalization()
    let branch = last
    append("Lambda", "lambda_\(number)", Self.lambda, from: [input])
    append("Add", "add_\(number)", [:], from: [branch, "lambda_\(number)"])
  }

  private mutating func addConvolution(
    filters: Int, size: Int, stride: Int, padding: String, activation: String = "linear"
  ) {
    add(
      "Conv2D", numbered("conv2d"),
      [
        "filters": .integer(filters), "kernel_size": [.integer(size), .integer(size)],
        "strides": [.integer(stride), .integer(stride)], "padding": .string(padding),
        "activation": .string(activation), "use_bias": true,
      ])
  }

  private mutating func addNormalization() {
    add(
      "BatchNormalization", numbered("batch_normalization"),
      ["axis": -1, "epsilon": .real(0.001), "center": true, "scale": true])
  }

  private mutating func numbered(_ name: String) -> String {
    counts[name, default: 0] += 1
    return "\(name)_\(counts[name, default: 0])"
  }

  private mutating func add(_ className: String, _ name: String, _ config: JSONObject) {
    append(className, name, config, from: [last])
  }

  private mutating func append(
    _ className: String, _ name: String, _ config: JSONObject, from inputs: [String]
  ) {
    var config = config
    config["name"] = .string(name)
    let references = inputs.map { JSONValue.array([.string($0), 0, 0, .object([:])]) }
    layers.append(
      .object([
        "class_name": .string(className), "name": .string(name), "config": .object(config),
        "inbound_nodes": inputs.isEmpty ? [] : [.array(references)],
      ]))
    last = name
  }
}
