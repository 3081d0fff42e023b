import Synchronization

/// The stored information about a file.
struct KnownFile: Sendable {
  let status: FileStatus
  /// The reason why the image cannot be read; `nil` when it can.
  let problem: String?
}

extension ImageIndex {
  /// Returns the stored files in a folder whose path ends with a slash.
  func knownFiles(in folder: String) throws(WeighbridgeError) -> [String: KnownFile] {
    try connection.withLock { (connection) throws(WeighbridgeError) in
      var statement = try connection.statement(
        """
        SELECT path, byte_count, modified, changed, problem FROM files
        JOIN contents ON contents.id = files.content WHERE path >= ? AND path < ?
        """)
      // In Unicode, "0" is the character after the slash.
      try statement.bind([.text(folder), .text(folder.dropLast() + "0")])
      var files: [String: KnownFile] = [:]
      while try statement.step() {
        guard let path = statement.text(0), let count = statement.integer(1),
          let modified = statement.integer(2), let changed = statement.integer(3)
        else {
          throw .damaged("the table of files is damaged").at(file: self.path)
        }
        files[path] = KnownFile(
          status: FileStatus(byteCount: count, modified: modified, changed: changed),
          problem: statement.text(4))
      }
      return files
    }
  }

  /// Records a file whose bytes are already stored.
  ///
  /// - Returns: Whether the bytes were stored at all, and the stored problem of the image.
  func record(
    _ file: ImageFolder.File, digest: [UInt8]
  ) throws(WeighbridgeError) -> (isKnown: Bool, problem: String?) {
    try write { (connection) throws(WeighbridgeError) in
      guard
        let id = try connection.integer(
          "SELECT id FROM contents WHERE digest = ?", .blob(digest))
      else { return (false, nil) }
      try Self.insert(file, id, connection)
      return (
        true, try connection.text("SELECT problem FROM contents WHERE id = ?", .integer(id))
      )
    }
  }

  /// Stores the results for an image, or the reason why it cannot be read, with its file.
  func store(
    _ analysis: Result<ImageAnalysis, ImageProblem>, of file: ImageFolder.File, digest: [UInt8]
  ) throws(WeighbridgeError) {
    try write { (connection) throws(WeighbridgeError) in
      var problem: String?
      if case .failure(let found) = analysis { problem = found.reason }
      // Another process may have stored the same bytes in the meantime.
      try connection.run(
        "INSERT OR IGNORE INTO contents (digest, problem) VALUES (?, ?)", .blob(digest),
        problem.map(SQLiteValue.text) ?? .null)
      let isNew = connection.changeCount > 0
      guard
        let id = try connection.integer(
          "SELECT id FROM contents WHERE digest = ?", .blob(digest))
      else { return }
      if isNew, case .success(let analysis) = analysis {
        try Self.insert(analysis, id, connection)
      }
      try Self.insert(file, id, connection)
    }
  }

  /// Removes files, and the data of images that no longer have a file.
  func remove(_ paths: [String]) throws(WeighbridgeError) {
    try write { (connection) throws(WeighbridgeError) in
      for path in paths { try connection.run("DELETE FROM files WHERE path = ?", .text(path)) }
      try connection.execute(
        "DELETE FROM contents WHERE id NOT IN (SELECT content FROM files)")
    }
  }

  /// Changes the database, unless another process has rebuilt it for another model.
  private func write<Result: Sendable>(
    _ body: (borrowing SQLiteConnection) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    try connection.withLock { (connection) throws(WeighbridgeError) in
      try connection.transaction { (connection) throws(WeighbridgeError) in
        guard try IndexSchema.contents(connection).identity == contents.identity else {
          throw .mismatch(
            "another process rebuilt the index for another "
              + "model; update it again"
          ).at(file: path)
        }
        return try body(connection)
      }
    }
  }

  private static func insert(
    _ file: ImageFolder.File, _ content: Int, _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) {
    // A file that has just been modified may be modified again without a change of its times.
    let status = file.status
    try connection.run(
      "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", .text(file.path), .integer(content),
      .integer(status.byteCount), .integer(status.modified),
      .integer(status.isSettled ? status.changed : 0))
  }

  private static func insert(
    _ analysis: ImageAnalysis, _ content: Int, _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) {
    if let detections = analysis.detections {
      let record = DetectionRecord.bytes(
        detections, width: analysis.width, height: analysis.height)
      try connection.run("INSERT INTO detections VALUES (?, ?)", .integer(content), .blob(record))
    }
    if let features = analysis.features {
      try connection.run(
        "INSERT INTO features VALUES (?, ?)", .integer(content),
        .blob(FeatureRecord.bytes(features)))
    }
  }
}

/// The reason why an image cannot be read.
struct ImageProblem: Error {
  let reason: String
}
