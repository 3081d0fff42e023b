import ArrayConversion
package import Bytes
package import ConversionCore
import CoreMLConversion
import DarknetConversion
package import GraphIR
import KerasConversion
import LayerCatalog
import NCNNConversion
import ONNXConversion

/// A format in which models are written for other tools.
public enum ExportTarget: String, Hashable, Sendable, CaseIterable {
  /// A Core ML model, as a neural network.
  case coreml
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

  /// The target whose file extension a path has; `nil` if there is none.
  public init?(path: String) {
    guard let target = Self.allCases.first(where: { path.hasSuffix(".\($0.fileExtension)") })
    else { return nil }
    self = target
  }

  /// The extension of the file that the user names, without a dot.
  public var fileExtension: String {
    switch self {
    case .coreml: "mlmodel"
    case .darknet: "cfg"
    case .onnx: "onnx"
    case .safetensors: "safetensors"
    case .npz: "npz"
    case .keras: "keras"
    case .kerasHDF5: "h5"
    case .ncnn: "param"
    }
  }

  var exporter: any Exporter.Type {
    switch self {
    case .coreml: CoreMLExporter.self
    case .darknet: DarknetExporter.self
    case .onnx: ONNXExporter.self
    case .safetensors: SafetensorsExporter.self
    case .npz: NPZExporter.self
    case .keras: KerasArchiveExporter.self
    case .kerasHDF5: KerasHDF5Exporter.self
    case .ncnn: NCNNExporter.self
    }
  }
}

extension ModelContent {
  /// Writes the model in another format.
  ///
  /// - Throws: What ``Exporter`` throws; ``WeighbridgeError/Code/mismatch`` for an option that does
  ///   not apply to the format.
  package func export(
    to path: String, as target: ExportTarget, options: ExportOptions, cancellation: Cancellation?
  ) throws(WeighbridgeError) -> ExportReport {
    try options.check(taking: target.exporter.options, format: target.rawValue)
    let report = try target.exporter.write(
      self, to: path, options: options, cancellation: cancellation)
    var losses = report.losses
    let (integers, bfloat16) = graph.quantizedLayerCounts
    for (name, count) in [("8-bit integers", integers), ("bfloat16", bfloat16)] where count > 0 {
      losses.append(
        "\(count) layers that are computed with \(name) become floating-point layers")
    }
    if !target.exporter.keepsEncodings {
      var widened = WidenedWeights()
      for value in graph.values { value.constant.map { widened.add($0) } }
      losses += widened.losses
    }
    return ExportReport(files: report.files, losses: losses)
  }
}
