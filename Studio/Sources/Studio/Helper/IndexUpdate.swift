import Foundation
import ImageSearch
import Synchronization

/// Brings an index of pictures up to date, as a helper.
struct IndexUpdate {
  /// A line of the answer.
  struct Line: Codable, Sendable {
    /// How many new and changed pictures are done, and how many there are.
    var done, count: Int
    /// At the end, how many pictures can be found.
    var pictureCount: Int?
    /// At the end, the pictures that cannot be read, with the reason.
    var problems: [String]?
  }

  private static let problemLimit = 100
  private let work: HelperWork.IndexWork

  init(_ work: HelperWork.IndexWork) { self.work = work }

  func run() throws {
    // The studio answers meanwhile, and comes first.
    _ = nice(10)
    var analysis = AnalyzeOptions()
    analysis.features = work.features.isEmpty ? nil : work.features
    let analyzer = try ImageAnalyzer(Model(contentsOf: work.model), options: analysis)
    let index = try ImageIndex(updating: work.database, for: analyzer, rebuild: true)
    var options = UpdateOptions()
    options.threads = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)
    options.progress = { Self.write(Line(done: $0.doneCount, count: $0.count)) }
    let update = try index.update(folder: work.folder, with: analyzer, options: options)
    let changed = update.analyzedCount + update.knownCount
    let problems = update.problems.prefix(Self.problemLimit).map {
      "\($0.path): \(Wording.namingOptions($0.reason))"
    }
    Self.write(
      Line(
        done: changed, count: changed, pictureCount: update.imageCount, problems: Array(problems)))
  }

  private static func write(_ line: Line) {
    guard let data = try? JSONEncoder().encode(line) else { return }
    HelperMain.write(String(decoding: data, as: UTF8.self) + "\n")
  }
}
