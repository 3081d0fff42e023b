import Bytes
import TestSupport
import Testing

@testable import ImageSearch

@Suite("Opening an index for writing")
struct IndexOpeningTests {
  /// SQLite refuses a change to the write-ahead log at once while another connection is writing.
  @Test("The write-ahead log is not enabled while another connection has locked the database")
  func lock() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("photos.db")
    let writer = try SQLiteConnection(path: path, .writing)
    try writer.execute("CREATE TABLE images (path TEXT); BEGIN IMMEDIATE")
    let connection = try SQLiteConnection(path: path, .writing)
    let isEnabledEarly = try connection.tryWriteAheadLog()
    #expect(!isEnabledEarly)
    let isLocked = connection.isLocked
    #expect(isLocked)
    try writer.execute("ROLLBACK")
    let isEnabled = try connection.tryWriteAheadLog()
    #expect(isEnabled && folder.names.contains("photos.db"))
  }

  @Test("An error other than a lock is thrown, whatever its words are")
  func otherErrors() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("another process")
    try Files.write("precious words that are no database\n".utf8, to: path)
    let connection = try SQLiteConnection(path: path, .writing)
    do throws(WeighbridgeError) {
      _ = try connection.tryWriteAheadLog()
      Issue.record("a text is no database")
    } catch {
      #expect(error.code == .malformed)
    }
    let isLocked = connection.isLocked
    #expect(!isLocked && folder.names == ["another process"])
  }
}
