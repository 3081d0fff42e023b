package import Bytes
package import ConversionCore
package import GraphIR
import TFLiteFormat

/// A TFLite file.
package struct TFLiteSource: Sendable {
  /// The file that was read.
  package let files: [SourceFile]
  let file: TFLiteFile
  private let path: String

  /// Opens the file.
  ///
  /// - Throws: What ``TFLiteFile`` throws, with the file's name.
  package init(
    _ store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    self.path = path
    file = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try TFLiteFile(store)
    }
    files = [
      SourceFile(role: "model", path: path, store: store, startsDigest: options.preparesWriting)
    ]
  }

  /// Imports the model.
  ///
  /// - Throws: What ``TFLiteImporter`` throws, with the file's name.
  package func content() throws(WeighbridgeError) -> ModelContent {
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      let result = try TFLiteImporter(file).run()
      var provenance = self.provenance
      provenance.decisions = result.decisions
      var content = ModelContent(
        graph: result.graph, description: ModelDescription(), provenance: provenance)
      try TFLiteFileDescription(file).describe(&content)
      return content
    }
  }

  private var provenance: Provenance {
    var provenance = Provenance()
    provenance.framework = "tflite"
    return provenance
  }

  /// Returns the operators of the file, with the output types of those that can be read.
  package func outline() -> ModelOutline {
    var outline = ModelOutline(format: "tflite", byteCount: files[0].store.count)
    outline.provenance = provenance
    let graph = file.graphs[0]
    let scope = file.scopes[0]
    for tensor in graph.inputs {
      do throws(WeighbridgeError) {
        outline.inputs.append((scope.names[tensor], try graph.tensors[tensor].type()))
      } catch { outline.notes.append("the input \(scope.names[tensor]): \(error.reason)") }
    }
    var producers: [Int: Int] = [:]
    for (position, node) in graph.operators.enumerated() {
      for tensor in node.outputs { producers[tensor] = position }
    }
    for (position, node) in graph.operators.enumerated() {
      let source = TFLiteImporter.source(node, scope)
      let inputs = node.inputs.filter { $0 >= 0 }
      var layer = ModelOutline.Layer(
        name: source.layer, className: node.code.name, inputs: inputs.map { scope.names[$0] },
        label: source.place(position), unit: position)
      layer.sources = Set(inputs.compactMap { producers[$0] })
      layer.problem = TFLiteUnsupportedOperators.problem(of: node.code)
      outline.layers.append(layer)
    }
    let file = file
    outline.attemptImport { (units) throws(WeighbridgeError) in
      try TFLiteImporter(file, positions: units).run().graph
    }
    return outline
  }
}

extension TFLiteSource: ModelSource {
  package static let format = "a TFLite file"
  package static let options: Set<APIName> = []
  package var formatName: String { "tflite" }

  package static func recognizes(_ bytes: RawSpan) -> Bool { TFLiteFile.recognizes(bytes) }

  package init(
    reading store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    try self.init(store, path: path, options: options)
  }

  package static func outline(
    of store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    (try? TFLiteSource(store, path: path, options: options))?.outline()
  }
}
