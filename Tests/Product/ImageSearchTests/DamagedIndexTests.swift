import Bytes
import Foundation
import ImageSearch
import TestSupport
import Testing

@Suite("Files that are not an index, and damaged indexes")
struct DamagedIndexTests {
  /// Expects that reading, updating and rebuilding are refused and leave the file unchanged.
  private func expectRefused(
    _ path: String, _ codes: Set<WeighbridgeError.Code>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try Files.read(path)
    let analyzer = try Models.analyzer()
    for rebuild in [false, true] {
      let error = try #require(
        failure {
          _ = try ImageIndex(updating: path, for: analyzer, rebuild: rebuild)
        }, sourceLocation: sourceLocation)
      #expect(codes.contains(error.code), "\(error)", sourceLocation: sourceLocation)
      #expect(error.place.file == path, sourceLocation: sourceLocation)
    }
    #expect(try Files.read(path) == before, sourceLocation: sourceLocation)
  }

  @Test("A text, an image and a database of something else are refused and left as they are")
  func otherFiles() throws {
    let folder = try TemporaryFolder()
    try Files.write("precious words\n".utf8, to: folder.file("words"))
    try expectRefused(folder.file("words"), [.malformed])
    try Files.write(try Files.read(Scene(0).path), to: folder.file("image.png"))
    try expectRefused(folder.file("image.png"), [.malformed])
    try Files.makeDatabase(folder.file("other.db"), "CREATE TABLE precious (word TEXT)")
    try expectRefused(folder.file("other.db"), [.malformed])
    #expect(failure { _ = try ImageIndex(contentsOf: folder.file("other.db")) }?.code == .malformed)
  }

  @Test("A file that is not there, and a folder, are errors")
  func missing() throws {
    let folder = try TemporaryFolder()
    #expect(failure { _ = try ImageIndex(contentsOf: folder.file("none.db")) }?.code == .missing)
    let error = failure { _ = try ImageIndex(contentsOf: folder.path) }
    let codes: Set<WeighbridgeError.Code?> = [.missing, .outputFailed]
    #expect(codes.contains(error?.code) && error?.place.file == folder.path, "\(error as Any)")
    let analyzer = try Models.analyzer()
    for path in [folder.path, folder.file("none/photos.db"), ""] {
      let error = failure { _ = try ImageIndex(updating: path, for: analyzer) }
      #expect(error?.code == .outputFailed, "\(path)")
    }
    #expect(folder.names.isEmpty)
  }

  @Test("An index of another version is named, and rebuilt only when that is asked for")
  func otherVersion() throws {
    let album = try Album()
    let analyzer = try Models.analyzer()
    _ = try ImageIndex(updating: album.index, for: analyzer)
    try Files.makeDatabase(album.index, "PRAGMA user_version = 7")
    let error = failure { _ = try ImageIndex(updating: album.index, for: analyzer) }
    #expect(error?.code == .unsupported && error?.reason.contains("version 7") == true)
    #expect(failure { _ = try ImageIndex(contentsOf: album.index) }?.code == .unsupported)
    _ = try ImageIndex(updating: album.index, for: analyzer, rebuild: true)
    #expect(try ImageIndex(contentsOf: album.index).contents.labels == Models.shapes)
  }

  @Test("A truncated index, and one with changed pages, are damaged")
  func damaged() throws {
    let album = try Album(scenes: Scene.first(12))
    let analyzer = try Models.analyzer()
    do {
      let index = try ImageIndex(updating: album.index, for: analyzer)
      try index.update(folder: album.images, with: analyzer)
    }
    try #require(album.folder.names == ["images", "photos.db"], "the log went into the file")
    let bytes = try Files.read(album.index)
    try Files.write(bytes.prefix(bytes.count / 2), to: album.index)
    try expectRefused(album.index, [.damaged])
    var changed = bytes
    for page in 1..<bytes.count / 4096 { changed[page * 4096] = 0xEE }
    try Files.write(changed, to: album.index)
    try expectRefused(album.index, [.damaged])
    let error = failure { _ = try ImageIndex(contentsOf: album.index).featureTable() }
    #expect(error != nil)
  }

  @Test("A changed byte of stored detections is found by its digest")
  func changedRecord() throws {
    let album = try Album(scenes: Scene.first(2))
    let analyzer = try Models.analyzer()
    do {
      let index = try ImageIndex(updating: album.index, for: analyzer)
      try index.update(folder: album.images, with: analyzer)
    }
    try Files.makeDatabase(
      album.index,
      "UPDATE detections SET record = zeroblob(4) || substr(record, 5) WHERE content = 1")
    let index = try ImageIndex(contentsOf: album.index)
    let layout = try Scene(0).composition
    #expect(failure { _ = try index.search(CompositionQuery(layout)) }?.code == .damaged)
  }
}
