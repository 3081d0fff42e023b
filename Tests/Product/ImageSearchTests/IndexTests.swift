import Bytes
import Foundation
import ImageSearch
import Synchronization
import TestSupport
import Testing
import Vision

@Suite("The index of images")
struct IndexTests {
  private let scenes: [Scene]

  init() throws { scenes = try Scene.first(4) }

  private func layout() -> CompositionQuery {
    var query = CompositionQuery(scenes[0].composition)
    query.maximumCost = .infinity
    return query
  }

  @Test("The index holds what the detector finds, whatever the number of threads")
  func contents() throws {
    let album = try Album(scenes: scenes)
    let analyzer = try Models.analyzer()
    let detector = try Detector(try Models.shapeDetector())
    var results: [[CompositionResult]] = []
    for threads in [1, 3] {
      var options = UpdateOptions()
      options.threads = threads
      let index = try ImageIndex(updating: "\(album.index)\(threads)", for: analyzer)
      try index.update(folder: album.images, with: analyzer, options: options)
      results.append(try index.search(layout(), threads: threads))
    }
    let memory = try ImageIndex(inMemoryFor: analyzer)
    try memory.update(folder: album.images, with: analyzer)
    results.append(try memory.search(layout()))
    #expect(results[0] == results[1] && results[0] == results[2])
    try #require(results[0].count == 4)
    for result in results[0] {
      let image = try Image(contentsOf: result.path)
      #expect(result.width == image.width && result.height == image.height)
      let found = try detector.detect(in: image)
      #expect(result.detections.map(\.label) == found.map(\.label) && !found.isEmpty)
      for (stored, own) in zip(result.detections, found) {
        #expect(abs(stored.confidence - own.confidence) < 1e-5)
        #expect(abs(stored.box.x - own.box.x) < 1e-5)
      }
    }
  }

  @Test("Only new and changed images are analyzed; moved ones and copies are recognized")
  func increments() throws {
    let album = try Album(scenes: scenes)
    let analyzer = try Models.analyzer()
    func update() throws -> ImageIndexUpdate {
      try ImageIndex(updating: album.index, for: analyzer)
        .update(folder: album.images, with: analyzer)
    }
    #expect(try update().analyzedCount == 4)
    let second = try update()
    #expect(second.analyzedCount == 0 && second.imageCount == 4)
    try Files.makeFolder("\(album.images)/older/still")
    let moved = "\(album.images)/older/still/moved.png"
    try FileManager.default.moveItem(atPath: album.path(1), toPath: moved)
    try FileManager.default.copyItem(atPath: moved, toPath: "\(album.images)/copy.png")
    try FileManager.default.removeItem(atPath: album.path(2))
    try Files.write(try Files.read(scenes[2].path), to: album.path(3))
    let third = try update()
    // Scene 2 now has the name of scene 3, and its bytes were already indexed.
    #expect(third.analyzedCount == 0 && third.imageCount == 4 && third.removedCount == 2)
    let paths = try ImageIndex(contentsOf: album.index).search(layout()).map(\.path)
    #expect(
      Set(paths)
        == Set(
          [album.path(0), album.path(3), moved, "\(album.images)/copy.png"].map(canonicalPath)))
    try scenes[0].image().annotated(with: []).write(to: album.path(0), as: .jpeg)
    #expect(try update().analyzedCount == 1, "the bytes of scene 0 have changed")
  }

  @Test("A file with unchanged times is not analyzed again")
  func unchanged() throws {
    let album = try Album(scenes: scenes)
    let analyzer = try Models.analyzer()
    // The modification times of recently written files are not trusted, so they are read twice.
    let index = try ImageIndex(updating: album.index, for: analyzer)
    try index.update(folder: album.images, with: analyzer)
    let again = try index.update(folder: album.images, with: analyzer)
    #expect(again.knownCount + again.unchangedCount == 4 && again.analyzedCount == 0)
  }

  @Test("Broken images are named each time, and other files are passed over")
  func problems() throws {
    let album = try Album(scenes: scenes)
    try Files.write(try Files.read(album.path(0)).prefix(300), to: "\(album.images)/cut.png")
    try Files.write("words".utf8, to: "\(album.images)/notes.txt")
    let analyzer = try Models.analyzer(features: "conv2d_6")
    let index = try ImageIndex(updating: "\(album.images)/photos.db", for: analyzer)
    for round in 0..<2 {
      let update = try index.update(folder: album.images, with: analyzer)
      #expect(update.imageCount == 4 && update.analyzedCount == (round == 0 ? 4 : 0))
      #expect(update.problems.map(\.path) == [canonicalPath("\(album.images)/cut.png")])
      #expect(update.otherFiles == [canonicalPath("\(album.images)/notes.txt")])
    }
    #expect(try index.search(layout()).count == 4)
    #expect(try index.featureTable().unreadable.map(\.path).count == 1)
    let error = failure { _ = try index.analysis(ofImage: "\(album.images)/cut.png") }
    #expect(error?.code == .unsupported)
  }

  @Test("An index of another model or other options stays, unless it is to be rebuilt")
  func otherModel() throws {
    let album = try Album(scenes: scenes)
    let analyzer = try Models.analyzer()
    try ImageIndex(updating: album.index, for: analyzer)
      .update(folder: album.images, with: analyzer)
    var options = AnalyzeOptions()
    options.detection.confidenceThreshold = 0.5
    let stricter = try ImageAnalyzer(try Models.shapeDetector(), options: options)
    for other in [stricter, try Models.sketchAnalyzer()] {
      let error = try #require(failure { _ = try ImageIndex(updating: album.index, for: other) })
      #expect(error.code == .mismatch && error.description.contains("photos.db: is an index"))
      #expect(try ImageIndex(contentsOf: album.index).search(layout()).count == 4)
    }
    let rebuilt = try ImageIndex(updating: album.index, for: stricter, rebuild: true)
    #expect(try rebuilt.search(layout()).isEmpty)
    #expect(try rebuilt.update(folder: album.images, with: stricter).analyzedCount == 4)
    let error = failure { _ = try ImageIndex(contentsOf: album.index).featureTable() }
    #expect(error?.code == .mismatch)
  }

  private protocol Use {
    static func use() throws
  }

  /// A use of what is deprecated, called through a protocol: a direct call would be a warning.
  private enum FormerName: Use {
    @available(*, deprecated)
    static func use() throws {
      let (album, analyzer) = (try Album(scenes: Scene.first(4)), try Models.analyzer())
      let index = try ImageIndex(updating: album.index, for: analyzer, isRebuilding: true)
      #expect(try index.update(folder: album.images, with: analyzer).analyzedCount == 4)
    }
  }

  @Test("An index is rebuilt under the option's name of version 0.2, too")
  func formerName() throws {
    try (FormerName.self as any Use.Type).use()
  }

  @Test("The limit of memory holds for detections and for features")
  func memoryLimit() throws {
    let album = try Album(scenes: scenes)
    var options = AnalyzeOptions()
    options.detection.run.memoryLimit = 1000
    let models = [try Models.shapeDetector(), try Models.sketchClassifier()]
    for (model, features) in zip(models, ["conv2d_6", "dense_1"]) {
      options.features = features
      let error = failure {
        let analyzer = try ImageAnalyzer(model, options: options)
        _ = try analyzer.analyze(try Image(contentsOf: album.path(0)))
      }
      #expect(error?.code == .limitExceeded)
      #expect(error?.reason.contains("the limit is 1000 (`RunOptions.memoryLimit`)") == true)
    }
  }

  @Test("A model written as .wbm keeps its identity")
  func identity() throws {
    let folder = try TemporaryFolder()
    var model = try Models.shapeDetector()
    let identity = try model.identity()
    var edit = DescriptionEdit()
    edit.author = "somebody"
    try model.describe(edit)
    try model.write(to: folder.file("m.wbm"))
    #expect(try Model(contentsOf: folder.file("m.wbm")).identity() == identity)
    edit.labels = ["a", "b", "c"]
    try model.describe(edit)
    #expect(try model.identity() != identity)
  }

  @Test("After concurrent updates the index has each image once")
  func twoWriters() throws {
    let album = try Album(scenes: scenes)
    let analyzer = try Models.analyzer()
    let updates = Mutex<[Result<ImageIndexUpdate, WeighbridgeError>]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let update = Result { () throws(WeighbridgeError) in
        try ImageIndex(updating: album.index, for: analyzer)
          .update(folder: album.images, with: analyzer)
      }
      updates.withLock { $0.append(update) }
    }
    let all = try updates.withLock { $0 }.map { try $0.get() }
    #expect(all.count == 4 && all.allSatisfy { $0.imageCount == 4 })
    #expect(try ImageIndex(contentsOf: album.index).search(layout()).count == 4)
  }

  @Test("Cancelling leaves what was stored, and the next update goes on")
  func cancelling() throws {
    let album = try Album(scenes: scenes)
    let analyzer = try Models.analyzer()
    let index = try ImageIndex(updating: album.index, for: analyzer)
    let cancellation = Cancellation()
    var options = UpdateOptions()
    options.threads = 1
    options.cancellation = cancellation
    options.progress = { if $0.doneCount == 2 { cancellation.cancel() } }
    let error = failure { try index.update(folder: album.images, with: analyzer, options: options) }
    #expect(error?.code == .cancelled)
    #expect(try index.search(layout()).count == 2)
    #expect(try index.update(folder: album.images, with: analyzer).analyzedCount == 2)
  }
}
