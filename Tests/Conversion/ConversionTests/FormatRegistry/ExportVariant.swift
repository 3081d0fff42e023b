import ConversionCore
import FormatRegistry

/// A target, a version of it, and how much of the inputs' shapes is known.
struct ExportVariant: Hashable, Sendable {
  let target: ExportFormat
  /// The opset of ONNX, the specification version of Core ML or that of a package's deployment; by
  /// default the target's default.
  var version: Int?
  /// The number of leading axes of each input whose sizes are unknown, never the last axis.
  var openCount = 0

  /// All variants in the table of exports; the default of each target comes before the others.
  static let all =
    [ExportVariant(target: .onnx)] + [13, 21].map { ExportVariant(target: .onnx, version: $0) }
    + [2, 9].map { ExportVariant(target: .onnx, openCount: $0) }
    + [ExportVariant(target: .coreml)]
    + [4, 5].map { ExportVariant(target: .coreml, version: $0) }
    + [nil, 3].map { ExportVariant(target: .coreml, version: $0, openCount: 1) }
    + [ExportVariant(target: .mlpackage)]
    + [6, 8, 9].map { ExportVariant(target: .mlpackage, version: $0) }
    + [ExportVariant(target: .mlpackage, openCount: 1)]
    + [.keras, .kerasHDF5, .darknet, .ncnn].map { ExportVariant(target: $0) }
    + [ExportVariant(target: .ncnn, openCount: 1), ExportVariant(target: .tflite)]
    + [1, 2].map { ExportVariant(target: .tflite, openCount: $0) }
    + [0, 2].map { ExportVariant(target: .pyTorch, openCount: $0) }

  /// The name in the table.
  var name: String {
    let versions = target == .onnx ? "opset" : "specification version"
    return target.rawValue + (version.map { ", \(versions) \($0)" } ?? "")
      + (openCount == 0 ? "" : ", first \(openCount) axes open")
  }

  /// Whether it is the target's default.
  var isUsual: Bool { version == nil && openCount == 0 }

  /// The defaults of all targets.
  static let usual = all.filter(\.isUsual)

  /// The target's default.
  var usual: ExportVariant { ExportVariant(target: target) }

  var options: ExportOptions {
    var options = ExportOptions()
    switch target {
    case .onnx: options.opset = version
    case .mlpackage:
      options.precision = .float32
      options.deployment = CoreMLDeployment.allCases.first { $0.specificationVersion == version }
    default: options.specVersion = version
    }
    return options
  }
}
