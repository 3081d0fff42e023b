package import Bytes
package import ConversionCore
package import CoreMLFormat
package import GraphIR
import KerasConversion
import LayerCatalog

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

  /// The path that the user gave: the file's, or that of the package in which it lies.
  private let givenPath: String

  /// Opens the file.
  ///
  /// - Parameter package: The package in which the file lies.
  /// - Throws: As ``CoreMLReader``; ``WeighbridgeError/Code/unsupported`` for models that are no
  ///   networks, with what they are. Of a file that is only looked at, what is broken is left out.
  package init(
    _ store: ByteStore, path: String, package: CoreMLPackage? = nil, options: ReadOptions,
    isLookedAt: Bool = false
  ) throws(WeighbridgeError) {
    let givenPath = package?.path ?? path
    self.givenPath = givenPath
    model = try locating({ $0.at(file: givenPath) }) { () throws(WeighbridgeError) in
      try store.withBytes { (bytes) throws(WeighbridgeError) in
        if let refusal = (try? CoreMLOutline(bytes))?.refusal { throw refusal }
        do throws(WeighbridgeError) {
          return try CoreMLReader.read(bytes)
        } catch {
          guard isLookedAt, let fragment = CoreMLReader.fragment(bytes) else { throw error }
          return fragment
        }
      }
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
    try locating({ $0.at(file: givenPath) }) { () throws(WeighbridgeError) in
      let result = try CoreMLImporter(store: files[0].store, custom: custom).run(model)
      var provenance = Provenance()
      provenance.framework = "coreml"
      provenance.frameworkVersion = "specification \(model.specificationVersion)"
      provenance.options = custom.options
      provenance.decisions = result.decisions
      var description = result.description
      description.name = FilePath(givenPath).base
      var content = ModelContent(
        graph: result.graph, description: description, provenance: provenance)
      try model.description.metadata.describe(&content, hasHeads: result.hasHeads)
      return content
    }
  }
}

extension CoreMLContents {
  /// Looks into a file or a package that is not converted.
  ///
  /// - Returns: `nil` for networks, and for what is no Core ML model that can be read so far.
  package init?(of path: String) throws(WeighbridgeError) {
    let package = try CoreMLPackage(at: path)
    guard let file = try? MappedFile(path: package?.model ?? path) else { return nil }
    let outline = file.withBytes { bytes -> CoreMLOutline? in
      guard CoreMLReader.recognizes(bytes) else { return nil }
      return (try? CoreMLOutline(bytes)) ?? CoreMLOutline(fragmentOf: bytes)
    }
    guard let outline else { return nil }
    self.init(
      outline, name: FilePath(package?.path ?? path).base, fileSize: file.count)
  }
}
