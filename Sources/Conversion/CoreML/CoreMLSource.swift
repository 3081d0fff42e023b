package import Bytes
import CoreMLFormat
package import GraphIR

/// An `.mlmodel` file.
package struct CoreMLSource: Sendable {
  /// The files that were read, by role.
  package let files: [SourceFile]
  let model: CoreMLModel
  /// The class that a classifier gives; `nil` for other models.
  package var classLabel: ClassLabel? { ClassLabel(model.description) }
  /// Whether an app can train the model further.
  package var isUpdatable: Bool { model.isUpdatable }
  let custom: CustomLayerPolicy

  /// Opens the file.
  ///
  /// - Throws: As ``CoreMLReader``.
  package init(
    _ store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    model = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try store.withBytes { (bytes) throws(WeighbridgeError) in try CoreMLReader.read(bytes) }
    }
    var files = [
      SourceFile(
        role: "model", path: path, store: store, startsDigest: options.preparesWriting)
    ]
    let (custom, file) = try CustomLayerPolicy.opened(options)
    if let file { files.append(file) }
    self.custom = custom
    self.files = files
  }

  /// Imports the model.
  ///
  /// - Throws: As ``CoreMLImporter``, with the file's name.
  package func content() throws(WeighbridgeError) -> ModelContent {
    try locating({ $0.at(file: files[0].path) }) { () throws(WeighbridgeError) in
      let result = try CoreMLImporter(store: files[0].store, custom: custom).run(model)
      var provenance = Provenance()
      provenance.framework = "coreml"
      provenance.frameworkVersion = "specification \(model.specificationVersion)"
      provenance.options = custom.options
      provenance.decisions = result.decisions
      var description = result.description
      description.name = PathName(files[0].path).base
      var content = ModelContent(
        graph: result.graph, description: description, provenance: provenance)
      try model.description.metadata.describe(&content, hasHeads: result.hasHeads)
      return content
    }
  }
}
