import Foundation
import HTTPTypes
import ImageSearch
import Synchronization

/// Everything behind the pages.
package final class Studio: Sendable {
  /// What the address must hold.
  package let token = AccessToken()
  package let options: StudioOptions
  package let shelf: ModelShelf
  let photos: PictureFolder?
  let sketches: PictureFolder?
  let helper: HelperProcess
  let folder: WorkFolder
  let reports = ReportShelf()
  /// Running models.
  let modelQueue: WorkQueue
  /// Comparing with what is known of photos.
  let searchQueue: WorkQueue
  /// Reading what was sent.
  let reportQueue: WorkQueue
  private let libraries = Mutex<[String: PictureLibrary]>([:])
  private let analyzers = Mutex<[String: ImageAnalyzer]>([:])

  /// Reads the models and begins to look at the photos.
  ///
  /// - Parameters:
  ///   - options: What is served.
  ///   - executable: The program, which runs itself again as a helper.
  /// - Throws: ``StudioError`` when a folder is none.
  package init(_ options: StudioOptions, executable: String) throws {
    self.options = options
    let time = Duration.seconds(options.timeLimit)
    modelQueue = WorkQueue("models", capacity: 8, timeLimit: time)
    searchQueue = WorkQueue("search", capacity: 16, timeLimit: time)
    reportQueue = WorkQueue("reports", capacity: 3, timeLimit: time)
    photos = try options.photos.map { try PictureFolder($0) }
    sketches = try options.sketches.map { try PictureFolder($0) }
    shelf = try ModelShelf(folder: options.models, cancellation: modelQueue.cancellation)
    helper = HelperProcess(executable: executable)
    folder = try WorkFolder()
    for model in shelf.models {
      if photos != nil, model.kind == "detector" { try photoLibrary(model).refresh() }
      // What is wrong with it is said when somebody draws.
      if sketches != nil, model.kind == "classifier" { try? sketchLibrary(model).refresh() }
    }
  }

  /// Stops all work and removes what is on disk.
  package func stop() {
    [modelQueue, searchQueue, reportQueue].forEach { $0.stop() }
    helper.stop()
    folder.remove()
  }

  /// The photos as a detector sees them.
  func photoLibrary(_ model: StudioModel) throws -> PictureLibrary {
    guard let photos else {
      throw StudioError(
        .notFound, "There are no photos: give weighbridge-studio a folder of them with --photos.")
    }
    guard case .detector = model.tool else {
      throw StudioError(.unprocessableContent, "\(model.name) finds no objects.")
    }
    return library(model, photos, features: "", "photos")
  }

  /// The pictures of sketches as a classifier sees them.
  func sketchLibrary(_ model: StudioModel) throws -> PictureLibrary {
    guard let sketches else {
      throw StudioError(
        .notFound,
        "There are no pictures for sketches: give weighbridge-studio a folder with a folder for each "
          + "label with --sketches.")
    }
    return library(model, sketches, features: try featureLayer(model), "sketches")
  }

  private func library(
    _ model: StudioModel, _ pictures: PictureFolder, features: String, _ kind: String
  ) -> PictureLibrary {
    let database = "\(options.indexes ?? folder.path)/\(kind)-\(model.name).db"
    return libraries.withLock { libraries in
      if let library = libraries[database] { return library }
      let library = PictureLibrary(
        .init(folder: pictures.path, model: model.path, features: features, database: database),
        helper: helper)
      libraries[database] = library
      return library
    }
  }

  /// What makes features of a drawing, as of the pictures that it is compared with.
  func sketchAnalyzer(_ model: StudioModel) throws -> ImageAnalyzer {
    if let known = analyzers.withLock({ $0[model.name] }) { return known }
    var options = AnalyzeOptions()
    options.features = try featureLayer(model)
    options.detection.run.cancellation = modelQueue.cancellation
    let analyzer = try ImageAnalyzer(Model(contentsOf: model.path), options: options)
    analyzers.withLock { $0[model.name] = analyzer }
    return analyzer
  }

  private func featureLayer(_ model: StudioModel) throws -> String {
    try options.features ?? model.featureLayer()
  }
}
