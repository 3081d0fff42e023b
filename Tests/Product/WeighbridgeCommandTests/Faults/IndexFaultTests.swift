import Foundation
import JSON
import TestSupport
import Testing

/// Failures of each call of `weighbridge index` while it writes its database. (A sample of them, as
/// in ``FaultTests``.)
@Suite(.enabled(if: FaultLibrary.isAvailable, Comment(rawValue: FaultLibrary.skipReason)))
struct IndexFaultTests {
  @Test(
    "After a fault an index holds what it held, and the next run completes it",
    arguments: [false, true])
  func faults(exists: Bool) throws {
    let trial = try IndexTrial(exists: exists)
    let faults = Fault.all(of: trial.counts)
    try #require(faults.count > 50, "\(trial.counts)")
    let tried = FaultTests.sample(of: faults)
    for fault in tried { try trial.check(fault) }
    try FaultTests.report("index, \(exists ? "of more images" : "new")", tried.count, trial.counts)
  }
}

/// An index that is created, or that gets more images.
private struct IndexTrial {
  let counts: [(call: String, count: Int)]
  private let images: IndexedImages
  /// The index before the run; empty if there is none.
  private let old: Data
  private let oldCount: Int
  /// The result of a search in the complete index.
  private let found: JSONValue

  init(exists: Bool) throws {
    let files = try TemporaryFolder()
    let images = try IndexedImages(count: exists ? 2 : 0)
    oldCount = images.count
    let index = files.file("photos.db")
    if exists { try Program.run(images.arguments(index)).expect(0) }
    old = exists ? try Files.read(index) : Data()
    for number in oldCount..<oldCount + 2 { try images.add(number) }
    self.images = images
    let library = try FaultLibrary.path()
    try Program.start(
      images.arguments(index),
      environment: ["LD_PRELOAD": library, "FAULT_COUNTS": files.file("counts")]
    ).wait().expect(0)
    counts = try Fault.counts(files.file("counts"))
    found = try Self.search(index)
  }

  /// All images of an index with their detections.
  private static func search(_ index: String) throws -> JSONValue {
    let outcome = try Program.run(
      "search", "--in", index, "--object", "ellipse:0.1,0.1,0.3,0.3", "--max-cost", "1000",
      "--json")
    return try JSONValue(parsing: Array(outcome.output.utf8))
  }

  /// Indexes with a fault, checks the result, and indexes again.
  func check(_ fault: Fault) throws {
    let folder = try TemporaryFolder()
    let index = folder.file("photos.db")
    if !old.isEmpty { try Files.write(old, to: index) }
    let library = try FaultLibrary.path()
    let outcome = try Program.start(
      images.arguments(index),
      environment: fault.environment.merging(["LD_PRELOAD": library]) { $1 }
    ).wait()
    let context: Comment = "\(fault): \(outcome.status) \(outcome.messages)"
    #expect(outcome.wasKilled == (fault.kind == .kill), context)
    // An image that cannot be mapped is reported with status 1.
    if !outcome.wasKilled { #expect([0, 1, 3, 4].contains(outcome.status), context) }
    let again = try Program.run(images.arguments(index) + ["--json"])
    #expect(again.status == 0, "\(again.messages) after \(context)")
    let update = try again.json()
    #expect(update["images"]?.integer == oldCount + 2, context)
    let analyzed = update["analyzed"]?.integer ?? .max
    #expect(analyzed <= (outcome.status == 0 ? 0 : 2), context)
    #expect(try Self.search(index) == found, context)
    let litter = folder.names.filter {
      !["", "-wal", "-shm"].map { "photos.db\($0)" }.contains($0)
    }
    #expect(litter.isEmpty, context)
  }
}
