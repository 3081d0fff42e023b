import JSON

/// The tables of an index, and how they are created and recognized.
enum IndexSchema {
  /// The application ID in the database's header: "WBIX".
  private static let applicationID = 0x5742_4958
  /// The version of the tables and of the records in them.
  private static let version = 1

  /// The state of a database.
  enum State {
    /// An empty database.
    case empty
    /// An index of this version.
    case current
    /// An index of another version.
    case other(version: Int)
  }

  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/malformed`` when the database is not an index.
  static func state(
    _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) -> State {
    let foundID = try connection.integer("PRAGMA application_id")
    let found = try connection.integer("PRAGMA user_version") ?? 0
    guard foundID == applicationID else {
      guard foundID == 0, found == 0,
        try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
      else { throw .malformed("is a database, but no index of images") }
      return .empty
    }
    return found == version ? .current : .other(version: found)
  }

  /// The error for an index of another version.
  static func otherVersion(_ found: Int) -> WeighbridgeError {
    WeighbridgeError(
      .unsupported,
      "is an index of version \(found), and this program reads version \(version): rebuild it "
        + "(\(APIName.rebuilding))")
  }

  /// Creates the tables in place of existing ones. Must be called in a transaction.
  static func create(
    _ contents: ImageIndex.Contents, in connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) {
    for table in ["files", "features", "detections", "contents", "settings"] {
      try connection.execute("DROP TABLE IF EXISTS \(table)")
    }
    try connection.execute(tables)
    try connection.execute(
      "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    let labels = JSONValue.array(contents.labels.map(JSONValue.string)).text()
    let settings: [(String, SQLiteValue)] = [
      ("identity", .text(contents.identity.hexadecimal)),
      ("model", contents.modelName.map(SQLiteValue.text) ?? .null), ("labels", .text(labels)),
      ("detections", .integer(contents.hasDetections ? 1 : 0)),
      ("features", .integer(contents.hasFeatures ? 1 : 0)),
    ]
    for (key, value) in settings {
      try connection.run("INSERT INTO settings VALUES (?, ?)", .text(key), value)
    }
  }

  /// Images by their bytes, the results for them, and the files with these bytes.
  private static let tables = """
    CREATE TABLE settings (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE contents (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, problem TEXT);
    CREATE TABLE detections (
      content INTEGER PRIMARY KEY REFERENCES contents (id) ON DELETE CASCADE, record BLOB NOT NULL);
    CREATE TABLE features (
      content INTEGER PRIMARY KEY REFERENCES contents (id) ON DELETE CASCADE, record BLOB NOT NULL);
    CREATE TABLE files (
      path TEXT PRIMARY KEY, content INTEGER NOT NULL REFERENCES contents (id),
      byte_count INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX files_by_content ON files (content);
    """

  /// Returns the description in an index of the current version.
  static func contents(
    _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) -> ImageIndex.Contents {
    let query = "SELECT value FROM settings WHERE key = ?"
    guard let identity = try connection.text(query, .text("identity")),
      let bytes = [UInt8](hexadecimal: identity),
      let labels = try connection.text(query, .text("labels")),
      let labelStrings = try JSONValue(parsing: Array(labels.utf8)).array?.map(\.string),
      !labelStrings.contains(nil),
      let detections = try connection.integer(query, .text("detections")),
      let features = try connection.integer(query, .text("features"))
    else { throw .damaged("the index has no description of its contents") }
    return ImageIndex.Contents(
      identity: bytes, modelName: try connection.text(query, .text("model")),
      labels: labelStrings.compactMap { $0 }, hasDetections: detections == 1,
      hasFeatures: features == 1)
  }

  /// Checks every page.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/damaged``.
  static func checkPages(
    _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) {
    let result = try connection.text("PRAGMA quick_check(1)")
    guard result == "ok" else {
      throw .damaged("the database is damaged (\(result ?? "no answer"))")
    }
  }
}

extension [UInt8] {
  fileprivate init?(hexadecimal string: String) {
    let digits = string.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
    guard digits.count == string.count, digits.count % 2 == 0 else { return nil }
    self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
