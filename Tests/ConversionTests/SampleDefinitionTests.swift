import FormatRegistry
import Foundation
import GraphIR
import LayerCatalog
import TestSupport
import Testing

/// Holds the nodes of all models in `Samples` to the definitions of their operators.
@Suite struct SampleDefinitionTests {
  /// The folders whose files are no models, or are meant to be refused.
  private static let others: Set = ["Hostile", "Pictures", "Architectures"]

  /// The files of `Samples` that hold models, by their paths in it.
  private static let files: [String] = {
    let extensions: Set = ["h5", "keras", "onnx", "mlmodel", "cfg", "wbm", "safetensors"]
    let all = FileManager.default.enumerator(atPath: Places.sample(""))
    return (all?.compactMap { $0 as? String } ?? []).filter { path in
      let parts = path.split(separator: "/")
      let ending = parts.last?.split(separator: ".").last.map(String.init) ?? ""
      return extensions.contains(ending) && !others.contains(String(parts[0]))
    }.sorted()
  }()

  @Test("Every node of every sample fulfils its operator's definition", arguments: files)
  func definitions(path: String) throws {
    let model = try ModelReader.read(Places.sample(path))
    #expect(model.content.graph.definitionProblems == [])
    #expect(!model.content.graph.nodes.isEmpty)
  }
}
