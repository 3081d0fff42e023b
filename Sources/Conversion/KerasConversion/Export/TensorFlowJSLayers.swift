import Bytes
import JSON

/// The layers that every version of tfjs-layers has, and what it does with their settings
/// (tfjs-layers, `exports_layers.ts` and `src/layers`).
enum TensorFlowJSLayers {
  private static let classes: Set<String> = [
    "Activation", "Add", "AlphaDropout", "Average", "AveragePooling1D", "AveragePooling2D",
    "AveragePooling3D",
    "BatchNormalization", "Bidirectional", "Concatenate", "Conv1D", "Conv2D", "Conv2DTranspose",
    "Conv3D", "Cropping2D", "Dense", "DepthwiseConv2D", "Dot", "Dropout", "ELU", "Embedding",
    "Flatten", "GRU", "GaussianDropout", "GaussianNoise",
    "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalMaxPooling1D",
    "GlobalMaxPooling2D", "LSTM", "LayerNormalization", "LeakyReLU", "Masking", "MaxPooling1D",
    "MaxPooling2D", "MaxPooling3D", "Maximum", "Minimum", "Multiply", "PReLU", "Permute", "ReLU",
    "RepeatVector", "Reshape", "SeparableConv2D", "SimpleRNN", "Softmax", "SpatialDropout1D",
    "ThresholdedReLU", "TimeDistributed", "UpSampling2D", "ZeroPadding2D",
  ]
  private static let activations: Set<String> = [
    "elu", "hard_sigmoid", "linear", "relu", "relu6", "selu", "sigmoid", "softmax", "softplus",
    "softsign", "tanh",
  ]
  /// The only values of settings that are ignored, or understood in another way.
  private static let required: [String: [String: JSONValue]] = [
    "Conv1D": ["groups": 1], "Conv2D": ["groups": 1], "Conv3D": ["groups": 1],
    "Conv2DTranspose": ["output_padding": .null, "dilation_rate": [1, 1]],
    "UpSampling2D": ["interpolation": "nearest"], "GRU": ["reset_after": false],
    "DepthwiseConv2D": ["dilation_rate": [1, 1]],
    "LayerNormalization": ["center": true, "scale": true],
    "LSTM": ["zero_output_for_mask": false], "SimpleRNN": ["zero_output_for_mask": false],
    "ReLU": ["negative_slope": .real(0), "threshold": .real(0)], "ELU": ["alpha": .real(1)],
    "GlobalAveragePooling1D": ["keepdims": false], "GlobalAveragePooling2D": ["keepdims": false],
    "GlobalMaxPooling1D": ["keepdims": false], "GlobalMaxPooling2D": ["keepdims": false],
  ]

  /// Refuses a layer that TensorFlow.js lacks, or would compute in another way.
  ///
  /// - Parameters:
  ///   - inputRank: The largest number of axes of an input.
  ///   - rank: The number of axes of the output.
  /// - Throws: ``WeighbridgeError/Code/unsupported``.
  static func check(
    _ className: String, _ config: JSONObject, inputRank: Int, rank: Int
  ) throws(WeighbridgeError) {
    guard classes.contains(className) else {
      throw .unsupported("TensorFlow.js has no layer \(className)")
    }
    if let type = config["dtype"]?.string, type != "float32" {
      throw .unsupported("computes in \(type), and layers of TensorFlow.js in float32 only")
    }
    for key in ["activation", "recurrent_activation"] {
      guard let name = config[key]?.string, !activations.contains(name) else { continue }
      throw .unsupported("TensorFlow.js has no activation \(name)")
    }
    if ["BatchNormalization", "Softmax"].contains(className), let axis = config["axis"] {
      // Its backends for the CPU take any other axis for the last one, or have none.
      guard isLast(axis, rank: rank) else {
        throw .unsupported(
          "has axis=\(axis.text()) of \(rank) axes, and TensorFlow.js has \(className) along "
            + "the last only")
      }
      guard className == "Softmax" || rank <= 4 else {
        throw .unsupported(
          "normalizes a tensor of \(rank) axes, and TensorFlow.js has \(className) of up to 4")
      }
    }
    guard className != "Dot" || inputRank <= 3 else {
      throw .unsupported(
        "multiplies a tensor of \(inputRank) axes, and TensorFlow.js has Dot of up to 3")
    }
    let sizes = ["pool_size", "strides"].map { config[$0]?.array?.compactMap(\.integer) ?? [] }
    guard
      !className.hasSuffix("Pooling3D") || config["padding"] != "same"
        || zip(sizes[0], sizes[1]).allSatisfy(>=)
    else {
      throw .unsupported(
        "moves by \(sizes[1]) a window of \(sizes[0]) with padding=same, which TensorFlow.js "
          + "would pad by less than nothing")
    }
    for (key, only) in (required[className] ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard let value = config[key], !isEqual(value, only) else { continue }
      throw .unsupported(
        "has \(key)=\(value.text()), and TensorFlow.js has \(className) with \(only.text()) only")
    }
  }

  private static func isLast(_ axis: JSONValue, rank: Int) -> Bool {
    let axis = axis.array.map { $0.count == 1 ? $0[0] : .null } ?? axis
    return axis.integer == -1 || axis.integer == rank - 1
  }

  private static func isEqual(_ value: JSONValue, _ other: JSONValue) -> Bool {
    if let number = value.real, let expected = other.real { return number == expected }
    return value == other
  }

  /// Refuses an input of a type that TensorFlow.js lacks.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported``.
  static func check(_ type: ElementType) throws(WeighbridgeError) {
    guard ![.float32, .int32, .bool].contains(type) else { return }
    throw .unsupported(
      "an input is \(type.rawValue), and TensorFlow.js takes float32, int32 and bool only")
  }
}
