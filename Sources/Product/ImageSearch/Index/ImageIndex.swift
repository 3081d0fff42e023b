public import Bytes
import Synchronization

/// The results of a model for many images, stored in an SQLite database.
///
/// Images are identified by the digest of their bytes: one that was moved or copied is not analyzed
/// again. Each image is stored in one transaction, so images that are already stored survive
/// however a process ends; several processes may add to an index at once.
///
/// ```swift
/// let analyzer = try ImageAnalyzer(Model(contentsOf: "yolov3-tiny.wbm"))
/// let index = try ImageIndex(updating: "photos.db", for: analyzer)
/// try index.update(folder: "photos", with: analyzer)
/// let results = try index.search(CompositionQuery(layout))
/// ```
public final class ImageIndex: Sendable {
  /// The index's own description.
  public struct Contents: Hashable, Sendable {
    /// ``ImageAnalyzer/identity`` of the analyzer whose results are stored.
    public var identity: [UInt8]
    /// The model's name, when it has one.
    public var modelName: String?
    /// The names of the classes, in the model's order.
    public var labels: [String]
    /// Whether there are detections.
    public var hasDetections: Bool
    /// Whether there are feature vectors.
    public var hasFeatures: Bool
  }

  /// The path of a database that exists only in memory.
  static let inMemory = ":memory:"

  /// The database's path.
  public let path: String
  /// The index's own description.
  public let contents: Contents
  let connection: Mutex<SQLiteConnection>

  /// Opens an index for searching.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/missing`` when it does not exist;
  ///   ``/Weighbridge/WeighbridgeError/Code/malformed`` when it is not an index;
  ///   ``/Weighbridge/WeighbridgeError/Code/unsupported`` when another version of Weighbridge made
  ///   it; ``/Weighbridge/WeighbridgeError/Code/damaged``.
  public init(contentsOf path: String) throws(WeighbridgeError) {
    let connection = try SQLiteConnection(path: path, .reading)
    contents = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try connection.transaction(.deferred) { (connection) throws(WeighbridgeError) in
        switch try IndexSchema.state(connection) {
        case .current: return try IndexSchema.contents(connection)
        case .empty: throw .malformed("is empty, and no index of images")
        case .other(let version): throw IndexSchema.otherVersion(version)
        }
      }
    }
    self.path = path
    self.connection = Mutex(connection)
  }

  /// Opens or creates an index to add images to.
  ///
  /// - Parameters:
  ///   - path: The database.
  ///   - analyzer: The analyzer for the images.
  ///   - rebuild: Whether an index of another model, other options or another version is
  ///     emptied; otherwise it is an error.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` for an index of another model or
  ///   other options; ``/Weighbridge/WeighbridgeError/Code/unsupported`` for one of another
  ///   version; ``/Weighbridge/WeighbridgeError/Code/malformed`` when the file is something else,
  ///   and ``/Weighbridge/WeighbridgeError/Code/damaged``, both of them even when rebuilding, so
  ///   that nothing is overwritten; ``/Weighbridge/WeighbridgeError/Code/outputFailed``.
  public convenience init(
    updating path: String, for analyzer: ImageAnalyzer, rebuild: Bool = false
  ) throws(WeighbridgeError) {
    let connection = try IndexOpening.connection(path)
    let contents = Contents(analyzer)
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try IndexOpening.prepare(connection, for: contents, isRebuilding: rebuild)
    }
    self.init(path: path, contents, connection)
  }

  /// The former name of ``init(updating:for:rebuild:)``.
  @available(*, deprecated, renamed: "init(updating:for:rebuild:)")
  public convenience init(
    updating path: String, for analyzer: ImageAnalyzer, isRebuilding: Bool
  ) throws(WeighbridgeError) {
    try self.init(updating: path, for: analyzer, rebuild: isRebuilding)
  }

  /// Creates an index in memory.
  ///
  /// - Parameter analyzer: The analyzer for the images.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/limitExceeded`` when there is not enough
  ///   memory.
  public convenience init(inMemoryFor analyzer: ImageAnalyzer) throws(WeighbridgeError) {
    let connection = try SQLiteConnection(path: Self.inMemory, .writing)
    try connection.execute("PRAGMA foreign_keys = ON")
    try IndexSchema.create(Contents(analyzer), in: connection)
    self.init(path: Self.inMemory, Contents(analyzer), connection)
  }

  private init(path: String, _ contents: Contents, _ connection: consuming sending SQLiteConnection)
  {
    (self.path, self.contents) = (path, contents)
    self.connection = Mutex(connection)
  }
}

extension ImageIndex.Contents {
  init(_ analyzer: ImageAnalyzer) {
    let description = analyzer.model.metadata
    self.init(
      identity: analyzer.identity, modelName: description.name, labels: description.labels,
      hasDetections: analyzer.findsObjects, hasFeatures: analyzer.producesFeatures)
  }
}
