public import Bytes
import Synchronization
public import Vision

/// An image whose composition fits the wanted one.
public struct CompositionResult: Hashable, Sendable {
  /// The file.
  public var path: String
  /// The image's size in pixels.
  public var width, height: Int
  /// The cost and its terms; the assignment contains indices into `detections`.
  public var match: CompositionMatch
  /// The detections in the image.
  public var detections: [Detection]
}

extension ImageIndex {
  /// Finds the images whose composition fits best.
  ///
  /// - Parameters:
  ///   - query: The wanted composition.
  ///   - threads: The number of threads, at least 1; one for each processor when `nil`.
  /// - Returns: The images whose cost is below the query's maximum, by ascending cost, those of
  ///   equal cost by path.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the index has no detections, or
  ///   the query does not fit its labels; ``/Weighbridge/WeighbridgeError/Code/damaged``.
  public func search(
    _ query: CompositionQuery, threads: Int? = nil
  ) throws(WeighbridgeError) -> [CompositionResult] {
    try checkHasDetections()
    let matcher = try CompositionMatcher(query, labels: contents.labels)
    let scan = CompositionScan(
      self, matcher, below: query.maximumCost, count: query.maximumCount ?? .max)
    let hits = try scan.hits(threads: threads ?? Workers.processorCount)
    let files = try connection.withLock { (connection) throws(WeighbridgeError) in
      try paths(of: hits.map(\.content), connection)
    }
    var results: [CompositionResult] = []
    for (hit, paths) in zip(hits, files) {
      for path in paths {
        results.append(
          CompositionResult(
            path: path, width: hit.width, height: hit.height, match: hit.match,
            detections: hit.detections))
      }
    }
    results.sort { ($0.match.cost, $0.path) < ($1.match.cost, $1.path) }
    return Array(results.prefix(query.maximumCount ?? results.count))
  }
}
