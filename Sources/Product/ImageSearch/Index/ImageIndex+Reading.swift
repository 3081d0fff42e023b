public import Bytes
import Digests
import Synchronization

extension ImageIndex {
  /// Returns the stored results for an image file's bytes; `nil` when there are none.
  ///
  /// - Parameter path: The file, which need not be one that the index contains.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/missing`` when the file cannot be opened;
  ///   ``/Weighbridge/WeighbridgeError/Code/unsupported`` when it is stored that the image cannot
  ///   be read; ``/Weighbridge/WeighbridgeError/Code/damaged``.
  public func analysis(ofImage path: String) throws(WeighbridgeError) -> ImageAnalysis? {
    let digest = try sha256(of: ByteStore(try MappedFile(path: path)))
    return try connection.withLock { (connection) throws(WeighbridgeError) in
      guard
        let id = try connection.integer("SELECT id FROM contents WHERE digest = ?", .blob(digest))
      else { return nil }
      let problem = try connection.text("SELECT problem FROM contents WHERE id = ?", .integer(id))
      if let problem { throw .unsupported(problem).at(file: path) }
      return try analysis(id, connection)
    }
  }

  private func analysis(
    _ id: Int, _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) -> ImageAnalysis? {
    var result: ImageAnalysis?
    if contents.hasDetections {
      var statement = try connection.statement("SELECT record FROM detections WHERE content = ?")
      try statement.bind([.integer(id)])
      guard try statement.step() else { return nil }
      result = try statement.withBlob(0) { (record) throws(WeighbridgeError) in
        try analysis(record)
      }
    }
    if contents.hasFeatures {
      var statement = try connection.statement("SELECT record FROM features WHERE content = ?")
      try statement.bind([.integer(id)])
      guard try statement.step() else { return nil }
      guard let features = statement.withBlob(0, FeatureRecord.features) else {
        throw damagedRecord
      }
      result = result ?? ImageAnalysis(width: 0, height: 0)
      result?.features = features
    }
    return result
  }

  private func analysis(_ record: RawSpan) throws(WeighbridgeError) -> ImageAnalysis {
    guard let (width, height, count) = DetectionRecord.header(record) else { throw damagedRecord }
    var analysis = ImageAnalysis(width: width, height: height)
    analysis.detections = try detections(record, count: count)
    return analysis
  }

  /// Returns the detections in a record.
  func detections(_ record: RawSpan, count: Int) throws(WeighbridgeError) -> [Detection] {
    var detections: [Detection] = []
    for index in 0..<count {
      let classIndex = DetectionRecord.classIndex(index, in: record)
      guard contents.labels.indices.contains(classIndex) else { throw damagedRecord }
      detections.append(
        Detection(
          classIndex: classIndex, label: contents.labels[classIndex],
          confidence: DetectionRecord.confidence(index, in: record),
          box: DetectionRecord.box(index, in: record)))
    }
    return detections
  }

  /// The error for bytes that are not those that were stored.
  var damagedRecord: WeighbridgeError {
    WeighbridgeError(.damaged, "the database is damaged: what it holds of an image was changed")
      .at(file: path)
  }

  /// Returns the paths of the files that contain stored images, by the images' ids.
  func paths(
    of ids: [Int], _ connection: borrowing SQLiteConnection
  ) throws(WeighbridgeError) -> [[String]] {
    var statement = try connection.statement(
      "SELECT path FROM files WHERE content = ? ORDER BY path")
    var result: [[String]] = []
    for id in ids {
      try statement.bind([.integer(id)])
      var paths: [String] = []
      while try statement.step() {
        if let path = statement.text(0) { paths.append(path) }
      }
      result.append(paths)
    }
    return result
  }
}
