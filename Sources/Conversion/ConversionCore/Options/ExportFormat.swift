// Generated from Schemas/options.json by Scripts/options. Do not edit.

public import Bytes

/// The name of a format in which models are written for other tools.
public enum ExportFormat: String, Hashable, Sendable, CaseIterable {
  /// A Core ML model, as a neural network.
  case coreml
  /// A Core ML model, as an ML Program in a package, which is a folder.
  case mlpackage
  /// A darknet `.cfg` with a `.weights` file next to it.
  case darknet
  /// An ONNX model.
  case onnx
  /// The named weights, in the format of huggingface/safetensors.
  case safetensors
  /// The named weights, as NumPy arrays.
  case npz
  /// A `.keras` archive of Keras 3.
  case keras
  /// An `.h5` file of Keras 2.15.
  case kerasHDF5 = "keras-h5"
  /// An ncnn `.param` with a `.bin` file next to it.
  case ncnn
  /// A TFLite model, with built-in operators only.
  case tflite
  /// A layers model of TensorFlow.js: a folder, or the path of its model.json.
  case tensorFlowJS = "tfjs"
  /// A PyTorch module as a `.py` file, with its weights in a `.safetensors` file next to it.
  case pyTorch = "pytorch"

  /// The extension of the file that the user names, without a dot.
  public var fileExtension: String {
    switch self {
    case .coreml: "mlmodel"
    case .mlpackage: "mlpackage"
    case .darknet: "cfg"
    case .onnx: "onnx"
    case .safetensors: "safetensors"
    case .npz: "npz"
    case .keras: "keras"
    case .kerasHDF5: "h5"
    case .ncnn: "param"
    case .tflite: "tflite"
    case .tensorFlowJS: "json"
    case .pyTorch: "py"
    }
  }

  /// The options of ``ExportOptions`` that apply to the format.
  package var options: Set<APIName> {
    switch self {
    case .coreml:
      [
        .exportPrecision, .exportKind, .exportSizes, .exportSpecVersion, .exportFoldBatchNorm,
        .exportWithNMS,
      ]
    case .mlpackage:
      [
        .exportPrecision, .exportKind, .exportSizes, .exportFoldBatchNorm, .exportWithNMS,
        .exportDeployment,
      ]
    case .darknet: [.exportDarknet]
    case .onnx:
      [
        .exportLayout, .exportPrecision, .exportOpset, .exportExternalData, .exportFoldBatchNorm,
        .exportWithNMS, .exportBatchSize,
      ]
    case .safetensors: [.exportKeepIntegers]
    case .npz: [.exportKeepIntegers]
    case .keras: []
    case .kerasHDF5: []
    case .ncnn: [.exportPrecision, .exportFoldBatchNorm, .exportWithNMS]
    case .tflite:
      [
        .exportPrecision, .exportFoldBatchNorm, .exportWithNMS, .exportDetectionPostprocess,
        .exportBatchSize,
      ]
    case .tensorFlowJS: [.exportQuantization]
    case .pyTorch: [.exportLayout, .exportPrecision, .exportFoldBatchNorm]
    }
  }
}

/// A format in which models are written for other tools, with its options.
public enum ExportTarget: Sendable {
  /// A Core ML model, as a neural network.
  case coreml(CoreMLOptions = CoreMLOptions())
  /// A Core ML model, as an ML Program in a package, which is a folder.
  case mlpackage(CoreMLPackageOptions = CoreMLPackageOptions())
  /// A darknet `.cfg` with a `.weights` file next to it.
  case darknet(DarknetOptions = DarknetOptions())
  /// An ONNX model.
  case onnx(ONNXOptions = ONNXOptions())
  /// The named weights, in the format of huggingface/safetensors.
  case safetensors(ArrayOptions = ArrayOptions())
  /// The named weights, as NumPy arrays.
  case npz(ArrayOptions = ArrayOptions())
  /// A `.keras` archive of Keras 3.
  case keras
  /// An `.h5` file of Keras 2.15.
  case kerasHDF5
  /// An ncnn `.param` with a `.bin` file next to it.
  case ncnn(NCNNOptions = NCNNOptions())
  /// A TFLite model, with built-in operators only.
  case tflite(TFLiteOptions = TFLiteOptions())
  /// A layers model of TensorFlow.js: a folder, or the path of its model.json.
  case tensorFlowJS(TensorFlowJSOptions = TensorFlowJSOptions())
  /// A PyTorch module as a `.py` file, with its weights in a `.safetensors` file next to it.
  case pyTorch(PyTorchOptions = PyTorchOptions())

  /// The format without its options.
  public var format: ExportFormat {
    switch self {
    case .coreml: .coreml
    case .mlpackage: .mlpackage
    case .darknet: .darknet
    case .onnx: .onnx
    case .safetensors: .safetensors
    case .npz: .npz
    case .keras: .keras
    case .kerasHDF5: .kerasHDF5
    case .ncnn: .ncnn
    case .tflite: .tflite
    case .tensorFlowJS: .tensorFlowJS
    case .pyTorch: .pyTorch
    }
  }

  /// Combines a format and options that are only known when the program runs.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch``, which names an option that does not apply.
  public init(
    _ format: ExportFormat, options: ExportOptions = ExportOptions()
  ) throws(WeighbridgeError) {
    try options.check(for: format)
    switch format {
    case .coreml: self = .coreml(CoreMLOptions(options))
    case .mlpackage: self = .mlpackage(CoreMLPackageOptions(options))
    case .darknet: self = .darknet(DarknetOptions(options))
    case .onnx: self = .onnx(ONNXOptions(options))
    case .safetensors: self = .safetensors(ArrayOptions(options))
    case .npz: self = .npz(ArrayOptions(options))
    case .keras: self = .keras
    case .kerasHDF5: self = .kerasHDF5
    case .ncnn: self = .ncnn(NCNNOptions(options))
    case .tflite: self = .tflite(TFLiteOptions(options))
    case .tensorFlowJS: self = .tensorFlowJS(TensorFlowJSOptions(options))
    case .pyTorch: self = .pyTorch(PyTorchOptions(options))
    }
  }
}
