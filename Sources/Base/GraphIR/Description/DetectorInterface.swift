package import Bytes

/// The input of a detector, one image of a known size, and the encoding of its boxes.
package struct DetectorInterface: Hashable, Sendable {
  /// The encoding of the boxes, with at least one head.
  package let detector: DetectorDescription
  /// The input.
  package let input: ImageInterface
  /// The image's size in pixels.
  package let width, height: Int

  /// Takes the interface from a model's graph and description.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the description is incomplete, has a
  ///   different number of labels than classes, or the model takes anything but one image.
  package init(_ graph: Graph, _ description: ModelDescription) throws(WeighbridgeError) {
    guard let detector = description.detector, !detector.outputs.isEmpty else {
      throw .mismatch(
        "the model does not say how boxes are read from its outputs: describe its detector "
          + "(\(APIName.detector) and \(APIName.anchors), or \(APIName.metadataFile))")
    }
    guard description.labels.isEmpty || description.labels.count == detector.classCount else {
      throw .mismatch(
        "the model has \(description.labels.count) labels, and its detector "
          + "\(detector.classCount) classes")
    }
    self.detector = detector
    input = try ImageInterface(graph, description, for: "a detector")
    (width, height) = try input.fixedSize()
  }
}
