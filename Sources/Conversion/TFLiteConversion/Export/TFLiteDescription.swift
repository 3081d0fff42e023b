import Bytes
import ConversionCore
import GraphIR
import TFLiteFormat

/// A model's description in the form of TFLite: TFLite Metadata, a file of labels, and entries
/// (``MetadataScheme/tflite``) for what these have no place for.
struct TFLiteDescription {
  private(set) var metadata = TFLiteMetadata()
  /// The other entries.
  let entries: [TFLiteEntry]
  /// The files after the model.
  let files: [TFLiteEntry]
  /// What readers of TFLite Metadata alone do not learn, as messages.
  let losses: [String]

  /// The name of the file with a label on each line.
  private static let labelFileName = "labels.txt"

  /// - Parameters:
  ///   - description: The description, with images in the order of the graph's axes.
  ///   - returnsDetections: Whether the file gives what ``TFLiteSuppression`` does instead of the
  ///     graph's outputs.
  init(
    _ description: ModelDescription, _ provenance: Provenance, _ graph: Graph,
    returnsDetections: Bool
  ) {
    let hasFile = description.hasLabelFile
    var losses: [String] = []
    metadata.name = description.name
    metadata.summary = description.summary
    metadata.version = description.version
    metadata.author = description.author
    metadata.license = description.license?.text
    for port in graph.inputs {
      let feature = description.inputs.first { $0.name == port.name }
      metadata.inputs.append(
        TFLiteTensorMetadata(port, feature, graph[port.value].type, &losses))
    }
    if !description.labels.isEmpty, !hasFile {
      losses.append(
        "a label is blank or has several lines: they are in the entry labels only, not in a file")
    }
    var omitted: Set<MetadataScheme.Field> = hasFile ? [.labels] : []
    if returnsDetections { omitted.insert(.detector) }
    entries = DescriptionEntries.entries(
      description, provenance, .tflite, omitting: omitted
    ).map { TFLiteEntry($0.key, Array($0.value.utf8)) }
    let text = description.labels.map { "\($0)\n" }.joined()
    files = hasFile ? [TFLiteEntry(Self.labelFileName, Array(text.utf8))] : []
    self.losses = losses + (returnsDetections ? DetectionDecoding.losses(description) : [])
    if returnsDetections { describeDetections() } else { describe(graph, description) }
  }

  /// Gives the outputs the names of their tensors.
  mutating func rename(outputs names: [String]) {
    for (index, name) in names.enumerated() { metadata.outputs[index].name = name }
  }

  /// Describes the outputs of ``TFLiteSuppression``.
  private mutating func describeDetections() {
    let summaries = [
      "Top, left, bottom and right edge in the input's unit square", "The position of the class",
      "The confidence; the first is the highest", "The number of detections",
    ]
    metadata.outputs = zip(TFLiteSuppression.outputNames, summaries).map { name, summary in
      var output = TFLiteTensorMetadata(name: name)
      output.summary = summary
      return output
    }
    metadata.outputs[0].content = .boxes
    for position in 0..<3 { metadata.outputs[position].axis = 2 }
    if !files.isEmpty { metadata.outputs[1].files = [Self.labels(.valueLabels)] }
  }

  /// Describes the outputs; one with a score for each label gets the labels.
  private mutating func describe(_ graph: Graph, _ description: ModelDescription) {
    metadata.outputs = graph.outputs.map { port in
      let feature = description.outputs.first { $0.name == port.name }
      var output = TFLiteTensorMetadata(name: port.name)
      output.summary = feature?.summary
      let shape = graph[port.value].type.shape
      let isVector = shape.dropFirst().dropLast().allSatisfy { $0 == 1 }
      if !files.isEmpty, isVector, shape.last == .fixed(description.labels.count) {
        output.files = [Self.labels(.axisLabels)]
      }
      return output
    }
    let isAssociated = metadata.outputs.contains { !$0.files.isEmpty }
    if !files.isEmpty, !isAssociated { metadata.files = [Self.labels(.descriptions)] }
  }

  /// The record of the file with the labels.
  private static func labels(_ kind: TFLiteAssociatedFile.Kind) -> TFLiteAssociatedFile {
    TFLiteAssociatedFile(
      name: labelFileName, summary: "The names of the classes, one on each line", kind: kind)
  }
}

extension ModelDescription {
  /// Whether the labels can be lines of a file. (Android's readers skip blank lines.)
  fileprivate var hasLabelFile: Bool {
    !labels.isEmpty
      && labels.allSatisfy { label in
        !label.allSatisfy(\.isWhitespace) && !label.contains(where: \.isNewline)
      }
  }
}

extension TFLiteTensorMetadata {
  /// Describes an input.
  fileprivate init(
    _ port: Port, _ feature: ModelDescription.Feature?, _ type: TensorType,
    _ losses: inout [String]
  ) {
    self.init(name: port.name)
    summary = feature?.summary
    guard let image = feature?.image, let axes = image.layout.imageAxes(rank: type.rank) else {
      return
    }
    content = .image(
      TFLiteImage(
        image.tfliteColorSpace, width: type.shape[axes.width].value,
        height: type.shape[axes.height].value))
    normalization = TFLiteNormalization(image)
    if image.colorOrder == .bgr {
      losses.append("\(port.name) takes blue before red, which TFLite Metadata cannot state")
    }
    if normalization == nil {
      losses.append(
        "\(port.name) multiplies components by \(image.scale), which TFLite Metadata cannot state")
    }
  }
}

extension ImageInput {
  fileprivate var tfliteColorSpace: TFLiteImage.ColorSpace {
    switch colorOrder {
    case .rgb: .rgb
    case .bgr: .unknown
    case .gray: .grayscale
    }
  }
}

extension TFLiteNormalization {
  /// `x * scale + bias` as `(x - mean) / deviation`; `nil` where the numbers are not finite.
  fileprivate init?(_ image: ImageInput) {
    let biases = Set(image.bias).count == 1 ? Array(image.bias.prefix(1)) : image.bias
    let means = biases.map { Float($0 == 0 ? 0 : -$0 / image.scale) }
    let deviation = Float(1 / image.scale)
    guard (means + [deviation]).allSatisfy(\.isFinite), deviation != 0, !means.isEmpty else {
      return nil
    }
    self.init(means: means, deviations: means.map { _ in deviation })
  }
}
