import Bytes
import ConversionCore
import FormatRegistry
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import _CatalogTesting

/// Weights that are written to a file in pieces, which several threads produce.
@Suite struct WeightStreamTests {
  /// A convolution whose weights are written in several pieces and in another axis order.
  private func content(first: Double) throws -> ModelContent {
    var elements = Tensor.random(.float32, shape: [3, 3, 512, 512], in: -1...1, seed: 1).doubles
    elements[0] = first
    let kernel = Tensor(.float32, shape: [3, 3, 512, 512], elements).permuted([3, 2, 0, 1])
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 4, 4, 512]))
    let weight = try builder.addWeight("kernel", kernel)
    let output = try builder.addNode(
      Convolution(
        window: Window(size: [3, 3], strides: [1, 1], dilation: [1, 1], padding: .same),
        groups: 1, hasBias: false, layout: .channelsLast),
      named: "conv", inputs: [input, weight],
      source: SourceScope(layer: "conv", className: "Conv2D"))
    return ModelContent(
      graph: try builder.finish(outputs: [Port(name: "y", value: output[0])]),
      description: ModelDescription(), provenance: Provenance())
  }

  private func export(_ content: ModelContent, _ options: ExportOptions) throws -> WeighbridgeError?
  {
    let folder = try TemporaryFolder()
    let error = failure {
      _ = try content.export(
        to: folder.file("m.onnx"), as: .onnx, options: options)
    }
    #expect(folder.names == (error == nil ? ["m.onnx"] : []))
    return error
  }

  @Test("A piece that cannot be made ends the export while others are being made")
  func failingPiece() throws {
    var options = ExportOptions()
    options.precision = .float16
    for _ in 0..<10 {
      let error = try export(content(first: 1e30), options)
      #expect(error?.code == .unsupported)
      #expect(
        error?.reason.contains("too large for float16") ?? false, "\(String(describing: error))")
    }
    #expect(try export(content(first: 1), options) == nil)
  }
}
