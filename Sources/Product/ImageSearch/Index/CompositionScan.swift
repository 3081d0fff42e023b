import Bytes
import GraphIR
import Synchronization
import Vision

/// Compares all images of an index with a query.
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
  /// For each class of the model, its position among those of the matcher: the first of its name.
  private let classes: [Int]

  init(_ index: ImageIndex, _ matcher: CompositionMatcher, below limit: Double) {
    (self.index, self.matcher, self.limit) = (index, matcher, limit)
    classes = index.contents.labels.map { matcher.classes[$0] ?? 0 }
  }

  /// The images below the limit, in the order in which they are stored.
  ///
  /// - Parameter threads: How many threads compare, each with a connection of its own.
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
    var all: [Hit] = []
    for part in parts { all += try part.get() }
    return all
  }

  private func hits(
    _ range: ClosedRange<Int>, _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) -> [Hit] {
    var statement = try connection.statement(
      "SELECT content, record FROM detections WHERE content BETWEEN ? AND ? ORDER BY content")
    try statement.bind([.integer(range.lowerBound), .integer(range.upperBound)])
    var hits: [Hit] = []
    var scene = FoundScene()
    while try statement.step() {
      let content = statement.integer(0) ?? 0
      let hit = try statement.withBlob(1) { (record) throws(WeighbridgeError) in
        try self.hit(record, content, &scene)
      }
      if let hit { hits.append(hit) }
    }
    return hits
  }

  private func hit(
    _ record: RawSpan, _ content: Int, _ scene: inout FoundScene
  ) throws(WeighbridgeError) -> Hit? {
    guard let (width, height, count) = DetectionRecord.header(record) else {
      throw index.damagedRecord
    }
    scene.removeAll()
    scene.aspectRatio = Double(width) / Double(height)
    for position in 0..<count {
      let (classIndex, _, box) = DetectionRecord.detection(position, in: record)
      guard classes.indices.contains(classIndex) else { throw index.damagedRecord }
      scene.append(
        ObjectGeometry(box.clipped, aspectRatio: scene.aspectRatio),
        ofClass: classes[classIndex])
    }
    guard let match = matcher.match(scene, below: limit) else { return nil }
    return Hit(
      content: content, width: width, height: height, match: match,
      detections: try index.detections(record, count: count))
  }
}
