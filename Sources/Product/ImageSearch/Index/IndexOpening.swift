#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How an index is opened for writing.
enum IndexOpening {
  /// A connection to a file that is a database, or not there yet. Nothing is written.
  static func connection(_ path: String) throws(WeighbridgeError) -> SQLiteConnection {
    guard !path.isEmpty, path != ImageIndex.inMemory, !isFolder(path) else {
      throw .outputFailed("is not a file name").at(file: path)
    }
    do throws(WeighbridgeError) {
      return try SQLiteConnection(path: path, .writing)
    } catch {
      throw error.code == .missing
        ? WeighbridgeError(.outputFailed, error.reason).at(file: path) : error
    }
  }

  /// Makes or checks the tables.
  static func prepare(
    _ connection: borrowing SQLiteConnection, for contents: ImageIndex.Contents, isRebuilding: Bool
  ) throws(WeighbridgeError) {
    // One look at everything: another process may be making the tables.
    let isNew = try connection.transaction(.deferred) { (connection) throws(WeighbridgeError) in
      if case .empty = try IndexSchema.state(connection) { true } else { false }
    }
    if !isNew { try IndexSchema.checkPages(connection) }
    try useWriteAheadLog(connection)
    // A commit is then in the system's hands, which a killed process cannot take back.
    try connection.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
    try connection.transaction { (connection) throws(WeighbridgeError) in
      switch try IndexSchema.state(connection) {
      case .empty: try IndexSchema.create(contents, in: connection)
      case .other(let version):
        guard isRebuilding else { throw IndexSchema.otherVersion(version) }
        try IndexSchema.create(contents, in: connection)
      case .current:
        let found = try IndexSchema.contents(connection)
        guard found.identity != contents.identity else { return }
        guard isRebuilding else { throw otherModel(found) }
        try IndexSchema.create(contents, in: connection)
      }
    }
  }

  private static func otherModel(_ found: ImageIndex.Contents) -> WeighbridgeError {
    let name = found.modelName.map { " (\($0))" } ?? ""
    let kinds = [(found.hasDetections, "detections"), (found.hasFeatures, "features")]
    let what = kinds.filter(\.0).map(\.1).joined(separator: " and ")
    return .mismatch(
      "is an index of another model\(name) or with other options, and holds its \(what): use that "
        + "model or another file, or make it anew (\(APIName.rebuilding))")
  }

  /// Has changes go to a log first. Several processes that begin at once are told to try again.
  private static func useWriteAheadLog(
    _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) {
    for _ in 0..<1000 {
      if try connection.triesWriteAheadLog() { return }
      usleep(10_000)
    }
    throw .outputFailed("another process is using the database")
  }
}

extension SQLiteConnection {
  /// Whether changes go to a log first from now on; not while another process is about to say so.
  fileprivate borrowing func triesWriteAheadLog() throws(WeighbridgeError) -> Bool {
    do throws(WeighbridgeError) {
      return try text("PRAGMA journal_mode = WAL") == "wal"
    } catch {
      guard error.reason.contains("another process") else { throw error }
      return false
    }
  }

  /// When a transaction takes the right to write.
  enum TransactionKind: String {
    /// When it writes for the first time; until then all is as it was at the first look.
    case deferred = "DEFERRED"
    /// At once.
    case immediate = "IMMEDIATE"
  }

  /// Runs `body` in a transaction; an error undoes all of it.
  borrowing func transaction<Result>(
    _ kind: TransactionKind = .immediate,
    _ body: (borrowing SQLiteConnection) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    try execute("BEGIN \(kind.rawValue)")
    do throws(WeighbridgeError) {
      let result = try body(self)
      try execute("COMMIT")
      return result
    } catch {
      // A failed statement may have ended the transaction already.
      try? execute("ROLLBACK")
      throw error
    }
  }
}
