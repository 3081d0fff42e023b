import Bytes
import ConversionCore
import JSON
import KerasFormat
import LayerCatalog

/// The Keras 2 form of a layer class of Keras 1.
struct Keras1Class: Sendable {
  typealias Failure = WeighbridgeError
  typealias Change = @Sendable (inout Keras1Settings) throws(Failure) -> Void

  /// Its name in Keras 2.
  let className: String
  /// Settings that became elements of one list, whose name comes second.
  var lists: [([String], String)] = []
  /// Settings that keep their names although other classes renamed them.
  var keeps: [String] = []
  /// Whether the layer has image axes, whose order may vary.
  var hasImageAxes = false
  /// Further changes.
  var change: Change?
  /// The layout of the weights.
  var weights = Keras1Weights.unchanged

  /// The settings that contain a layer inside a layer.
  static let wrapped = ["layer"]

  /// The entry of a layer; `nil` for a custom class.
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

  /// The name of a class in Keras 2.
  static func newerName(of className: String) -> String? { table[className]?.className }

  private static let table = [String: Keras1Class](families: [plain, images, sequences])

  /// Classes with the same name.
  private static func unchanged(
    _ names: [String], hasImageAxes: Bool = false
  ) -> [String: Keras1Class] {
    Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, Keras1Class(className: $0, hasImageAxes: hasImageAxes))
      })
  }

  /// Classes with neither image axes nor a sequence.
  private static let plain = [String: Keras1Class](families: [
    unchanged([
      "Activation", "ActivityRegularization", "Dense", "Dropout", "ELU", "Flatten",
      "GaussianDropout", "GaussianNoise", "GlobalAveragePooling1D", "GlobalMaxPooling1D",
      "LeakyReLU", "Masking", "Permute", "RepeatVector", "Reshape", "SpatialDropout1D",
      "ThresholdedReLU",
    ]),
    [
      "Embedding": Keras1Class(
        className: "Embedding", keeps: ["input_dim", "output_dim"],
        change: { settings in settings.config["dropout"] = nil }),
      "Highway": Keras1Class(className: "Highway (Keras 1)", weights: .kernelsFirst),
      "InputLayer": Keras1Class(
        className: "InputLayer",
        change: { settings in settings.config["dtype"] = settings.take("input_dtype") }),
      "MaxoutDense": Keras1Class(className: "MaxoutDense (Keras 1)"),
      "ParametricSoftplus": Keras1Class(className: "ParametricSoftplus (Keras 1)"),
      "PReLU": Keras1Class(className: "PReLU (Keras 1)"),
      "SReLU": Keras1Class(className: "SReLU (Keras 1)"),
      "TimeDistributedDense": Keras1Class(className: "Dense"),
    ],
  ])

  /// A class of convolutions over images.
  private static func kernels(
    _ className: String, axes: Int = 2, _ weights: Keras1Weights
  ) -> Keras1Class {
    let sizes = axes == 2 ? ["nb_row", "nb_col"] : ["kernel_dim1", "kernel_dim2", "kernel_dim3"]
    return Keras1Class(
      className: className, lists: [(sizes, "kernel_size")], hasImageAxes: true, weights: weights)
  }

  /// Classes with image axes.
  private static let images = [String: Keras1Class](families: [
    unchanged(
      [
        "AveragePooling2D", "AveragePooling3D", "Cropping2D", "Cropping3D",
        "GlobalAveragePooling2D", "GlobalAveragePooling3D", "GlobalMaxPooling2D",
        "GlobalMaxPooling3D", "MaxPooling2D", "MaxPooling3D", "SpatialDropout2D",
        "SpatialDropout3D", "UpSampling2D", "UpSampling3D",
      ], hasImageAxes: true),
    [
      "AtrousConvolution2D": kernels("Conv2D", .kernels(axes: 2)),
      "ConvLSTM2D": kernels("ConvLSTM2D", .gates([0, 2, 1, 3], axes: 2)),
      "Convolution2D": kernels("Conv2D", .kernels(axes: 2)),
      "Convolution3D": kernels("Conv3D", axes: 3, .kernels(axes: 3)),
      "Deconvolution2D": kernels("Deconvolution2D (Keras 1)", .kernels(axes: 2)),
      "LocallyConnected2D": kernels("LocallyConnected2D", .unchanged),
      "SeparableConvolution2D": kernels("SeparableConv2D", .kernels(axes: 2)),
      "ZeroPadding2D": Keras1Class(
        className: "ZeroPadding2D", hasImageAxes: true, change: padding),
      "ZeroPadding3D": Keras1Class(
        className: "ZeroPadding3D", hasImageAxes: true, change: padding),
    ],
  ])

  /// Classes for sequences, and wrappers.
  private static let sequences = [String: Keras1Class](families: [
    unchanged([
      "AveragePooling1D", "Cropping1D", "LocallyConnected1D", "MaxPooling1D", "SimpleRNN",
      "UpSampling1D",
    ]),
    [
      "AtrousConvolution1D": Keras1Class(className: "Conv1D", weights: .flatKernels),
      "Bidirectional": Keras1Class(className: "Bidirectional", weights: .both),
      "Convolution1D": Keras1Class(className: "Conv1D", weights: .flatKernels),
      "GRU": Keras1Class(className: "GRU", weights: .gates([0, 1, 2], axes: 0)),
      // The file has input, cell, forget and output gates; Keras 2: input, forget, cell, output.
      "LSTM": Keras1Class(className: "LSTM", weights: .gates([0, 2, 1, 3], axes: 0)),
      "TimeDistributed": Keras1Class(className: "TimeDistributed", weights: .inner),
      "ZeroPadding1D": Keras1Class(className: "ZeroPadding1D", change: padding),
    ],
  ])
}
