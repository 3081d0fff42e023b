import CSQLite

/// A value of a row or a parameter.
enum SQLiteValue {
  case integer(Int)
  case text(String)
  case blob([UInt8])
  case null
}

/// A connection to an SQLite database, closed when it is destroyed.
/// No other file calls SQLite. A connection may pass between threads (unchecked) but is used by one
/// at a time: it cannot be copied, and is local to a thread or protected by a lock.
@safe struct SQLiteConnection: ~Copyable, @unchecked Sendable {
  /// The purpose of a connection.
  enum Access {
    /// Reading; the file must exist.
    case reading
    /// Reading and writing; the file is created if it does not exist.
    case writing
  }

  private let handle: OpaquePointer
  private let path: String

  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/missing`` or, for writing,
  ///   ``/Weighbridge/WeighbridgeError/Code/outputFailed`` when the file cannot be opened.
  init(path: String, _ access: Access) throws(WeighbridgeError) {
    let flags =
      access == .reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    var handle: OpaquePointer?
    let status = unsafe sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let handle = unsafe handle else {
      throw .limitExceeded("not enough memory for a database").at(file: path)
    }
    guard status == SQLITE_OK else {
      let error = unsafe SQLiteFailure.error(status, handle)
      unsafe sqlite3_close_v2(handle)
      throw error.at(file: path)
    }
    unsafe sqlite3_extended_result_codes(handle, 1)
    // The time in milliseconds to wait while another process is writing.
    unsafe sqlite3_busy_timeout(handle, 60_000)
    unsafe (self.handle, self.path) = unsafe (handle, path)
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  /// Runs statements that return no rows, separated by semicolons.
  func execute(_ sql: String) throws(WeighbridgeError) {
    let status = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard status == SQLITE_OK else {
      throw unsafe SQLiteFailure.error(status, handle).at(file: path)
    }
  }

  /// Prepares a statement.
  func statement(_ sql: String) throws(WeighbridgeError) -> SQLiteStatement {
    var statement: OpaquePointer?
    let status = unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard status == SQLITE_OK, let statement = unsafe statement else {
      throw unsafe SQLiteFailure.error(status, handle).at(file: path)
    }
    return unsafe SQLiteStatement(statement, handle, path)
  }

  /// Runs a statement with parameters to completion.
  func run(_ sql: String, _ parameters: SQLiteValue...) throws(WeighbridgeError) {
    var statement = try statement(sql)
    try statement.bind(parameters)
    while try statement.step() {}
  }

  /// Returns the first column of the first row as an integer; `nil` when there is none.
  func integer(_ sql: String, _ parameters: SQLiteValue...) throws(WeighbridgeError) -> Int? {
    var statement = try statement(sql)
    try statement.bind(parameters)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Returns the first column of the first row as a string; `nil` when there is none.
  func text(_ sql: String, _ parameters: SQLiteValue...) throws(WeighbridgeError) -> String? {
    var statement = try statement(sql)
    try statement.bind(parameters)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Whether the last call failed because another connection has locked the database.
  var isLocked: Bool { unsafe SQLiteFailure.isLock(sqlite3_errcode(handle)) }

  /// The number of rows that the last statement changed.
  var changeCount: Int { unsafe Int(sqlite3_changes64(handle)) }
}

/// A prepared statement; it must not outlive its connection.
@safe struct SQLiteStatement: ~Copyable {
  private let statement: OpaquePointer
  private let connection: OpaquePointer
  private let path: String

  fileprivate init(_ statement: OpaquePointer, _ connection: OpaquePointer, _ path: String) {
    unsafe (self.statement, self.connection, self.path) = unsafe (statement, connection, path)
  }

  deinit { unsafe sqlite3_finalize(statement) }

  /// Sets all parameters and restarts the statement.
  mutating func bind(_ parameters: [SQLiteValue]) throws(WeighbridgeError) {
    unsafe sqlite3_reset(statement)
    for (index, parameter) in zip(Int32(1)..., parameters) {
      let status =
        switch parameter {
        case .integer(let value): unsafe sqlite3_bind_int64(statement, index, Int64(value))
        case .text(let value):
          unsafe sqlite_bind_copied_text(statement, index, value, Int32(value.utf8.count))
        case .blob(let bytes):
          // SQLite copies the bytes before it returns.
          unsafe bytes.withUnsafeBytes {
            unsafe sqlite_bind_copied_blob(statement, index, $0.baseAddress, Int32($0.count))
          }
        case .null: unsafe sqlite3_bind_null(statement, index)
        }
      guard status == SQLITE_OK else {
        throw unsafe SQLiteFailure.error(status, connection).at(file: path)
      }
    }
  }

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one.
  mutating func step() throws(WeighbridgeError) -> Bool {
    let status = unsafe sqlite3_step(statement)
    switch status {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case _: throw unsafe SQLiteFailure.error(status, connection).at(file: path)
    }
  }

  /// Returns a column of the row as an integer; `nil` for another type.
  func integer(_ column: Int32) -> Int? {
    guard unsafe sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
    return unsafe Int(sqlite3_column_int64(statement, column))
  }

  /// Returns a column of the row as a string; `nil` for another type.
  func text(_ column: Int32) -> String? {
    guard unsafe sqlite3_column_type(statement, column) == SQLITE_TEXT,
      let text = unsafe sqlite3_column_text(statement, column)
    else { return nil }
    return unsafe String(cString: text)  // ends with a NUL, and is valid until the next call
  }

  /// Calls `body` with the bytes of a column of the row; with none for NULL.
  func withBlob<Result, Failure: Error>(
    _ column: Int32, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = unsafe sqlite3_column_blob(statement, column)
    let count = unsafe bytes == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
    // The bytes are valid until the statement moves to another row.
    return try unsafe body(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
  }
}

/// Converts SQLite's errors.
private enum SQLiteFailure {
  /// Whether an error is a lock of another connection.
  static func isLock(_ status: Int32) -> Bool {
    [SQLITE_BUSY, SQLITE_LOCKED].contains(status & 0xFF)
  }

  static func error(_ status: Int32, _ handle: OpaquePointer) -> WeighbridgeError {
    let reason = unsafe String(cString: sqlite3_errmsg(handle))  // ends with a NUL
    switch status & 0xFF {
    case SQLITE_NOTADB: return .malformed("is not a database (\(reason))")
    case SQLITE_CORRUPT: return .damaged("the database is damaged (\(reason))")
    case _ where isLock(status):
      return .outputFailed("another process is using the database (\(reason))")
    case SQLITE_NOMEM: return .limitExceeded("not enough memory for the database")
    case SQLITE_CANTOPEN: return .missing("cannot be opened (\(reason))")
    case _: return .outputFailed("the database cannot be used (\(reason))")
    }
  }
}
