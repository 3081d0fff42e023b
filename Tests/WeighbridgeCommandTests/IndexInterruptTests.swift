import Foundation
import JSON
import TestSupport
import Testing
import Weighbridge

/// `weighbridge index`, ended in the middle.
@Suite struct IndexInterruptTests {
  private static let count = 12
  private static let use = [
    "--model", Sample.detector, "--image-input", "input_1", "--image-scale", "1/255", "--labels",
    Sample.labels, "--detector", "region", "--anchors", Sample.anchors, "--threads", "1",
  ]

  /// A folder with images that differ in one pixel.
  private func makeImages(_ folder: TemporaryFolder) throws -> String {
    let images = folder.file("images")
    try Files.makeFolder(images)
    let image = try Image(contentsOf: Places.sample("Models/shape-detector/picture.png"))
    for number in 0..<Self.count {
      var pixels = image.pixels
      pixels[0] = UInt8(number)
      try Image(width: image.width, height: image.height, pixels: pixels)
        .write(to: "\(images)/\(number).png")
    }
    return images
  }

  /// Starts an index, reads that so many images are done, and ends the process.
  private func endAfter(
    _ done: Int, _ arguments: [String], with signal: Int32
  ) throws -> Outcome {
    let pipe = Pipe()
    let running = try Program.start(["index"] + arguments + ["--progress"], messages: pipe)
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
    "A killed process loses nothing that it had said was done", arguments: [1, 2, 5, 9, 11])
  func killed(done: Int) throws {
    let folder = try TemporaryFolder()
    let images = try makeImages(folder)
    let arguments = [images, "-o", folder.file("photos.db")] + Self.use
    let outcome = try endAfter(done, arguments, with: SIGKILL)
    #expect(outcome.wasKilled || outcome.status == 0)
    let rest = try Program.run(["index"] + arguments + ["--json"]).json()
    #expect(rest["images"]?.integer == Self.count)
    let analyzed = try #require(rest["analyzed"]?.integer)
    #expect(analyzed <= Self.count - done)
    let again = try Program.run(["index"] + arguments + ["--json"]).json()
    #expect(again["analyzed"]?.integer == 0)
  }

  @Test("After Ctrl-C the status is 130, and the next run goes on")
  func interrupted() throws {
    let folder = try TemporaryFolder()
    let images = try makeImages(folder)
    let arguments = [images, "-o", folder.file("photos.db")] + Self.use
    let outcome = try endAfter(2, arguments, with: SIGINT)
    // It may have been done before the signal came.
    #expect(outcome.status == 130 || outcome.status == 0)
    let rest = try Program.run(["index"] + arguments + ["--json"]).json()
    #expect(rest["images"]?.integer == Self.count)
    #expect(try #require(rest["analyzed"]?.integer) <= Self.count - 2)
  }

  @Test("Two processes at once make one index, with each image once")
  func twoProcesses() throws {
    let folder = try TemporaryFolder()
    let images = try makeImages(folder)
    let arguments = ["index", images, "-o", folder.file("photos.db"), "--json"] + Self.use
    let both = [try Program.start(arguments), try Program.start(arguments)]
    for running in both {
      let outcome = try running.wait()
      outcome.expect(0)
      #expect(try outcome.json()["images"]?.integer == Self.count)
    }
    #expect(try Program.run(arguments).json()["analyzed"]?.integer == 0)
  }
}
