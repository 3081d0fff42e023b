import Bytes
import CoreMLFormat
import KerasFormat
import TensorFlowFormat

/// Where a model is that a user gives as a folder, or by the name that its files have in common.
struct ModelLocation {
  /// The file that tells the format.
  let file: String
  /// The path for the reader of that format: that of the file, or of a Core ML package.
  let path: String
  /// The Core ML package, if it is one.
  let package: CoreMLPackage?

  /// - Throws: As ``CoreMLPackage/init(at:)``.
  init(_ path: String) throws(WeighbridgeError) {
    package = try CoreMLPackage(at: path)
    if let package {
      (file, self.path) = (package.model, path)
      return
    }
    file = Self.savedModel(path) ?? Self.checkpoint(path) ?? Self.tensorFlowJS(path) ?? path
    self.path = file
  }

  /// The main file of a folder that is a SavedModel.
  private static func savedModel(_ folder: String) -> String? {
    member(SavedModelFile.name, of: folder)
  }

  /// The main file of a folder with a model of TensorFlow.js.
  private static func tensorFlowJS(_ folder: String) -> String? {
    guard let path = member("model.json", of: folder), let file = try? MappedFile(path: path),
      file.withBytes({ TensorFlowJSFile.recognizes($0) })
    else { return nil }
    return path
  }

  private static func member(_ name: String, of folder: String) -> String? {
    guard FolderListing.names(in: folder).contains(name) else { return nil }
    return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// The index of a checkpoint that is given as TensorFlow names it, without an extension.
  private static func checkpoint(_ name: String) -> String? {
    let index = name + TensorBundle.indexExtension
    return !exists(name) && exists(index) ? index : nil
  }
}
