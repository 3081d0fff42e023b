import Bytes
import ConversionCore
import FormatRegistry
import Foundation
import GraphIR
import Verifier
import WBMConversion
import Weighbridge

extension FuzzTarget {
  /// A graph of the catalog's operators chosen by the bytes, which is written, read, verified and
  /// exported to each format.
  static let graph = FuzzTarget("graph", []) { bytes in
    guard let graph = try? FuzzedGraph(bytes).graph() else { return }
    try RoundTrip(graph).run()
  }
}

/// The properties that must hold for every graph, whatever it computes.
struct RoundTrip {
  private let content: ModelContent

  init(_ graph: Graph) {
    content = ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
  }

  func run() throws {
    let file = try ScratchFile([], ending: ".wbm")
    defer { file.remove() }
    _ = try WBMExporter.write(content, sources: [], to: file.path, replacing: true)
    let model = try Model(contentsOf: file.path)
    let nodes = model.content.graph.nodes
    precondition(
      nodes.map(\.operation.attributes) == content.graph.nodes.map(\.operation.attributes),
      "a .wbm file does not round-trip")
    var options = VerifyOptions()
    options.run.memoryLimit = 1 << 26
    if let report = try? model.verify(options) {
      let failed = report.results.filter { $0.status == .failed }
      precondition(
        failed.allSatisfy { $0.name == "weights" || $0.name == "engines" }, "\(failed)")
    }
    for target in ExportFormat.allCases { export(model, as: target) }
  }

  /// Exports the model, which may be refused.
  private func export(_ model: Model, as target: ExportFormat) {
    guard let output = try? ScratchFile([], ending: ".\(target.fileExtension)") else { return }
    defer { output.remove() }
    guard let report = try? model.export(to: output.path, as: target) else { return }
    for file in report.files where file != output.path {
      try? FileManager.default.removeItem(atPath: file)
    }
  }
}
