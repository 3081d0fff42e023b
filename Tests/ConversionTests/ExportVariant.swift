import ConversionCore
import FormatRegistry

/// A target, a version of it, and how much is known of the inputs' shapes.
struct ExportVariant: Hashable, Sendable {
  let target: ExportTarget
  /// The version of ONNX' operators or of Core ML's specification; the usual one by default.
  var version: Int?
  /// How many axes of each input are open, but for the last one.
  var openCount = 0

  /// All that the table of exports lists; the usual form of a target stands before the others.
  static let all =
    [ExportVariant(target: .onnx)] + [13, 21].map { ExportVariant(target: .onnx, version: $0) }
    + [2, 9].map { ExportVariant(target: .onnx, openCount: $0) }
    + [ExportVariant(target: .coreml)]
    + [4, 5].map { ExportVariant(target: .coreml, version: $0) }
    + [nil, 3].map { ExportVariant(target: .coreml, version: $0, openCount: 1) }
    + [.keras, .kerasHDF5, .darknet].map { ExportVariant(target: $0) }

  /// The name in the table.
  var name: String {
    let versions = target == .onnx ? "opset" : "specification version"
    return target.rawValue + (version.map { ", \(versions) \($0)" } ?? "")
      + (openCount == 0 ? "" : ", first \(openCount) axes open")
  }

  /// Whether it is the target's usual form.
  var isUsual: Bool { version == nil && openCount == 0 }

  /// The targets in their usual forms.
  static let usual = all.filter(\.isUsual)

  /// The target's usual form.
  var usual: ExportVariant { ExportVariant(target: target) }

  var options: ExportOptions {
    var options = ExportOptions()
    if target == .onnx { options.opset = version } else { options.specificationVersion = version }
    return options
  }
}
