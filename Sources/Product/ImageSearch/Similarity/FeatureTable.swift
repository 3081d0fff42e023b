public import Bytes
import Synchronization

/// The feature vectors of an index, in memory.
public struct FeatureTable: Sendable {
  /// A file with its vector.
  public struct Entry: Hashable, Sendable {
    /// The file.
    public var path: String
    /// The feature vector.
    public var features: [Float]
  }

  /// An image with its distance.
  public struct Match: Hashable, Sendable {
    /// The file.
    public var path: String
    /// The distance from the query.
    public var distance: Double
  }

  /// An image without a distance.
  public struct Unranked: Hashable, Sendable {
    /// The file.
    public var path: String
    /// The reason.
    public var reason: String
  }

  /// All images by their distance.
  public struct Ranking: Hashable, Sendable {
    /// The images, the nearest first, equally near ones by path.
    public var matches: [Match]
    /// The images that have no distance, by path; they come last.
    public var unranked: [Unranked]
  }

  /// The files with vectors, by path.
  public let entries: [Entry]
  /// The images that cannot be read, by path.
  public let unreadable: [Unranked]

  /// Ranks the images by their distance from a vector.
  ///
  /// - Parameters:
  ///   - query: The vector.
  ///   - distance: The distance.
  ///   - excluded: A file to leave out: the query's own.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the query has another number of
  ///   elements, or no distance is defined for it.
  public func ranking(
    by distance: FeatureDistance, from query: [Float], excluding excluded: String? = nil
  ) throws(WeighbridgeError) -> Ranking {
    if distance == .cosine, query.allSatisfy({ $0 == 0 }) {
      throw .mismatch(
        "all its features are 0, so it has no cosine distance; the Euclidean distance works")
    }
    var (matches, unranked) = ([Match](), unreadable)
    for entry in entries where entry.path != excluded {
      guard entry.features.count == query.count else {
        throw .mismatch(
          "it has \(query.count) features, and \(entry.path) has \(entry.features.count): the model "
            + "gives vectors that depend on the image's size")
      }
      if let distance = distance(query, entry.features) {
        matches.append(Match(path: entry.path, distance: distance))
      } else {
        unranked.append(Unranked(path: entry.path, reason: "all its features are 0"))
      }
    }
    return Ranking(
      matches: matches.sorted { ($0.distance, $0.path) < ($1.distance, $1.path) },
      unranked: unranked.sorted { $0.path < $1.path })
  }
}

extension ImageIndex {
  /// Returns all feature vectors.
  ///
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the index has none;
  ///   ``/Weighbridge/WeighbridgeError/Code/damaged``.
  public func featureTable() throws(WeighbridgeError) -> FeatureTable {
    try checkHasFeatures()
    return try connection.withLock { (connection) throws(WeighbridgeError) in
      var statement = try connection.statement(
        """
        SELECT path, problem, record FROM files JOIN contents ON contents.id = files.content
        LEFT JOIN features ON features.content = files.content ORDER BY path
        """)
      var (entries, unreadable) = ([FeatureTable.Entry](), [FeatureTable.Unranked]())
      while try statement.step() {
        guard let path = statement.text(0) else { throw damagedRecord }
        if let problem = statement.text(1) {
          unreadable.append(.init(path: path, reason: problem))
        } else if let features = statement.withBlob(2, FeatureRecord.features) {
          entries.append(.init(path: path, features: features))
        } else {
          throw damagedRecord
        }
      }
      return FeatureTable(entries: entries, unreadable: unreadable)
    }
  }
}
