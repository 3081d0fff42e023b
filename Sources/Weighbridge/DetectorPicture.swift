import Bytes
import GraphIR

/// The one input of a detector: a picture of a known size.
struct DetectorPicture {
  let name: String
  let image: ImageInput
  /// The extents in pixels.
  let width, height: Int

  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model takes anything else.
  init(_ model: Model) throws(WeighbridgeError) {
    let names = model.inputs.map(\.name).joined(separator: ", ")
    guard model.inputs.count == 1, let feature = model.description.inputs.first else {
      throw WeighbridgeError(
        .mismatch,
        "the model has \(model.inputs.count) inputs (\(names)), and a detector takes one "
          + "picture")
    }
    let type = model.inputs[0].type
    guard let image = feature.image else {
      throw WeighbridgeError(
        .mismatch,
        "the model does not say how a picture becomes its input \(names), \(type): describe it "
          + "(--image-input \(names) with --image-scale, for example 1/255, and --color)")
    }
    let axes = image.layout.spatialAxes(rank: type.rank)
    guard axes.count == 2, let height = type.shape[axes.lowerBound].value,
      let width = type.shape[axes.lowerBound + 1].value
    else {
      throw WeighbridgeError(
        .mismatch, "the input \(names) is \(type), and a picture's size must be known")
    }
    name = feature.name
    self.image = image
    (self.width, self.height) = (width, height)
  }
}
