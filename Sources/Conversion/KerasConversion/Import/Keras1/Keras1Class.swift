import Bytes
import JSON
import KerasFormat
import LayerCatalog

/// How Keras 2 writes a layer class of Keras 1.
struct Keras1Class: Sendable {
  typealias Failure = WeighbridgeError
  typealias Change = @Sendable (inout Keras1Settings) throws(Failure) -> Void

  /// What Keras 2 calls it.
  let className: String
  /// Settings that became entries of one list.
  var lists: [([String], String)] = []
  /// Settings that keep their name although those of other classes have another now.
  var keeps: [String] = []
  /// Whether the layer has image axes in an order of its own.
  var hasImageAxes = false
  /// What else changes.
  var change: Change?
  /// How the weights are laid out.
  var weights = Keras1Weights.unchanged

  /// The settings that hold a layer inside a layer.
  static let wrapped = ["layer"]

  /// The entry of a layer; `nil` for a class that is not Keras' own.
  static func entry(
    _ record: KerasLayerRecord, _ writer: KerasProducer
  ) throws(WeighbridgeError) -> Keras1Class? {
    switch record.className {
    case "Merge": return try merge(record)
    case "BatchNormalization": return try batchNormalization(record, writer)
    default: return table[record.className]
    }
  }

  /// The classes that have an entry.
  static var names: Set<String> { Set(table.keys).union(["BatchNormalization", "Merge"]) }

  /// What Keras 2 calls a class.
  static func newerName(of className: String) -> String? { table[className]?.className }

  private static let table: [String: Keras1Class] = plain.merging(
    images.merging(sequences) { first, _ in first }
  ) { first, _ in first }

  /// Classes with neither image axes nor a sequence.
  private static let plain: [String: Keras1Class] = {
    var table: [String: Keras1Class] = [:]
    let unchanged = [
      "Activation", "ActivityRegularization", "Dense", "Dropout", "ELU", "Flatten",
      "GaussianDropout", "GaussianNoise", "GlobalAveragePooling1D", "GlobalMaxPooling1D",
      "LeakyReLU", "Masking", "Permute", "RepeatVector", "Reshape", "SpatialDropout1D",
      "ThresholdedReLU",
    ]
    for name in unchanged { table[name] = Keras1Class(className: name) }
    table["Embedding"] = Keras1Class(
      className: "Embedding", keeps: ["input_dim", "output_dim"],
      change: { settings in settings.config["dropout"] = nil })
    table["InputLayer"] = Keras1Class(
      className: "InputLayer",
      change: { settings in settings.config["dtype"] = settings.take("input_dtype") })
    table["TimeDistributedDense"] = Keras1Class(className: "Dense")
    table["Highway"] = Keras1Class(className: "Highway (Keras 1)", weights: .kernelsFirst)
    for name in ["MaxoutDense", "ParametricSoftplus", "PReLU", "SReLU"] {
      table[name] = Keras1Class(className: "\(name) (Keras 1)")
    }
    return table
  }()

  /// Classes with image axes.
  private static let images: [String: Keras1Class] = {
    var table: [String: Keras1Class] = [:]
    let unchanged = [
      "AveragePooling2D", "AveragePooling3D", "Cropping2D", "Cropping3D",
      "GlobalAveragePooling2D", "GlobalAveragePooling3D", "GlobalMaxPooling2D",
      "GlobalMaxPooling3D", "MaxPooling2D", "MaxPooling3D", "SpatialDropout2D",
      "SpatialDropout3D", "UpSampling2D", "UpSampling3D",
    ]
    for name in unchanged { table[name] = Keras1Class(className: name, hasImageAxes: true) }
    let size = [(["nb_row", "nb_col"], "kernel_size")]
    for (name, newName) in [
      ("AtrousConvolution2D", "Conv2D"), ("Convolution2D", "Conv2D"),
      ("Deconvolution2D", "Deconvolution2D (Keras 1)"),
      ("SeparableConvolution2D", "SeparableConv2D"),
    ] {
      table[name] = Keras1Class(
        className: newName, lists: size, hasImageAxes: true, weights: .kernels(axes: 2))
    }
    table["LocallyConnected2D"] = Keras1Class(
      className: "LocallyConnected2D", lists: size, hasImageAxes: true)
    table["ConvLSTM2D"] = Keras1Class(
      className: "ConvLSTM2D", lists: size, hasImageAxes: true,
      weights: .gates([0, 2, 1, 3], axes: 2))
    table["Convolution3D"] = Keras1Class(
      className: "Conv3D", lists: [(["kernel_dim1", "kernel_dim2", "kernel_dim3"], "kernel_size")],
      hasImageAxes: true, weights: .kernels(axes: 3))
    for axes in [2, 3] {
      table["ZeroPadding\(axes)D"] = Keras1Class(
        className: "ZeroPadding\(axes)D", hasImageAxes: true, change: padding)
    }
    return table
  }()

  /// Classes for sequences, and what wraps other layers.
  private static let sequences: [String: Keras1Class] = {
    var table: [String: Keras1Class] = [:]
    let unchanged = [
      "AveragePooling1D", "Cropping1D", "LocallyConnected1D", "MaxPooling1D", "SimpleRNN",
      "UpSampling1D",
    ]
    for name in unchanged { table[name] = Keras1Class(className: name) }
    for name in ["AtrousConvolution1D", "Convolution1D"] {
      table[name] = Keras1Class(className: "Conv1D", weights: .flatKernels)
    }
    table["ZeroPadding1D"] = Keras1Class(className: "ZeroPadding1D", change: padding)
    // The file has input, cell, forget and output gates; Keras 2: input, forget, cell, output.
    table["LSTM"] = Keras1Class(className: "LSTM", weights: .gates([0, 2, 1, 3], axes: 0))
    table["GRU"] = Keras1Class(className: "GRU", weights: .gates([0, 1, 2], axes: 0))
    table["Bidirectional"] = Keras1Class(className: "Bidirectional", weights: .both)
    table["TimeDistributed"] = Keras1Class(className: "TimeDistributed", weights: .inner)
    return table
  }()
}
