package import Bytes
import FlatBuffers

extension TFLiteFile {
  /// Reads the TFLite Metadata of a file; `nil` if it has none. There may be fewer inputs and outputs
  /// than those of the graph.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  package func readMetadata() throws(WeighbridgeError) -> TFLiteMetadata? {
    guard let entry = metadata.first(where: { $0.name == TFLiteMetadata.entryName }) else {
      return nil
    }
    guard buffers.indices.contains(entry.buffer), let range = buffers[entry.buffer] else {
      throw .malformed("has metadata in the buffer \(entry.buffer), which has no bytes")
    }
    return try TFLiteMetadata(store, range)
  }

  /// The other entries of the file that are texts, by name.
  package var textEntries: [(key: String, value: String)] {
    var entries: [(key: String, value: String)] = []
    for entry in metadata where entry.name != TFLiteMetadata.entryName {
      guard buffers.indices.contains(entry.buffer), let range = buffers[entry.buffer],
        let text = store.withBytes({ String(validating: $0.copied(range), as: UTF8.self) }),
        !text.utf8.contains(0)
      else { continue }
      entries.append((entry.name, text))
    }
    return entries
  }
}

extension TFLiteMetadata {
  fileprivate init(_ store: ByteStore, _ range: Range<Int>) throws(WeighbridgeError) {
    let reader = try FlatBufferReader(store, range: range, identifier: Self.identifier)
    var budget = FlatBufferBudget(byteCount: range.count)
    let model = try reader.root(&budget)
    name = try model.string(0, &budget)
    summary = try model.string(1, &budget)
    version = try model.string(2, &budget)
    author = try model.string(4, &budget)
    license = try model.string(5, &budget)
    files = try TFLiteAssociatedFile.all(model, 6, &budget)
    guard let graph = try model.tables(3, &budget).first else { return }
    files += try TFLiteAssociatedFile.all(graph, 4, &budget)
    inputs = try TFLiteTensorMetadata.all(graph, 2, &budget)
    outputs = try TFLiteTensorMetadata.all(graph, 3, &budget)
  }
}

extension TFLiteTensorMetadata {
  /// The numbers of images and of their normalization in the schema's unions.
  private static let (imageNumber, normalizationNumber) = (2, 1)

  fileprivate static func all(
    _ table: FlatBufferView, _ field: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> [Self] {
    var all: [Self] = []
    for tensor in try table.tables(field, &budget) { all.append(try Self(tensor, &budget)) }
    return all
  }

  private init(
    _ table: FlatBufferView, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) {
    self.init(name: try table.string(0, &budget) ?? "")
    summary = try table.string(1, &budget)
    files = try TFLiteAssociatedFile.all(table, 6, &budget)
    if let stated = try table.table(3, &budget), try stated.uint8(0) == Self.imageNumber,
      let image = try stated.table(1, &budget)
    {
      let colorSpace = TFLiteImage.ColorSpace(rawValue: try image.int8(0)) ?? .unknown
      content = .image(TFLiteImage(colorSpace, width: nil, height: nil))
    }
    for unit in try table.tables(4, &budget) where try unit.uint8(0) == Self.normalizationNumber {
      guard let options = try unit.table(1, &budget) else { continue }
      normalization = TFLiteNormalization(
        means: try options.floats(0, &budget), deviations: try options.floats(1, &budget))
    }
  }
}

extension TFLiteAssociatedFile {
  fileprivate static func all(
    _ table: FlatBufferView, _ field: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> [Self] {
    var files: [Self] = []
    for entry in try table.tables(field, &budget) {
      var file = Self(
        name: try entry.string(0, &budget) ?? "", summary: try entry.string(1, &budget),
        kind: Kind(rawValue: try entry.int8(2)))
      file.locale = try entry.string(3, &budget)
      files.append(file)
    }
    return files
  }
}
