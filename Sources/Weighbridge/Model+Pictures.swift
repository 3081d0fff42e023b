import Bytes
import GraphIR
import Vision

extension Model {
  /// The tensor of an input for pictures, one behind the other in the batch.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model does not say how a picture becomes
  ///   this input, or the input's size is not known.
  func pictureTensor(
    _ name: String, _ pictures: [Picture]
  ) throws(WeighbridgeError) -> Tensor {
    guard let port = inputs.first(where: { $0.name == name }) else {
      let names = inputs.map(\.name).joined(separator: ", ")
      throw WeighbridgeError(.mismatch, "the model has no input \(name); it has \(names)")
    }
    let feature = description.inputs.first { $0.name == name }
    guard let image = feature?.image else {
      throw WeighbridgeError(
        .mismatch, "the model does not say how a picture becomes its input \(name), \(port.type)")
    }
    guard let axes = image.layout.pictureAxes(rank: port.type.rank),
      let height = port.type.shape[axes.height].value,
      let width = port.type.shape[axes.width].value
    else {
      throw WeighbridgeError(
        .mismatch, "the input \(name) is \(port.type), and a picture's size must be known")
    }
    guard !pictures.isEmpty else {
      throw WeighbridgeError(.mismatch, "there is no picture for the input \(name)")
    }
    let hasBatch = port.type.rank == 4
    guard hasBatch || pictures.count == 1 else {
      throw WeighbridgeError(
        .mismatch,
        "the input \(name) is \(port.type), one picture, and there are \(pictures.count)")
    }
    var (bytes, shape) = ([UInt8](), [Int]())
    for picture in pictures {
      let tensor = try picture.tensor(
        for: image, width: width, height: height, policy: image.resize ?? .stretch,
        resampling: pictureResampling
      ).tensor
      bytes += tensor.contiguousBytes()
      shape = tensor.shape
    }
    let batch = hasBatch ? [pictures.count] : []
    return Tensor(.float32, shape: batch + shape.dropFirst(), bytes: bytes)
  }

  /// How the framework that the model comes from computes the pixels of a scaled picture.
  var pictureResampling: Resampling {
    provenance.framework == "darknet" ? .darknet : .pillowBicubic
  }
}
