import TestSupport
import Testing

@testable import ImageSearch

/// The times of files, which tell whether they must be read again.
@Suite struct FileStatusTests {
  @Test("A file is settled once its last change is more than two seconds ago")
  func settling() {
    let status = FileStatus(byteCount: 1, modified: 5_000_000_000, changed: 7_000_000_000)
    #expect(!status.isSettled(at: 7_000_000_000))
    #expect(!status.isSettled(at: 9_000_000_000))
    #expect(status.isSettled(at: 9_000_000_001))
    let copied = FileStatus(byteCount: 1, modified: 7_000_000_000, changed: 5_000_000_000)
    #expect(!copied.isSettled(at: 9_000_000_000))
    #expect(copied.isSettled(at: 9_000_000_001))
  }

  @Test("Images that have not changed for a while are not even read again")
  func unchanged() throws {
    let folder = try TemporaryFolder()
    let analyzer = try Models.analyzer()
    let index = try ImageIndex(updating: folder.file("photos.db"), for: analyzer)
    let images = Paths.sample("Models/scene-detector/scenes")
    let first = try index.update(folder: images, with: analyzer)
    #expect(first.analyzedCount == Scene.count && first.unchangedCount == 0)
    let second = try index.update(folder: images, with: analyzer)
    #expect(second.unchangedCount == Scene.count && second.imageCount == Scene.count)
    #expect(second.analyzedCount == 0 && second.knownCount == 0)
  }
}
