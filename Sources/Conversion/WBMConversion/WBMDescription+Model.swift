import GraphIR
import WBMFormat

/// Between the typed description and its record. Fields that a newer program added stay where they
/// are as long as what they belong to stays.
extension WBMDescription {
  /// The record of a description.
  ///
  /// - Parameter old: The record that is replaced: its unknown fields are kept.
  init(_ description: ModelDescription, replacing old: WBMDescription = WBMDescription()) {
    self.init(
      name: description.name, author: description.author,
      license: description.license.map { WBMLicense($0, replacing: old.license) },
      version: description.version, shortDescription: description.summary,
      inputs: Self.features(description.inputs, replacing: old.inputs),
      outputs: Self.features(description.outputs, replacing: old.outputs),
      classLabels: description.labels,
      detector: description.detector.map { WBMDetector($0, replacing: old.detector) },
      userDefined: description.userDefined.sorted { $0.key < $1.key }.map { entry in
        var record = WBMKeyValue(key: entry.key, value: entry.value)
        let before = old.userDefined.first { $0.key == entry.key }
        if let before { record.unknownFields = before.unknownFields }
        return record
      })
    unknownFields = old.unknownFields
  }

  private static func features(
    _ features: [ModelDescription.Feature], replacing old: [WBMFeature]
  ) -> [WBMFeature] {
    features.enumerated().map { index, feature in
      let isSameList = old.count == features.count
      return WBMFeature(
        feature,
        replacing: old.first { $0.name == feature.name } ?? (isSameList ? old[index] : nil))
    }
  }

  /// The description that is stored, with a feature for each input and output of the graph.
  func description(of graph: Graph) -> ModelDescription {
    func features(_ ports: [Port], _ stored: [WBMFeature]) -> [ModelDescription.Feature] {
      ports.map { port in
        stored.first { $0.name == port.name }?.feature ?? .init(name: port.name)
      }
    }
    var result = ModelDescription(
      inputs: features(graph.inputs, inputs), outputs: features(graph.outputs, outputs))
    result.name = name
    result.author = author
    result.license = license.map {
      License(text: $0.text, spdxExpression: $0.spdx, note: $0.note)
    }
    result.version = version
    result.summary = shortDescription
    result.labels = classLabels
    result.detector = detector?.detector
    for entry in userDefined { result.userDefined[entry.key] = entry.value }
    return result
  }
}

extension WBMLicense {
  fileprivate init(_ license: License, replacing old: WBMLicense?) {
    self.init(text: license.text, spdx: license.spdxExpression, note: license.note)
    if let old { unknownFields = old.unknownFields }
  }
}

extension WBMFeature {
  fileprivate init(_ feature: ModelDescription.Feature, replacing old: WBMFeature?) {
    self.init(
      name: feature.name, description: feature.summary,
      image: feature.image.map { WBMImage($0, replacing: old?.image) })
    if let old { unknownFields = old.unknownFields }
  }

  fileprivate var feature: ModelDescription.Feature {
    var feature = ModelDescription.Feature(name: name)
    feature.summary = description
    feature.image = image?.image
    return feature
  }
}

extension WBMImage {
  fileprivate init(_ image: ImageInput, replacing old: WBMImage?) {
    let colorOrder: ColorOrder =
      switch image.colorOrder {
      case .rgb: .rgb
      case .bgr: .bgr
      case .gray: .gray
      }
    let resize: ResizePolicy? =
      switch image.resize {
      case .letterbox: .letterbox
      case .stretch: .stretch
      case .centerCrop: .centerCrop
      case nil: nil
      }
    self.init(
      colorOrder: colorOrder, scale: image.scale, bias: image.bias, resize: resize,
      layout: image.layout == .channelsFirst ? .channelsFirst : .channelsLast)
    if let old { unknownFields = old.unknownFields }
  }

  fileprivate var image: ImageInput {
    let colorOrder: ImageInput.ColorOrder =
      switch self.colorOrder {
      case .rgb: .rgb
      case .bgr: .bgr
      case .gray: .gray
      }
    let resize: ImageInput.ResizePolicy? =
      switch self.resize {
      case .letterbox: .letterbox
      case .stretch: .stretch
      case .centerCrop: .centerCrop
      case nil: nil
      }
    return ImageInput(
      colorOrder: colorOrder, scale: scale, bias: bias, resize: resize,
      layout: layout == .channelsFirst ? .channelsFirst : .channelsLast)
  }
}
