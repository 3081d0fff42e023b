// Generated from Schemas/options.json by Scripts/options. Do not edit.

package import Bytes
public import DarknetFormat

/// The options of all formats, for a format that is only known when the program runs:
/// `ExportTarget(_:options:)` refuses those that do not apply. Where it is known before, the
/// options of an ``ExportTarget`` are those that the format has.
public struct ExportOptions: Sendable {
  /// The darknet fork that will read the files: alexeyab or pjreddie; by default that of a model
  /// from darknet, else alexeyab.
  public var darknet: DarknetFork?
  /// The order of the axes of images that a model takes and gives: source, the default in ONNX, or
  /// nchw, the default in PyTorch.
  public var layout: ExportLayout?
  /// The number type of stored weights of float32: float32, the default, or float16. An ONNX model
  /// and a PyTorch module compute in float32 all the same. A Core ML package computes in it, by
  /// default in float16.
  public var precision: ExportPrecision?
  /// What a Core ML model is: network, classifier or regressor. By default a classifier where
  /// labels and a vector of probabilities fit each other, else a network.
  public var kind: CoreMLKind?
  /// The sizes that images of a Core ML model may have, width before height, the usual one first,
  /// where the network leaves them open: 416x416,608x320. By default any size.
  public var sizes: [ImageSize] = []
  /// The version of ONNX's operators, 13 to 23; by default 17, which every current runtime
  /// supports.
  public var opset: Int?
  /// The specification version of a Core ML model, 1 to 5; by default the lowest that has all its
  /// layers.
  public var specVersion: Int?
  /// Whether to put the weights of an ONNX model into a file beside it, with .data added to its
  /// name; more than 2 GB of weights always are.
  public var externalData = false
  /// Whether to make batch normalizations part of the weights before them; by default they stay,
  /// and all weights are those of the source.
  public var foldBatchNorm = false
  /// Whether a detector's file decodes the boxes and filters them (non-maximum suppression) instead
  /// of giving its heads as they are; by default as is usual in the format: boxes in Core ML, else
  /// the heads.
  public var withNMS: Bool?
  /// Whether to keep weights in .safetensors and .npz files in the encoding in which they are
  /// stored (integers, tables, 16 bits), with scales and tables beside them: NAME/quantized,
  /// NAME/scale, NAME/codes, NAME/table.
  public var keepIntegers = false
  /// Whether to let the custom operator TFLite_Detection_PostProcess filter the boxes of a TFLite
  /// model (with_nms), as Google's own detectors do, instead of built-in operators.
  public var detectionPostprocess = false
  /// How a TensorFlow.js model stores its weights: in float16, or in uint8 with a scale and a
  /// minimum for each; by default in float32.
  public var quantization: TensorFlowJSQuantization?
  /// The oldest system that can run a Core ML package: ios15, ios16 (the default), ios17 or ios18,
  /// or macos12 to macos15 of the same years.
  public var deployment: CoreMLDeployment?
  /// The number of examples that a model takes at once, for tools that must know every size before
  /// they run it; by default it stays open.
  public var batchSize: Int?

  /// Creates options with the defaults.
  public init() {}

  /// The names of the options that are given.
  package var given: [APIName] {
    let options: [(name: APIName, isGiven: Bool)] = [
      (.exportDarknet, darknet != nil), (.exportLayout, layout != nil),
      (.exportPrecision, precision != nil), (.exportKind, kind != nil),
      (.exportSizes, !sizes.isEmpty), (.exportOpset, opset != nil),
      (.exportSpecVersion, specVersion != nil), (.exportExternalData, externalData),
      (.exportFoldBatchNorm, foldBatchNorm), (.exportWithNMS, withNMS == true),
      (.exportKeepIntegers, keepIntegers), (.exportDetectionPostprocess, detectionPostprocess),
      (.exportQuantization, quantization != nil), (.exportDeployment, deployment != nil),
      (.exportBatchSize, batchSize != nil),
    ]
    return options.filter(\.isGiven).map(\.name)
  }
}

/// How a file of arrays is written.
public struct ArrayOptions: Sendable {
  /// Whether to keep weights in .safetensors and .npz files in the encoding in which they are
  /// stored (integers, tables, 16 bits), with scales and tables beside them: NAME/quantized,
  /// NAME/scale, NAME/codes, NAME/table.
  public var keepIntegers = false

  /// Creates options with the defaults.
  public init() {}

  /// Those of `options` that the format has.
  package init(_ options: ExportOptions) {
    keepIntegers = options.keepIntegers
  }
}

/// How a Core ML model is written.
public struct CoreMLOptions: Sendable {
  /// The number type of stored weights of float32: float32, the default, or float16. An ONNX model
  /// and a PyTorch module compute in float32 all the same. A Core ML package computes in it, by
  /// default in float16.
  public var precision = ExportPrecision.float32
  /// What a Core ML model is: network, classifier or regressor. By default a classifier where
  /// labels and a vector of probabilities fit each other, else a network.
  public var kind: CoreMLKind?
  /// The sizes that images of a Core ML model may have, width before height, the usual one first,
  /// where the network leaves them open: 416x416,608x320. By default any size.
  public var sizes: [ImageSize] = []
  /// The specification version of a Core ML model, 1 to 5; by default the lowest that has all its
  /// layers.
  public var specVersion: Int?
  /// Whether to make batch normalizations part of the weights before them; by default they stay,
  /// and all weights are those of the source.
  public var foldBatchNorm = false
  /// Whether a detector's file decodes the boxes and filters them (non-maximum suppression) instead
  /// of giving its heads as they are; by default as is usual in the format: boxes in Core ML, else
  /// the heads.
  public var withNMS: Bool?

  /// Creates options with the defaults.
  public init() {}

  /// Those of `options` that the format has.
  package init(_ options: ExportOptions) {
    precision = options.precision ?? precision
    kind = options.kind
    sizes = options.sizes
    specVersion = options.specVersion
    foldBatchNorm = options.foldBatchNorm
    withNMS = options.withNMS
  }
}

/// How a Core ML package is written.
public struct CoreMLPackageOptions: Sendable {
  /// The number type of stored weights of float32: float32, the default, or float16. An ONNX model
  /// and a PyTorch module compute in float32 all the same. A Core ML package computes in it, by
  /// default in float16.
  public var precision = ExportPrecision.float16
  /// What a Core ML model is: network, classifier or regressor. By default a classifier where
  /// labels and a vector of probabilities fit each other, else a network.
  public var kind: CoreMLKind?
  /// The sizes that images of a Core ML model may have, width before height, the usual one first,
  /// where the network leaves them open: 416x416,608x320. By default any size.
  public var sizes: [ImageSize] = []
  /// Whether to make batch normalizations part of the weights before them; by default they stay,
  /// and all weights are those of the source.
  public var foldBatchNorm = false
  /// Whether a detector's file decodes the boxes and filters them (non-maximum suppression) instead
  /// of giving its heads as they are; by default as is usual in the format: boxes in Core ML, else
  /// the heads.
  public var withNMS: Bool?
  /// The oldest system that can run a Core ML package: ios15, ios16 (the default), ios17 or ios18,
  /// or macos12 to macos15 of the same years.
  public var deployment = CoreMLDeployment.ios16

  /// Creates options with the defaults.
  public init() {}

  /// Those of `options` that the format has.
  package init(_ options: ExportOptions) {
    precision = options.precision ?? precision
    kind = options.kind
    sizes = options.sizes
    foldBatchNorm = options.foldBatchNorm
    withNMS = options.withNMS
    deployment = options.deployment ?? deployment
  }
}

/// How files of darknet are written.
public struct DarknetOptions: Sendable {
  /// The darknet fork that will read the files: alexeyab or pjreddie; by default that of a model
  /// from darknet, else alexeyab.
  public var darknet: DarknetFork?

  /// Creates options with the defaults.
  public init() {}

  /// Those of `options` that the format has.
  package init(_ options: ExportOptions) {
    darknet = options.darknet
  }
}

/// How files of ncnn are written.
public struct NCNNOptions: Sendable {
  /// The number type of stored weights of float32: float32, the default, or float16. An ONNX model
  /// and a PyTorch module compute in float32 all the same. A Core ML package computes in it, by
  /// default in float16.
  public var precision = ExportPrecision.float32
  /// Whether to make batch normalizations part of the weights before them; by default they stay,
  /// and all weights are those of the source.
  public var foldBatchNorm = false
  /// Whether a detector's file decodes the boxes and filters them (non-maximum suppression) instead
  /// of giving its heads as they are; by default as is usual in the format: boxes in Core ML, else
  /// the heads.
  public var withNMS: Bool?

  /// Creates options with the defaults.
  public init() {}

  /// Those of `options` that the format has.
  package init(_ options: ExportOptions) {
    precision = options.precision ?? precision
    foldBatchNorm = options.foldBatchNorm
    withNMS = options.withNMS
  }
}

/// How an ONNX model is written.
public struct ONNXOptions: Sendable {
  /// The order of the axes of images that a model takes and gives: source, the default in ONNX, or
  /// nchw, the default in PyTorch.
  public var layout = ExportLayout.source
  /// The number type of stored weights of float32: float32, the default, or float16. An ONNX model
  /// and a PyTorch module compute in float32 all the same. A Core ML package computes in it, by
  /// default in float16.
  public var precision = ExportPrecision.float32
  /// The version of ONNX's operators, 13 to 23; by default 17, which every current runtime
  /// supports.
  public var opset: Int?
  /// Whether to put the weights of an ONNX model into a file beside it, with .data added to its
  /// name; more than 2 GB of weights always are.
  public var externalData = false
  /// Whether to make batch normalizations part of the weights before them; by default they stay,
  /// and all weights are those of the source.
  public var foldBatchNorm = false
  /// Whether a detector's file decodes the boxes and filters them (non-maximum suppression) instead
  /// of giving its heads as they are; by default as is usual in the format: boxes in Core ML, else
  /// the heads.
  public var withNMS: Bool?
  /// The number of examples that a model takes at once, for tools that must know every size before
  /// they run it; by default it stays open.
  public var batchSize: Int?

  /// Creates options with the defaults.
  public init() {}

  /// Those of `options` that the format has.
  package init(_ options: ExportOptions) {
    layout = options.layout ?? layout
    precision = options.precision ?? precision
    opset = options.opset
    externalData = options.externalData
    foldBatchNorm = options.foldBatchNorm
    withNMS = options.withNMS
    batchSize = options.batchSize
  }
}

/// How a PyTorch module is written.
public struct PyTorchOptions: Sendable {
  /// The order of the axes of images that a model takes and gives: source, the default in ONNX, or
  /// nchw, the default in PyTorch.
  public var layout = ExportLayout.nchw
  /// The number type of stored weights of float32: float32, the default, or float16. An ONNX model
  /// and a PyTorch module compute in float32 all the same. A Core ML package computes in it, by
  /// default in float16.
  public var precision = ExportPrecision.float32
  /// Whether to make batch normalizations part of the weights before them; by default they stay,
  /// and all weights are those of the source.
  public var foldBatchNorm = false

  /// Creates options with the defaults.
  public init() {}

  /// Those of `options` that the format has.
  package init(_ options: ExportOptions) {
    layout = options.layout ?? layout
    precision = options.precision ?? precision
    foldBatchNorm = options.foldBatchNorm
  }
}

/// How a TFLite model is written.
public struct TFLiteOptions: Sendable {
  /// The number type of stored weights of float32: float32, the default, or float16. An ONNX model
  /// and a PyTorch module compute in float32 all the same. A Core ML package computes in it, by
  /// default in float16.
  public var precision = ExportPrecision.float32
  /// Whether to make batch normalizations part of the weights before them; by default they stay,
  /// and all weights are those of the source.
  public var foldBatchNorm = false
  /// Whether a detector's file decodes the boxes and filters them (non-maximum suppression) instead
  /// of giving its heads as they are; by default as is usual in the format: boxes in Core ML, else
  /// the heads.
  public var withNMS: Bool?
  /// Whether to let the custom operator TFLite_Detection_PostProcess filter the boxes of a TFLite
  /// model (with_nms), as Google's own detectors do, instead of built-in operators.
  public var detectionPostprocess = false
  /// The number of examples that a model takes at once, for tools that must know every size before
  /// they run it; by default it stays open.
  public var batchSize: Int?

  /// Creates options with the defaults.
  public init() {}

  /// Those of `options` that the format has.
  package init(_ options: ExportOptions) {
    precision = options.precision ?? precision
    foldBatchNorm = options.foldBatchNorm
    withNMS = options.withNMS
    detectionPostprocess = options.detectionPostprocess
    batchSize = options.batchSize
  }
}

/// How a TensorFlow.js model is written.
public struct TensorFlowJSOptions: Sendable {
  /// How a TensorFlow.js model stores its weights: in float16, or in uint8 with a scale and a
  /// minimum for each; by default in float32.
  public var quantization: TensorFlowJSQuantization?

  /// Creates options with the defaults.
  public init() {}

  /// Those of `options` that the format has.
  package init(_ options: ExportOptions) {
    quantization = options.quantization
  }
}

/// The names of version 0.2.
extension ExportOptions {
  /// The former name of ``darknet``.
  @available(*, deprecated, renamed: "darknet")
  public var darknetFork: DarknetFork? {
    get { darknet }
    set { darknet = newValue }
  }

  /// The former name of ``kind``.
  @available(*, deprecated, renamed: "kind")
  public var coreMLKind: CoreMLKind? {
    get { kind }
    set { kind = newValue }
  }

  /// The former name of ``sizes``.
  @available(*, deprecated, renamed: "sizes")
  public var imageSizes: [ImageSize] {
    get { sizes }
    set { sizes = newValue }
  }

  /// The former name of ``specVersion``.
  @available(*, deprecated, renamed: "specVersion")
  public var specificationVersion: Int? {
    get { specVersion }
    set { specVersion = newValue }
  }

  /// The former name of ``externalData``.
  @available(*, deprecated, renamed: "externalData")
  public var storesExternalWeights: Bool {
    get { externalData }
    set { externalData = newValue }
  }

  /// The former name of ``foldBatchNorm``.
  @available(*, deprecated, renamed: "foldBatchNorm")
  public var foldsBatchNormalization: Bool {
    get { foldBatchNorm }
    set { foldBatchNorm = newValue }
  }

  /// The former name of ``withNMS``.
  @available(*, deprecated, renamed: "withNMS")
  public var suppressesBoxes: Bool? {
    get { withNMS }
    set { withNMS = newValue }
  }

  /// The former name of ``keepIntegers``.
  @available(*, deprecated, renamed: "keepIntegers")
  public var keepsIntegers: Bool {
    get { keepIntegers }
    set { keepIntegers = newValue }
  }
}
