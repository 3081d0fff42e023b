package import Bytes
package import ConversionCore
package import GraphIR
import KerasFormat
import TensorFlowFormat

/// A graph of TensorFlow's operators: a SavedModel that Keras does not describe, a frozen graph, or a
/// graph model of TensorFlow.js.
package struct TensorFlowSource: Sendable {
  package let files: [SourceFile]
  private let file: TensorFlowFile
  private let path: String

  /// Opens the files.
  ///
  /// - Throws: What ``TensorFlowFile`` throws, with the file's name.
  package init(
    _ store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    self.path = path
    file = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try TensorFlowFile(store, path: path)
    }
    let all = [(path: path, store: store)] + file.otherFiles
    files = all.map {
      SourceFile(
        role: "model", path: $0.path, store: $0.store, startsDigest: options.preparesWriting)
    }
  }

  /// Imports what the signature for serving computes.
  ///
  /// - Throws: What ``TensorFlowImporter`` throws, with the file's name.
  package func content() throws(WeighbridgeError) -> ModelContent {
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      let signature = try file.servingSignature()
      let result = try TensorFlowImporter(file.graph, signature, file.context).run()
      var provenance = self.provenance
      provenance.decisions = result.decisions
      let others = file.signatures.filter {
        $0.name != signature.name && !$0.name.hasPrefix("__saved_model_")
      }
      if !others.isEmpty {
        let names = others.map(\.name).sorted().joined(separator: ", ")
        provenance.decisions.append(
          .init(layer: "", text: "the signature \(signature.name) is read, and not \(names)"))
      }
      let description = ModelDescription(
        inputs: result.graph.inputs.map { .init(name: $0.name) },
        outputs: result.graph.outputs.map { .init(name: $0.name) })
      return ModelContent(
        graph: result.graph, description: description, provenance: provenance)
    }
  }

  private var provenance: Provenance {
    var provenance = Provenance()
    provenance.framework = "tensorflow"
    provenance.frameworkVersion = file.version
    return provenance
  }
}

extension TensorFlowSource: ModelSource {
  package static let format = "a graph of TensorFlow"
  package static let options: Set<APIName> = []
  package var formatName: String { "tensorflow \(file.formatName)" }
  package var byteCount: Int { files.reduce(0) { $0 + $1.store.count } }

  /// Whether a file is `saved_model.pb`, also of a model that Keras describes.
  package static func isSavedModel(_ store: ByteStore) -> Bool {
    store.withBytes { SavedModelFile.recognizes($0) }
  }

  package static func recognizes(_ bytes: RawSpan) -> Bool {
    if SavedModelFile.recognizes(bytes) {
      return (try? SavedModelFile(bytes))?.isKeras == false
    }
    return TensorFlowJSFile.recognizesGraphModel(bytes) || TensorFlowGraph.recognizes(bytes)
  }

  package init(
    reading store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    try self.init(store, path: path, options: options)
  }

  package static func outline(
    of store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    (try? TensorFlowSource(store, path: path, options: options))?.outline()
  }

  /// The signatures, the variables, and the operators with their numbers.
  func outline() -> ModelOutline {
    var outline = ModelOutline(format: formatName, byteCount: byteCount)
    outline.provenance = provenance
    outline.weights = file.weights
    for signature in file.signatures.sorted(by: { $0.name < $1.name })
    where !signature.name.hasPrefix("__saved_model_") {
      let ordered = signature.inGraphOrder(file.graph)
      let (inputs, outputs) = (ordered.inputs.map(\.summary), ordered.outputs.map(\.summary))
      outline.notes.append(
        "signature \(signature.name.isEmpty ? "of the whole graph" : signature.name): "
          + "(\(inputs.joined(separator: ", "))) -> (\(outputs.joined(separator: ", ")))")
      if let notes = operatorNotes(ordered) { outline.notes.append(notes) }
    }
    if let signature = try? file.servingSignature() {
      outline.inputs = Self.types(signature.inputs)
      outline.outputs = Self.types(signature.outputs)
    }
    return outline
  }

  private static func types(
    _ ports: [TensorFlowSignature.Port]
  ) -> [(name: String, type: TensorType)] {
    ports.compactMap { port in (try? port.tensorType()).map { (port.name, $0) } }
  }

  /// The operators that a signature needs, with the number of each; an operator that cannot be read
  /// is marked.
  private func operatorNotes(_ signature: TensorFlowSignature) -> String? {
    guard let importer = try? TensorFlowImporter(file.graph, signature, file.context) else {
      return nil
    }
    let counts = Dictionary(
      importer.program.operations.map { ($0.kind, 1) }, uniquingKeysWith: +)
    let list = counts.sorted { $0.key < $1.key }.map { kind, count in
      "\(kind) \(count)"
        + (TensorFlowOperators.builder(kind) == nil && kind != "Placeholder" ? " (not read)" : "")
    }
    return "operators: \(list.joined(separator: ", "))"
  }
}

extension TensorFlowSignature.Port {
  /// The name and type for a listing.
  fileprivate var summary: String {
    let sizes = shape.map { "[\($0.map { $0 < 0 ? "?" : String($0) }.joined(separator: ", "))]" }
    return "\(name): \(type.name) \(sizes ?? "of unknown rank")"
  }
}
