package import Bytes

/// The input of a model that takes one image.
package struct ImageInterface: Hashable, Sendable {
  /// The name of the input.
  package let name: String
  /// The conversion of an image to the input.
  package let image: ImageInput
  /// The input's type.
  package let type: TensorType
  /// The image's size in pixels; `nil` where it is dynamic.
  package let width, height: Int?

  /// Whether the input's first axis is the batch.
  package var hasBatch: Bool { type.rank == 4 }

  /// Takes the interface from a model's graph and description.
  ///
  /// - Parameter user: What takes the image, for messages, for example `a detector`.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model takes anything but one image, or
  ///   its description does not say how an image is converted to the input.
  package init(
    _ graph: Graph, _ description: ModelDescription, for user: String
  ) throws(WeighbridgeError) {
    let names = graph.inputs.map(\.name).joined(separator: ", ")
    guard graph.inputs.count == 1, let feature = description.inputs.first else {
      throw .mismatch(
        "the model has \(graph.inputs.count) inputs (\(names)), but \(user) takes one image")
    }
    type = graph[graph.inputs[0].value].type
    guard let image = feature.image else {
      throw .mismatch(
        "the model does not say how an image becomes its input \(names), \(type): describe it "
          + "(\(APIName.images) \(names) with \(APIName.imageScale), for example 1/255, and "
          + "\(APIName.colorOrder))")
    }
    guard let axes = image.layout.imageAxes(rank: type.rank) else {
      throw .mismatch(
        "the input \(names) is \(type), but an image has 4 axes, or 3 without a batch")
    }
    (name, self.image) = (feature.name, image)
    (width, height) = (type.shape[axes.width].value, type.shape[axes.height].value)
  }

  /// The image's size in pixels.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when it is dynamic.
  package func fixedSize() throws(WeighbridgeError) -> (width: Int, height: Int) {
    guard let width, let height else {
      throw .mismatch("the input \(name) is \(type), but an image's size must be known")
    }
    return (width, height)
  }
}
