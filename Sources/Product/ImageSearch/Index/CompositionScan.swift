import Synchronization

/// A search through all images of an index.
struct CompositionScan: Sendable {
  /// An image that fits.
  struct Hit: Sendable {
    let content: Int
    let width, height: Int
    let match: CompositionMatch
    let detections: [Detection]
  }

  private let index: ImageIndex
  private let matcher: CompositionMatcher
  private let limit: Double
  private let count: Int
  /// For each class of the model, its index among those of the matcher: the first of its name.
  private let classes: [Int]

  /// - Parameters:
  ///   - limit: The cost that images must be below.
  ///   - count: The number of images to return, at least 1.
  init(_ index: ImageIndex, _ matcher: CompositionMatcher, below limit: Double, count: Int) {
    (self.index, self.matcher, self.limit, self.count) = (index, matcher, limit, max(1, count))
    classes = index.contents.labels.map { matcher.classes[$0] ?? 0 }
  }

  /// Returns the images that fit best, and all others with the same cost as the last of them.
  ///
  /// - Parameter threads: The number of threads, each with its own connection.
  func hits(threads: Int) throws(WeighbridgeError) -> [Hit] {
    let last = try index.connection.withLock { (connection) throws(WeighbridgeError) in
      try connection.integer("SELECT max(content) FROM detections") ?? 0
    }
    guard index.path != ImageIndex.inMemory, threads > 1 else {
      return try index.connection.withLock { (connection) throws(WeighbridgeError) in
        try hits(0...last, connection)
      }
    }
    let step = last / threads + 1
    let parts = Workers(count: threads).map(threads) { part in
      Result { () throws(WeighbridgeError) in
        let connection = try SQLiteConnection(path: index.path, .reading)
        return try hits(part * step...(part + 1) * step - 1, connection)
      }
    }
    var all = BestHits(count: count, below: limit)
    for part in parts { for hit in try part.get() { all.append(hit) } }
    return all.best
  }

  private func hits(
    _ range: ClosedRange<Int>, _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) -> [Hit] {
    var statement = try connection.statement(
      "SELECT content, record FROM detections WHERE content BETWEEN ? AND ?")
    try statement.bind([.integer(range.lowerBound), .integer(range.upperBound)])
    var hits = BestHits(count: count, below: limit)
    var (scene, presence) = (FoundScene(), matcher.presence)
    while try statement.step() {
      let content = statement.integer(0) ?? 0
      let hit = try statement.withBlob(1) { (record) throws(WeighbridgeError) in
        try self.hit(record, content, &scene, &presence, below: hits.limit)
      }
      if let hit { hits.append(hit) }
    }
    return hits.best
  }

  private func hit(
    _ record: RawSpan, _ content: Int, _ scene: inout FoundScene,
    _ counter: inout PresenceCounter, below limit: Double
  ) throws(WeighbridgeError) -> Hit? {
    guard let (width, height, count) = DetectionRecord.header(record) else {
      throw index.damagedRecord
    }
    scene.removeAll()
    for position in 0..<count {
      let classIndex = DetectionRecord.classIndex(position, in: record)
      guard classes.indices.contains(classIndex) else { throw index.damagedRecord }
      scene.append(class: classes[classIndex])
    }
    // For most images the classes alone imply that the cost is too high.
    let presence = counter.presence(of: scene.classes)
    guard matcher.minimumCost(presence: presence) < limit else { return nil }
    scene.aspectRatio = Double(width) / Double(height)
    for position in 0..<count {
      let box = DetectionRecord.box(position, in: record).clipped
      scene.append(ObjectGeometry(box, aspectRatio: scene.aspectRatio))
    }
    guard let match = matcher.match(scene, presence: presence, below: limit) else { return nil }
    return Hit(
      content: content, width: width, height: height, match: match,
      detections: try index.detections(record, count: count))
  }
}

/// The best images so far.
struct BestHits {
  private let count: Int
  private var hits: [CompositionScan.Hit] = []
  /// The number of hits at which the worst ones are removed.
  private var pruneCount: Int
  /// The cost that further hits must be below.
  private(set) var limit: Double

  init(count: Int, below limit: Double) {
    (self.count, self.limit) = (count, limit)
    pruneCount = count <= .max / 2 ? 2 * count : .max
  }

  /// The requested number of hits, and all others with the same cost as the last of them.
  var best: [CompositionScan.Hit] {
    var copy = self
    copy.prune()
    return copy.hits
  }

  /// Adds a hit whose cost is below the limit.
  mutating func append(_ hit: CompositionScan.Hit) {
    hits.append(hit)
    if hits.count >= pruneCount { prune() }
  }

  /// Removes all but the best, which lowers the limit.
  private mutating func prune() {
    guard hits.count > count else { return }
    let last = hits.map(\.match.cost).sorted()[count - 1]
    limit = min(limit, last.nextUp)
    hits.removeAll { $0.match.cost > last }
    pruneCount = max(pruneCount, 2 * hits.count)  // many may cost the same
  }
}
