package import Bytes
package import ConversionCore
package import CoreMLFormat
package import GraphIR
import LayerCatalog

/// An `.mlmodel` file.
package struct CoreMLSource: Sendable {
  /// The files that were read, by role.
  package let files: [SourceFile]
  let model: CoreMLModel
  /// The class that a classifier returns; `nil` for other models.
  package var classLabel: ClassLabel? { ClassLabel(model.description) }
  /// Whether an app can train the model further.
  package var isUpdatable: Bool { model.isUpdatable }
  let custom: any CustomLayerMappings
  /// The files of an ML Program's constants; `nil` for networks.
  let program: MILFiles?

  /// The package that contains the file; `nil` for a file by itself.
  private let package: CoreMLPackage?
  /// The path that the user gave: that of the file or of the package that contains it.
  private let givenPath: String
  /// The size in bytes of the file or the package.
  package var byteCount: Int { package?.byteCount ?? files[0].store.count }

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - package: The package that contains the file.
  ///   - custom: What becomes of custom layers.
  ///   - customFile: The file that says so, if any.
  /// - Throws: What ``CoreMLReader`` throws; ``WeighbridgeError/Code/unsupported`` for models that
  ///   are not networks, with what they are. In a file that is only inspected, broken parts are
  ///   skipped.
  package init(
    _ store: ByteStore, path: String, package: CoreMLPackage? = nil, options: ReadOptions,
    custom: any CustomLayerMappings, customFile: SourceFile? = nil, isInspectionOnly: Bool = false
  ) throws(WeighbridgeError) {
    let givenPath = package?.path ?? path
    self.givenPath = givenPath
    self.package = package
    model = try locating({ $0.at(file: givenPath) }) { () throws(WeighbridgeError) in
      try store.withBytes { (bytes) throws(WeighbridgeError) in
        if let refusal = (try? CoreMLOutline(bytes))?.refusal { throw refusal }
        do throws(WeighbridgeError) {
          return try CoreMLReader.read(bytes)
        } catch {
          guard isInspectionOnly, let fragment = CoreMLReader.fragment(bytes) else { throw error }
          return fragment
        }
      }
    }
    var files = [
      SourceFile(
        role: "model", path: path, store: store, startsDigest: options.preparesWriting)
    ]
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    program = try locating({ $0.at(file: givenPath) }) { [model] () throws(WeighbridgeError) in
      try model.program.flatMap { (program) throws(WeighbridgeError) -> MILFiles? in
        do throws(WeighbridgeError) {
          return try MILFiles(program, model: store, folder: folder)
        } catch {
          guard isInspectionOnly else { throw error }
          return nil
        }
      }
    }
    files += (program?.blobs ?? [:]).sorted { $0.key < $1.key }.map { name, blobs in
      SourceFile(
        role: "weights", path: folder + name.dropFirst(11), store: blobs,
        startsDigest: options.preparesWriting)
    }
    if let file = customFile { files.append(file) }
    self.custom = custom
    self.files = files
  }

  /// Imports the model.
  ///
  /// - Throws: What ``CoreMLImporter`` throws, with the file's name.
  package func content() throws(WeighbridgeError) -> ModelContent {
    try locating({ $0.at(file: givenPath) }) { () throws(WeighbridgeError) in
      let result = try CoreMLImporter(
        store: files[0].store, files: program, custom: custom
      ).run(model)
      var provenance = Provenance()
      provenance.framework = "coreml"
      provenance.frameworkVersion = "specification \(model.specificationVersion)"
      provenance.options = custom.options
      provenance.decisions = result.decisions
      var description = result.description
      description.name = FilePath(givenPath).stem
      var content = ModelContent(
        graph: result.graph, description: description, provenance: provenance)
      try model.description.metadata.describe(&content, hasHeads: result.hasHeads)
      return content
    }
  }
}

extension CoreMLContents {
  /// Inspects a file or a package that cannot be converted.
  ///
  /// - Returns: `nil` for networks, and for files that are not readable as Core ML models.
  package init?(of path: String) throws(WeighbridgeError) {
    let package = try CoreMLPackage(at: path)
    guard let file = try? MappedFile(path: package?.model ?? path) else { return nil }
    let outline = file.withBytes { bytes -> CoreMLOutline? in
      guard CoreMLReader.recognizes(bytes) else { return nil }
      return (try? CoreMLOutline(bytes)) ?? CoreMLOutline(fragmentOf: bytes)
    }
    guard let outline else { return nil }
    self.init(
      outline, name: FilePath(package?.path ?? path).stem,
      fileSize: package?.byteCount ?? file.count)
  }
}
