import Bytes
import ConversionCore
import CoreMLConversion
import FormatRegistry
import GraphIR
import LayerCatalog
import NCNNConversion
import ONNXConversion
import PyTorchConversion
import TFLiteConversion
import TestSupport
import Testing
import Weighbridge

/// The changes that prepare models for targets.
@Suite struct ExportPassTests {
  /// A detector with its description.
  private func detector() throws -> ModelContent {
    var model = try ModelCase.detector()
    try model.describe(ModelCase.shapeDetector)
    return model.content
  }

  @Test("Batch normalizations are folded by every target that has the option, and only then")
  func folding() {
    let options = [false, true].map { isFolded in
      var options = ExportOptions()
      options.foldBatchNorm = isFolded
      return options
    }
    for (count, options) in options.enumerated() {
      for format in ExportFormat.allCases where format.options.contains(.exportFoldBatchNorm) {
        let passes = passes(format, options)
        #expect(passes?.count { $0 == .foldBatchNormalization } == count, "\(format)")
      }
    }
  }

  /// The passes of a target with options; `nil` for one without passes.
  private func passes(_ format: ExportFormat, _ options: ExportOptions) -> [ExportPass]? {
    switch try? ExportTarget(format, options: options) {
    case .onnx(let options): ONNXExporter.passes(options)
    case .coreml(let options): CoreMLExporter.passes(options)
    case .mlpackage(let options): CoreMLPackageExporter.passes(options)
    case .ncnn(let options): NCNNExporter.passes(options)
    case .tflite(let options): TFLiteExporter.passes(options)
    case .pyTorch(let options): PyTorchExporter.passes(options)
    default: nil
    }
  }

  @Test("Passes are made in their order, and the types follow the graph")
  func order() throws {
    let content = try detector()
    let passes: [ExportPass] = [
      .decodeBoxes(ofDetectorsOnly: true), .foldBatchNormalization,
      .convertLayout(transposesPorts: true), .takeSingleExample,
    ]
    let table = ConversionCore.ExportTable<NoTarget>(layout: .channelsFirst, [])
    let prepared = try PreparedModel(content, passes, for: "the target", table)
    #expect(prepared.graph.outputs.map(\.name) == ["confidence", "coordinates"])
    #expect(!prepared.graph.nodes.contains { $0.operation is BatchNormalization })
    #expect(prepared.types.count == prepared.graph.values.count)
    #expect(prepared.types.allSatisfy { $0.fixedShape != nil })
    #expect(prepared.description.outputs.isEmpty)
  }

  @Test("A model without a detector is refused boxes only where they are required")
  func boxes() throws {
    var content = try detector()
    content.description.detector = nil
    let table = ConversionCore.ExportTable<NoTarget>(layout: nil, [])
    let unchanged = try PreparedModel(
      content, [.decodeBoxes(ofDetectorsOnly: true)], for: "the target", table)
    #expect(unchanged.graph.outputs == content.graph.outputs)
    let error = failure {
      _ = try PreparedModel(
        content, [.decodeBoxes(ofDetectorsOnly: false)], for: "the target", table)
    }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("describe its detector") == true)
    #expect(error?.reason.hasSuffix("writes the heads as they are)") == true)
  }
}

/// A target without operators.
private struct NoTarget: ExportBuilder {
  static let table = ConversionCore.ExportTable<NoTarget>(layout: nil, [])
  static let foldsConstants = false
  static let wrapsIntegers = false
  let target = "the target"
  var scope = ExportScope<ExportOperand>()
  func problem(of type: TensorType) -> String? { nil }
  typealias Output = String
}
