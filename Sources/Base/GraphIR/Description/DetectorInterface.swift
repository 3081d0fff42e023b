package import Bytes

/// What a detector takes and how its boxes are stored: one image of a known size, and heads.
package struct DetectorInterface: Hashable, Sendable {
  /// How boxes are stored; there is a head at least.
  package let detector: DetectorDescription
  /// The name of the image.
  package let inputName: String
  /// How an image becomes the input.
  package let image: ImageInput
  /// The image's sizes in pixels.
  package let width, height: Int
  /// Whether the input's axes begin with a batch.
  package let hasBatch: Bool

  /// Finds out what a model says of its boxes.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the description lacks what is needed, says
  ///   another number of labels than classes, or the model takes anything but one image.
  package init(_ graph: Graph, _ description: ModelDescription) throws(WeighbridgeError) {
    guard let detector = description.detector, !detector.heads.isEmpty else {
      throw WeighbridgeError(
        .mismatch,
        "the model does not say how boxes are read from its outputs: describe its detector "
          + "(\(APIName.detector) and \(APIName.anchors), or \(APIName.metadataFile))")
    }
    guard description.labels.isEmpty || description.labels.count == detector.classCount else {
      throw WeighbridgeError(
        .mismatch,
        "the model has \(description.labels.count) labels and \(detector.classCount) classes")
    }
    self.detector = detector
    let names = graph.inputs.map(\.name).joined(separator: ", ")
    guard graph.inputs.count == 1, let feature = description.inputs.first else {
      throw WeighbridgeError(
        .mismatch,
        "the model has \(graph.inputs.count) inputs (\(names)), and a detector takes one image")
    }
    let type = graph[graph.inputs[0].value].type
    guard let image = feature.image else {
      throw WeighbridgeError(
        .mismatch,
        "the model does not say how an image becomes its input \(names), \(type): describe it "
          + "(\(APIName.images) \(names) with \(APIName.imageScale), for example 1/255, and \(APIName.colorOrder))"
      )
    }
    guard let axes = image.layout.imageAxes(rank: type.rank),
      let height = type.shape[axes.height].value, let width = type.shape[axes.width].value
    else {
      throw WeighbridgeError(
        .mismatch, "the input \(names) is \(type), and an image's size must be known")
    }
    (inputName, self.image) = (feature.name, image)
    (self.width, self.height) = (width, height)
    hasBatch = type.rank == 4
  }
}
