import Foundation
import JSON
import TestSupport
import Testing
import Weighbridge

/// Interruption of `weighbridge index`.
@Suite struct IndexInterruptTests {
  private let count = 60

  /// Starts indexing, waits until so many images are reported, and sends the signal.
  ///
  /// The images have long paths: the program prints more than twice what a pipe holds, and nobody
  /// reads on. However fast the machine is, it cannot end by itself before the signal.
  private func endAfter(
    _ done: Int, _ arguments: [String], with signal: Int32
  ) throws -> Outcome {
    let pipe = Pipe()
    let running = try Program.start(arguments + ["--progress"], messages: pipe)
    var messages = ""
    while messages.components(separatedBy: ": analyzed\n").count <= done {
      let data = pipe.fileHandleForReading.availableData
      try #require(!data.isEmpty, "it ended: \(messages)")
      messages += String(decoding: data, as: UTF8.self)
    }
    running.send(signal)
    return try running.wait()
  }

  @Test(
    "A killed process loses no image that it had reported", arguments: [1, 2, 5, 9, 11])
  func killed(done: Int) throws {
    let folder = try TemporaryFolder()
    let images = try IndexedImages(count: count, hasLongPaths: true)
    let arguments = images.arguments(folder.file("photos.db"))
    let outcome = try endAfter(done, arguments, with: SIGKILL)
    #expect(outcome.wasKilled)
    let resumed = try Program.run(arguments + ["--json"]).json()
    #expect(resumed["images"]?.integer == count)
    let analyzed = try #require(resumed["analyzed"]?.integer)
    #expect(analyzed <= count - done)
    let again = try Program.run(arguments + ["--json"]).json()
    #expect(again["analyzed"]?.integer == 0)
  }

  @Test("After Ctrl-C the status is 130, and the next run goes on")
  func interrupted() throws {
    let folder = try TemporaryFolder()
    let images = try IndexedImages(count: count, hasLongPaths: true)
    let arguments = images.arguments(folder.file("photos.db"))
    let outcome = try endAfter(2, arguments, with: SIGINT)
    outcome.expect(130)
    let resumed = try Program.run(arguments + ["--json"]).json()
    #expect(resumed["images"]?.integer == count)
    #expect(try #require(resumed["analyzed"]?.integer) <= count - 2)
  }

  @Test("Two processes at once make one index, with each image once")
  func twoProcesses() throws {
    let folder = try TemporaryFolder()
    let images = try IndexedImages(count: 12)
    let arguments = images.arguments(folder.file("photos.db")) + ["--json"]
    let both = [try Program.start(arguments), try Program.start(arguments)]
    for running in both {
      let outcome = try running.wait()
      outcome.expect(0)
      #expect(try outcome.json()["images"]?.integer == images.count)
    }
    #expect(try Program.run(arguments).json()["analyzed"]?.integer == 0)
  }
}
