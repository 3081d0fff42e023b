package import Bytes
import FlatBuffers

/// TFLite Metadata (version 1.1 of its schema): a description of a model and of its inputs and
/// outputs, for programs that prepare inputs and interpret outputs.
package struct TFLiteMetadata: Hashable, Sendable {
  /// The identifier of the FlatBuffer.
  package static let identifier = "M001"
  /// The name of the model's entry that contains it.
  package static let entryName = "TFLITE_METADATA"
  /// The oldest version of the schema that has all fields which are written.
  private static let minimumParserVersion = "1.0.0"

  package var name, summary, version, author, license: String?
  /// One for each input of the graph, in its order.
  package var inputs: [TFLiteTensorMetadata] = []
  /// One for each output of the graph, in its order.
  package var outputs: [TFLiteTensorMetadata] = []
  /// Files that belong to no input or output.
  package var files: [TFLiteAssociatedFile] = []

  package init() {}

  /// The entry of the model.
  package func entry() throws(WeighbridgeError) -> TFLiteEntry {
    let contents = try FlatBufferContents(root: table, identifier: Self.identifier)
    return TFLiteEntry(Self.entryName, contents.bytes)
  }

  private var table: FlatBufferTable {
    let graph = FlatBufferTable([2: .tables(inputs.map(\.table)), 3: .tables(outputs.map(\.table))])
    var table = FlatBufferTable([3: .tables([graph]), 7: .string(Self.minimumParserVersion)])
    for (field, text) in [0: name, 1: summary, 2: version, 4: author, 5: license] {
      table.fields[field] = text.map { .string($0) }
    }
    if !files.isEmpty { table.fields[6] = .tables(files.map(\.table)) }
    return table
  }
}

/// An input or output in TFLite Metadata.
package struct TFLiteTensorMetadata: Hashable, Sendable {
  /// What a tensor contains.
  package enum Content: Hashable, Sendable {
    /// Numbers.
    case feature
    /// An image.
    case image(TFLiteImage)
    /// Boxes by their edges in the unit square, in the order top, left, bottom, right.
    case boxes
  }

  /// Empty where a file does not state it.
  package var name: String
  package var summary: String?
  package var content = Content.feature
  /// The axis to which the content applies; `nil` for all but that of the batch.
  package var axis: Int?
  package var normalization: TFLiteNormalization?
  package var files: [TFLiteAssociatedFile] = []

  package init(name: String) { self.name = name }
}

/// The images that an input takes.
package struct TFLiteImage: Hashable, Sendable {
  /// The components of a pixel, by their number in the schema.
  package enum ColorSpace: Int, Hashable, Sendable {
    case unknown = 0
    case rgb = 1
    case grayscale = 2
  }

  package let colorSpace: ColorSpace
  /// The size in pixels; `nil` where it is dynamic or not stated.
  package let width, height: Int?

  package init(_ colorSpace: ColorSpace, width: Int?, height: Int?) {
    (self.colorSpace, self.width, self.height) = (colorSpace, width, height)
  }
}

/// A component x of an image, 0...255, becomes `(x - mean) / deviation`.
package struct TFLiteNormalization: Hashable, Sendable {
  /// One for each component, or one for all.
  package let means, deviations: [Float]

  package init(means: [Float], deviations: [Float]) {
    (self.means, self.deviations) = (means, deviations)
  }
}

/// A file of the archive after a model.
package struct TFLiteAssociatedFile: Hashable, Sendable {
  /// The meaning of its lines, by its number in the schema.
  package enum Kind: Int, Hashable, Sendable {
    case descriptions = 1
    /// A line for each index of the tensor's last axis.
    case axisLabels = 2
    /// A line for each value of the tensor's elements.
    case valueLabels = 3
  }

  package let name: String
  package let summary: String?
  /// `nil` for another one.
  package let kind: Kind?
  /// The language of its contents; `nil` if it is not stated.
  package var locale: String?

  package init(name: String, summary: String?, kind: Kind?) {
    (self.name, self.summary, self.kind) = (name, summary, kind)
  }
}
