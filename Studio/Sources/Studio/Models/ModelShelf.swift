import Foundation
import HTTPTypes
import Weighbridge

/// The models of the folder, by name.
package struct ModelShelf: Sendable {
  /// All models, by name.
  package let models: [StudioModel]

  /// Reads the models of a folder; hidden files and folders are left out.
  ///
  /// - Parameter cancellation: Stops their runs.
  /// - Throws: ``StudioError`` when the folder cannot be listed.
  init(folder: String, cancellation: Cancellation) throws {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw StudioError(.notFound, "\(folder) is not a folder that can be listed.")
    }
    models = names.sorted().filter { name in
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(
        atPath: "\(folder)/\(name)", isDirectory: &isFolder)
      return isThere && !isFolder.boolValue && !name.hasPrefix(".")
    }.map { StudioModel(path: "\(folder)/\($0)", cancellation: cancellation) }
  }

  /// The model of a name.
  ///
  /// - Throws: ``StudioError`` with the status 404 when there is none.
  func model(_ name: String?) throws -> StudioModel {
    guard let model = models.first(where: { $0.name == name }) else {
      throw StudioError(.notFound, "There is no model \(name ?? "").")
    }
    return model
  }
}
