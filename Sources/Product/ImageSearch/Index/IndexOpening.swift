#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Opening an index for writing.
enum IndexOpening {
  /// Returns a connection to a database file, which may not exist yet. Nothing is written.
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

  /// Creates or checks the tables.
  static func prepare(
    _ connection: borrowing SQLiteConnection, for contents: ImageIndex.Contents, isRebuilding: Bool
  ) throws(WeighbridgeError) {
    // This uses one snapshot, because another process may be creating the tables.
    let isNew = try connection.transaction(.deferred) { (connection) throws(WeighbridgeError) in
      if case .empty = try IndexSchema.state(connection) { true } else { false }
    }
    if !isNew { try IndexSchema.checkPages(connection) }
    try useWriteAheadLog(connection)
    // With this setting a commit hands its data to the operating system, so that it survives if the
    // process is killed.
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
    let contentKinds = kinds.filter(\.0).map(\.1).joined(separator: " and ")
    return .mismatch(
      "is an index of another model\(name) or with other options, and holds its "
        + "\(contentKinds): use that model or another file, or rebuild it "
        + "(\(APIName.rebuilding))")
  }

  /// Enables the write-ahead log. Several processes that start at once have to retry.
  private static func useWriteAheadLog(
    _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) {
    for _ in 0..<1000 {
      if try connection.tryWriteAheadLog() { return }
      usleep(10_000)
    }
    throw .outputFailed("another process is using the database")
  }
}

extension SQLiteConnection {
  /// Tries to enable the write-ahead log.
  ///
  /// - Returns: Whether it is enabled; it is not while another process has locked the database, for
  ///   example because it is about to do the same.
  borrowing func tryWriteAheadLog() throws(WeighbridgeError) -> Bool {
    do throws(WeighbridgeError) {
      return try text("PRAGMA journal_mode = WAL") == "wal"
    } catch {
      guard isLocked else { throw error }
      return false
    }
  }

  /// The time at which a transaction acquires the write lock.
  enum TransactionKind: String {
    /// At the first write; until then it reads a snapshot from its first read.
    case deferred = "DEFERRED"
    /// Immediately.
    case immediate = "IMMEDIATE"
  }

  /// Runs `body` in a transaction, which an error rolls back.
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
