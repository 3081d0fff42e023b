import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// What user-defined keys of our own files say; see `CoreMLMetadata+Content.swift`.
extension CoreMLMetadata {
  /// Whether the file is ours.
  private var isOwn: Bool { userDefined["converter"]?.hasPrefix("weighbridge") == true }

  /// Brings back what was put under user-defined keys. Of a pipeline that gives boxes, whose heads
  /// are gone, the detector stays a text.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not fit the graph.
  func describe(_ content: inout ModelContent, hasHeads: Bool) throws(WeighbridgeError) {
    guard isOwn else { return }
    content.description.userDefined = [:]
    let labels = content.description.labels
    if let classes = userDefined["classes"] {
      content.description.labels = classes.split(separator: ",", omittingEmptySubsequences: false)
        .map(String.init)
    } else if !hasHeads, labels == labels.indices.map(String.init) {
      // A pipeline of a detector without labels has numbers in their place.
      content.description.labels = []
    }
    let images = content.description.inputs.map(\.image)
    let entries = userDefined.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }
    try DescriptionEntries.apply(
      entries.filter { hasHeads || $0.key != "detector" }, .coreML, to: &content)
    if !hasHeads, content.description.userDefined["detector"] == nil {
      content.description.userDefined["detector"] = userDefined["detector"]
    }
    for (position, image) in images.enumerated() {
      content.description.inputs[position].image?.agree(with: image)
    }
  }
}

extension ImageInput {
  /// Takes over what the network's preprocessing says, where that is something else than these
  /// numbers in float32.
  fileprivate mutating func agree(with preprocessing: ImageInput?) {
    guard let preprocessing, preprocessing.rounded != rounded else { return }
    let resize = self.resize
    self = preprocessing
    self.resize = resize
  }

  /// The numbers as float32, and no resize policy.
  private var rounded: ImageInput {
    ImageInput(
      colorOrder: colorOrder, scale: Double(Float(scale)), bias: bias.map { Double(Float($0)) },
      resize: nil, layout: layout)
  }
}
