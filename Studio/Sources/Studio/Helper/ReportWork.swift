import Foundation
import HTTPTypes
import ModelReport
import Weighbridge

/// The report of uploaded files: one model or two, and what belongs to them.
struct ReportWork {
  private static let memoryLimit = 2 << 30

  private let paths: [String]
  private let verifies: Bool

  /// Works in a folder from now on, so that messages name files as they were called.
  ///
  /// - Parameter folder: The folder with the files and nothing else.
  init(folder: String, verifies: Bool) throws {
    guard FileManager.default.changeCurrentDirectoryPath(folder) else {
      throw StudioError(.internalServerError, "The files are not there any more.")
    }
    paths = try FileManager.default.contentsOfDirectory(atPath: ".").sorted()
    self.verifies = verifies
  }

  /// The page. What belongs to a model is inferred from its name, and a picture from its content.
  func page() throws -> String {
    var (models, options) = ([String](), ReportOptions())
    var (read, edit) = (ReadOptions(), DescriptionEdit())
    for path in paths {
      switch path.split(separator: ".").last?.lowercased() {
      case "weights": read.weights = path
      case "json", "yaml": read.architecture = path
      case "data": read.data = path
      case "names", "txt": edit.labels = try LabelFile.read(path)
      default:
        if try ImageFormat(contentsOf: path) == nil {
          models.append(path)
        } else {
          options.image = .init(name: path, image: try Image(contentsOf: path))
        }
      }
    }
    // Without a model the one file that is left is what cannot be read.
    if models.isEmpty, let only = paths.first, paths.count == 1 { models = [only] }
    options.noVerify = !verifies
    options.verification.run.memoryLimit = Self.memoryLimit
    options.wording = { Wording.namingOptions($0) }
    let reported = try models.map {
      try ReportedModel(contentsOf: $0, options: read, edit: edit)
    }
    return try Report(reported, options: options).html()
  }
}
