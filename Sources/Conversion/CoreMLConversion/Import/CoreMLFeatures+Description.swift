import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

extension CoreMLFeatures {
  /// Returns the model's description from the file.
  func description(
    of graph: Graph, _ members: [CoreMLImporter.Member]
  ) -> ModelDescription {
    var description = ModelDescription(
      inputs: graph.inputs.map { .init(name: $0.name) },
      outputs: graph.outputs.map { .init(name: $0.name) })
    let metadata = model.metadata
    description.author = metadata.author
    description.license = metadata.license.map { License(parsing: $0) }
    description.version = metadata.version
    description.summary = metadata.summary
    for index in description.inputs.indices {
      let name = description.inputs[index].name
      guard let feature = model.inputs.first(where: { $0.name == name }) else { continue }
      description.inputs[index].summary = feature.summary
      description.inputs[index].defaultValue = feature.defaultNumber
      if case .image(let image) = feature.type {
        description.inputs[index].image = imageInput(
          image, members[0].network?.preprocessing ?? [], name)
      }
    }
    for index in description.outputs.indices {
      let name = description.outputs[index].name
      let feature = model.outputs.first { $0.name == name }
      description.outputs[index].summary = feature?.summary
      if case .image(let image)? = feature?.type {
        description.outputs[index].image = imageInput(image, [], name)
      }
    }
    description.labels = (members.last?.classes?.labels ?? suppression?.labels)?.strings ?? []
    description.userDefined = metadata.userDefined
    description.detector = detector(graph)
    return description
  }

  /// The detector of a pipeline that ends with non-maximum suppression; `nil` for other models, and
  /// where its boxes are not the model's outputs.
  private func detector(_ graph: Graph) -> DetectorDescription? {
    guard let suppression, let method = suppression.method else { return nil }
    let names = [suppression.outputs.confidence, suppression.outputs.coordinates]
    let ports = names.compactMap { name in graph.outputs.first { $0.name == name } }
    guard ports.count == 2, let count = graph[ports[0].value].type.shape.last?.value else {
      return nil
    }
    return DetectorDescription(
      .boxes(.init(confidences: names[0], coordinates: names[1])), classCount: count,
      confidenceThreshold: suppression.confidenceThreshold,
      iouThreshold: suppression.iouThreshold,
      suppression: method.isPerClass ? .greedy : .classAgnostic)
  }

  /// How an image becomes an input, or an output one. Without a scaler in the file, values are unchanged.
  private func imageInput(
    _ image: CoreMLImage, _ preprocessing: [CoreMLPreprocessing], _ name: String
  ) -> ImageInput {
    var input = ImageInput(
      colorOrder: image.colors, scale: 1,
      bias: [Double](repeating: 0, count: image.colors.componentCount), resize: nil,
      layout: .channelsFirst)
    for entry in preprocessing where entry.feature == nil || entry.feature == name {
      guard case .scaler(let scale, let red, let green, let blue, let gray) = entry.step else {
        continue
      }
      input.scale = scale.shortestFloat32
      switch image.colors {
      case .rgb: input.bias = [red, green, blue].map(\.shortestFloat32)
      case .bgr: input.bias = [blue, green, red].map(\.shortestFloat32)
      case .gray: input.bias = [gray.shortestFloat32]
      }
    }
    return input
  }
}

extension CoreMLLabels {
  /// The labels as strings.
  var strings: [String] {
    switch self {
    case .strings(let strings): strings
    case .integers(let integers): integers.map(String.init)
    }
  }
}
