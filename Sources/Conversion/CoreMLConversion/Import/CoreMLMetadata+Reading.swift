import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// The user-defined keys of the files that we write; see `CoreMLMetadata+Content.swift`.
extension CoreMLMetadata {
  /// Whether the file was written by this package.
  private var isFromWeighbridge: Bool { userDefined["converter"]?.hasPrefix("weighbridge") == true }

  /// Restores what was stored under user-defined keys. For a pipeline that returns boxes, and so
  /// has no heads, the detector stays a user-defined string.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not fit the graph.
  func describe(_ content: inout ModelContent, hasHeads: Bool) throws(WeighbridgeError) {
    guard isFromWeighbridge else { return }
    content.description.userDefined = [:]
    let labels = content.description.labels
    if let classes = userDefined["classes"] {
      content.description.labels = classes.split(separator: ",", omittingEmptySubsequences: false)
        .map(String.init)
    } else if !hasHeads, labels == labels.indices.map(String.init) {
      // The pipeline of a detector without labels has the class indices instead.
      content.description.labels = []
    }
    let images = content.description.inputs.map(\.image)
    let entries = userDefined.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }
    let (inputs, outputs) = (content.graph.inputs, content.graph.outputs)
    try DescriptionEntries.apply(
      entries.filter { hasHeads || $0.key != "detector" }, .coreML, to: &content)
    for (old, new) in zip(inputs + outputs, content.graph.inputs + content.graph.outputs)
    where old.name != new.name {
      content.provenance.decisions.append(
        .init(layer: old.name, text: "this feature is called \(new.name), as in the model itself"))
    }
    if !hasHeads, content.description.userDefined["detector"] == nil {
      content.description.userDefined["detector"] = userDefined["detector"]
    }
    for (position, image) in images.enumerated() {
      content.description.inputs[position].image?.adopt(image)
    }
  }
}

extension ImageInput {
  /// Adopts the network's preprocessing where it differs from these values in float32.
  fileprivate mutating func adopt(_ preprocessing: ImageInput?) {
    guard let preprocessing, preprocessing.rounded != rounded else { return }
    let resize = self.resize
    self = preprocessing
    self.resize = resize
  }

  /// The values rounded to float32, without a resize policy.
  private var rounded: ImageInput {
    ImageInput(
      colorOrder: colorOrder, scale: Double(Float(scale)), bias: bias.map { Double(Float($0)) },
      resize: nil, layout: layout)
  }
}
