import Bytes

/// The files of a group of weights, put together.
struct TensorFlowJSShards: Sendable {
  /// The files, in order.
  let files: [(path: String, store: ByteStore)]
  /// The position of each file's first byte in the group.
  private let starts: [Int]

  /// Opens the files and compares their size with that of the weights.
  ///
  /// - Parameter folder: The manifest's folder, with its slash.
  /// - Throws: ``WeighbridgeError/Code/missing`` for a file that is missing;
  ///   ``WeighbridgeError/Code/malformed`` for a link and for files of another size.
  init(
    _ group: TensorFlowJSManifest.Group, in folder: String
  ) throws(WeighbridgeError) {
    var files: [(path: String, store: ByteStore)] = []
    var starts: [Int] = []
    var end = 0
    for path in group.paths {
      try Self.refuseLinks(path, in: folder)
      let store = ByteStore(try MappedFile(path: folder + path))
      files.append((folder + path, store))
      starts.append(end)
      end = try Checked.sum(end, store.count, of: "the size of the weights' files")
    }
    (self.files, self.starts) = (files, starts)
    let expected = group.weights.last?.range.upperBound ?? 0
    guard end == expected else {
      let names = group.paths.count == 1 ? group.paths[0] : "\(group.paths.count) files"
      throw .malformed(
        "lists weights of \(expected) bytes in \(names) of \(end) bytes; the files belong to "
          + "another model, or are not complete")
    }
  }

  private static func refuseLinks(_ path: String, in folder: String) throws(WeighbridgeError) {
    var place = folder
    for part in path.split(separator: "/") {
      place += part
      if isLink(place) {
        throw .malformed("is a symbolic link, which may lead out of the folder of the model")
          .at(file: place)
      }
      place += "/"
    }
  }

  /// The place of the elements of a weight, decoded when they are needed.
  func elements(
    of weight: TensorFlowJSManifest.Weight
  ) -> (store: ByteStore, range: Range<Int>) {
    let place = bytes(weight.range)
    if case .plain = weight.encoding { return place }
    let count = weight.count * weight.elementType.byteCount
    let decoded = ByteStore(count: count, of: place.store) {
      weight.encoding.decoded(
        place.store.withBytes { $0.copied(place.range) }, to: weight.elementType)
    }
    return (decoded, 0..<count)
  }

  /// The place of some bytes of the group: in a file, or in memory when they are in several.
  func bytes(_ range: Range<Int>) -> (store: ByteStore, range: Range<Int>) {
    let parts = parts(range)
    if parts.count == 1, let only = parts.first { return only }
    let store = ByteStore(count: range.count, of: files.map(\.path)) {
      parts.flatMap { part in part.store.withBytes { $0.copied(part.range) } }
    }
    return (store, 0..<range.count)
  }

  /// The parts of the files in which some bytes of the group are.
  private func parts(_ range: Range<Int>) -> [(store: ByteStore, range: Range<Int>)] {
    zip(files, starts).compactMap { file, start in
      let part = range.clamped(to: start..<start + file.store.count)
      guard !part.isEmpty else { return nil }
      return (file.store, part.lowerBound - start..<part.upperBound - start)
    }
  }
}
