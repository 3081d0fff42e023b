package import Bytes
import FlatBuffers

extension TFLiteFile {
  /// TFLite Metadata: a description of a model and of its inputs and outputs.
  package struct Metadata: Sendable {
    /// The identifier of its FlatBuffer, and the name of its entry.
    fileprivate static let (identifier, entryName) = ("M001", "TFLITE_METADATA")

    package let name, summary, version, author, license: String?
    /// One for each input of the graph, in its order; fewer if the others are not described.
    package let inputs: [Feature]
    package let outputs: [Feature]
    /// Files that belong to the model as a whole.
    package let files: [AssociatedFile]
  }

  /// An input or output in TFLite Metadata.
  package struct Feature: Sendable {
    package let summary: String?
    /// The components of an image; `nil` for what is none.
    package let colorSpace: ColorSpace?
    /// A component x of an image, 0...255, becomes `(x - mean) / deviation`; empty if that is not
    /// stated. One for each component, or one for all.
    package let means, deviations: [Float]
    package let files: [AssociatedFile]
  }

  /// The components of a pixel, by their number in the schema.
  package enum ColorSpace: Int, Sendable {
    case unknown = 0
    case rgb = 1
    case grayscale = 2
  }

  /// A file of the archive behind the model.
  package struct AssociatedFile: Sendable {
    package let name: String
    /// Whether its lines are the names of classes.
    package let hasLabels: Bool
    /// The language of its contents; `nil` if it is not stated.
    package let locale: String?
  }

  /// Reads the TFLite Metadata of a file; `nil` if it has none.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  package func readMetadata() throws(WeighbridgeError) -> Metadata? {
    guard let entry = metadata.first(where: { $0.name == Metadata.entryName }) else { return nil }
    guard buffers.indices.contains(entry.buffer), let range = buffers[entry.buffer] else {
      throw .malformed("has metadata in the buffer \(entry.buffer), which has no bytes")
    }
    return try Metadata(store, range)
  }

  /// The other entries of the file that are texts, by name.
  package var textEntries: [(key: String, value: String)] {
    var entries: [(key: String, value: String)] = []
    for entry in metadata where entry.name != Metadata.entryName {
      guard buffers.indices.contains(entry.buffer), let range = buffers[entry.buffer],
        let text = store.withBytes({ String(validating: $0.copied(range), as: UTF8.self) }),
        !text.utf8.contains(0)
      else { continue }
      entries.append((entry.name, text))
    }
    return entries
  }
}

extension TFLiteFile.Metadata {
  fileprivate init(_ store: ByteStore, _ range: Range<Int>) throws(WeighbridgeError) {
    let reader = try FlatBufferReader(store, range: range, identifier: Self.identifier)
    var budget = FlatBufferBudget(byteCount: range.count)
    let model = try reader.root(&budget)
    name = try model.string(0, &budget)
    summary = try model.string(1, &budget)
    version = try model.string(2, &budget)
    author = try model.string(4, &budget)
    license = try model.string(5, &budget)
    var files = try TFLiteFile.AssociatedFile.all(model, 6, &budget)
    guard let graph = try model.tables(3, &budget).first else {
      (inputs, outputs, self.files) = ([], [], files)
      return
    }
    files += try TFLiteFile.AssociatedFile.all(graph, 4, &budget)
    var lists: [[TFLiteFile.Feature]] = []
    for field in 2...3 {
      var features: [TFLiteFile.Feature] = []
      for feature in try graph.tables(field, &budget) {
        features.append(try TFLiteFile.Feature(feature, &budget))
      }
      lists.append(features)
    }
    (inputs, outputs, self.files) = (lists[0], lists[1], files)
  }
}

extension TFLiteFile.Feature {
  /// The numbers of images and of their normalization in the schema's unions.
  private static let (image, normalization) = (2, 1)

  fileprivate init(
    _ table: FlatBufferView, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) {
    summary = try table.string(1, &budget)
    files = try TFLiteFile.AssociatedFile.all(table, 6, &budget)
    var colorSpace: TFLiteFile.ColorSpace?
    if let content = try table.table(3, &budget), try content.uint8(0) == Self.image,
      let image = try content.table(1, &budget)
    {
      colorSpace = TFLiteFile.ColorSpace(rawValue: try image.int8(0)) ?? .unknown
    }
    self.colorSpace = colorSpace
    var numbers: (means: [Float], deviations: [Float]) = ([], [])
    for unit in try table.tables(4, &budget) where try unit.uint8(0) == Self.normalization {
      guard let options = try unit.table(1, &budget) else { continue }
      numbers = (try options.floats(0, &budget), try options.floats(1, &budget))
    }
    (means, deviations) = numbers
  }
}

extension TFLiteFile.AssociatedFile {
  /// The number of files whose lines are names of classes, in the order of an axis.
  private static let axisLabels = 2

  fileprivate static func all(
    _ table: FlatBufferView, _ field: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> [Self] {
    var files: [Self] = []
    for file in try table.tables(field, &budget) {
      files.append(
        Self(
          name: try file.string(0, &budget) ?? "",
          hasLabels: try file.int8(2) == axisLabels, locale: try file.string(3, &budget)))
    }
    return files
  }
}
