import CSQLite
import TestSupport
import Testing

extension Files {
  /// Runs SQLite statements on a file, which is created if necessary.
  static func makeDatabase(_ path: String, _ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
  }
}
