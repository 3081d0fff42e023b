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
import PyTorchConversion
import TFLiteConversion

extension ModelContent {
  /// Writes the model in another format.
  ///
  /// - Throws: What ``Exporter`` throws.
  package func export(
    to path: String, as target: ExportTarget, writing: WriteOptions = WriteOptions()
  ) throws(WeighbridgeError) -> ExportReport {
    let work = ExportWork(content: self, path: path, writing: writing)
    return switch target {
    case .coreml(let options): try work.run(CoreMLExporter.self, options)
    case .mlpackage(let options): try work.run(CoreMLPackageExporter.self, options)
    case .darknet(let options): try work.run(DarknetExporter.self, options)
    case .onnx(let options): try work.run(ONNXExporter.self, options)
    case .safetensors(let options): try work.run(SafetensorsExporter.self, options)
    case .npz(let options): try work.run(NPZExporter.self, options)
    case .keras: try work.run(KerasArchiveExporter.self, NoOptions())
    case .kerasHDF5: try work.run(KerasHDF5Exporter.self, NoOptions())
    case .ncnn(let options): try work.run(NCNNExporter.self, options)
    case .tflite(let options): try work.run(TFLiteExporter.self, options)
    case .tensorFlowJS(let options): try work.run(TensorFlowJSExporter.self, options)
    case .pyTorch(let options): try work.run(PyTorchExporter.self, options)
    }
  }
}

extension ModelContent {
  /// Writes the model in a format that is only known when the program runs.
  package func export(
    to path: String, as format: ExportFormat, options: ExportOptions = ExportOptions(),
    writing: WriteOptions = WriteOptions()
  ) throws(WeighbridgeError) -> ExportReport {
    try export(to: path, as: ExportTarget(format, options: options), writing: writing)
  }
}

/// An export, whatever its format.
private struct ExportWork {
  let content: ModelContent
  let path: String
  let writing: WriteOptions

  /// Writes the model, and adds to the report what every format loses.
  func run<Target: Exporter>(
    _ exporter: Target.Type, _ options: Target.Options
  ) throws(WeighbridgeError) -> ExportReport {
    let report = try exporter.write(content, to: path, options: options, writing: writing)
    var losses = report.notes
    if !content.references.isEmpty { losses.append("the reference arrays are not in the file") }
    for feature in content.description.inputs where !exporter.keepsDefaults {
      guard let number = feature.defaultValue else { continue }
      losses.append("\(feature.name) must be given; here it is \(number) where it is not")
    }
    let counts = content.graph.quantizedLayerCounts
    let integers = exporter.keepsIntegerLayers ? 0 : counts.integers
    for (name, count) in [("8-bit integers", integers), ("bfloat16", counts.bfloat16)]
    where count > 0 {
      losses.append(
        "\(count) layers that are computed with \(name) become floating-point layers")
    }
    if !exporter.keepsEncodings {
      var widened = WidenedWeights()
      for value in content.graph.values { value.constant.map { widened.add($0) } }
      losses += widened.losses
    }
    return ExportReport(files: report.files, losses: losses)
  }
}
