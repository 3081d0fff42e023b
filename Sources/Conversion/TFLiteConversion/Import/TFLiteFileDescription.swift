import Bytes
import ConversionCore
import GraphIR
import TFLiteFormat

/// The description of a model in its file: TFLite Metadata, and the files after the model.
struct TFLiteFileDescription {
  private let file: TFLiteFile
  private let metadata: TFLiteMetadata?
  private let files: [String: [UInt8]]

  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded``.
  init(_ file: TFLiteFile) throws(WeighbridgeError) {
    self.file = file
    metadata = try file.readMetadata()
    files = try file.associatedFiles()
  }

  /// What converters write where authors describe a model.
  private static let converters = ["MLIR Converted.", "TOCO Converted."]

  /// Describes a model.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for labels that are not text.
  func describe(_ content: inout ModelContent) throws(WeighbridgeError) {
    var description = ModelDescription()
    let (inputs, outputs) = (metadata?.inputs ?? [], metadata?.outputs ?? [])
    for (index, port) in content.graph.inputs.enumerated() {
      var feature = ModelDescription.Feature(name: port.name)
      if index < inputs.count {
        feature.summary = inputs[index].summary
        feature.image = inputs[index].image(content.graph[port.value].type)
      }
      description.inputs.append(feature)
    }
    for (index, port) in content.graph.outputs.enumerated() {
      var feature = ModelDescription.Feature(name: port.name)
      if index < outputs.count { feature.summary = outputs[index].summary }
      description.outputs.append(feature)
    }
    let stated = Self.converters.contains(file.description) ? "" : file.description
    description.name = metadata?.name ?? (stated.isEmpty ? nil : stated)
    description.summary = metadata?.summary
    description.version = metadata?.version
    description.author = metadata?.author
    description.license = metadata?.license.map { License(parsing: $0) }
    description.labels = try labels(&content.provenance)
    content.description = description
    try addEntries(to: &content)
  }

  /// Adds the other entries. Those of files that other programs wrote are kept as they are.
  private func addEntries(to content: inout ModelContent) throws(WeighbridgeError) {
    let scheme = MetadataScheme.tflite
    let entries = file.textEntries.filter { !scheme.reserved.contains($0.key) }
    let isOwn = entries.contains { scheme.field(of: $0.key) == .source }
    if isOwn { return try DescriptionEntries.apply(entries, scheme, to: &content) }
    for (key, value) in entries { content.description.userDefined[key] = value }
  }

  /// The names of the classes, from the first file with them.
  private func labels(_ provenance: inout Provenance) throws(WeighbridgeError) -> [String] {
    let stated = (metadata?.outputs ?? []).flatMap(\.files) + (metadata?.files ?? [])
    let candidates = stated.filter { $0.kind == .axisLabels }
    guard let choice = candidates.first(where: { $0.locale == nil }) ?? candidates.first else {
      return []
    }
    guard let bytes = files[choice.name] else {
      provenance.decisions.append(
        .init(
          layer: "",
          text: "the file \(choice.name) with the labels is not in the archive after the model"))
      return []
    }
    return try locating({ $0.at(.path(choice.name)) }) { () throws(WeighbridgeError) in
      do throws(WeighbridgeError) {
        return try LabelFile.parse(bytes, path: choice.name)
      } catch { throw .malformed(error.reason) }
    }
  }
}

extension TFLiteTensorMetadata {
  /// How an image becomes an input of a type; `nil` if it is none, or if its normalization is not
  /// that of an image here.
  fileprivate func image(_ type: TensorType) -> ImageInput? {
    guard case .image(let image) = content, type.rank == 4, let channels = type.shape[3].value
    else { return nil }
    let (means, deviations) = (normalization?.means ?? [], normalization?.deviations ?? [])
    let color: ImageInput.ColorOrder
    switch (image.colorSpace, channels) {
    case (.rgb, 3): color = .rgb
    case (.grayscale, 1): color = .gray
    default: return nil
    }
    let deviation = deviations.first ?? 1
    guard deviations.allSatisfy({ $0 == deviation }), deviation.isFinite, deviation != 0,
      means.allSatisfy(\.isFinite), [0, 1, channels].contains(means.count)
    else { return nil }
    let centers = means.isEmpty ? [0] : means
    let bias = (0..<channels).map { -Double(centers[$0 % centers.count]) / Double(deviation) }
    return ImageInput(
      colorOrder: color, scale: 1 / Double(deviation), bias: bias.map { $0 == 0 ? 0 : $0 },
      resize: nil, layout: .channelsLast)
  }
}
