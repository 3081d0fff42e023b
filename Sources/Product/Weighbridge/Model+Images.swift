package import Bytes
package import GraphIR
package import Vision

extension Model {
  /// Returns the tensor of an input for images, concatenated along the batch axis.
  ///
  /// - Parameter resampling: How pixels are computed; the model's own method unless given.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model does not say how an image becomes
  ///   this input, or the input's size is not known.
  package func imageTensor(
    _ name: String, _ images: [Image], resampling: Resampling? = nil
  ) throws(WeighbridgeError) -> Tensor {
    guard let port = inputs.first(where: { $0.name == name }) else {
      let names = inputs.map(\.name).joined(separator: ", ")
      throw .mismatch("the model has no input \(name); it has \(names)")
    }
    let feature = metadata.inputs.first { $0.name == name }
    guard let settings = feature?.image else {
      throw .mismatch("the model does not say how an image becomes its input \(name), \(port.type)")
    }
    guard let axes = settings.layout.imageAxes(rank: port.type.rank),
      let height = port.type.shape[axes.height].value,
      let width = port.type.shape[axes.width].value
    else {
      throw .mismatch("the input \(name) is \(port.type), and an image's size must be known")
    }
    guard !images.isEmpty else { throw .mismatch("there is no image for the input \(name)") }
    let hasBatch = port.type.rank == 4
    guard hasBatch || images.count == 1 else {
      throw .mismatch("the input \(name) is \(port.type), one image, and there are \(images.count)")
    }
    var (bytes, shape) = ([UInt8](), [Int]())
    for image in images {
      let tensor = try image.tensor(
        for: settings, width: width, height: height, policy: settings.resize ?? .stretch,
        resampling: resampling ?? imageResampling
      ).tensor
      bytes += tensor.contiguousBytes()
      shape = tensor.shape
    }
    let batch = hasBatch ? [images.count] : []
    return Tensor(.float32, shape: batch + shape.dropFirst(), bytes: bytes)
  }

  /// How the model's original framework computes the pixels of a resized image.
  package var imageResampling: Resampling {
    provenance.framework == "darknet" ? .darknet : .pillowBicubic
  }
}

extension Image {
  /// Returns a model's input array for this image, with a batch axis if the input has one, and the
  /// placement of the image in it.
  ///
  /// - Parameters:
  ///   - resize: How the size is matched; the model's own setting, or stretching, when `nil`.
  ///   - resampling: How pixels are computed; as in the model's framework when `nil`.
  func tensor(
    for input: ImageInterface, _ model: Model, width: Int, height: Int,
    resize: ImageInput.ResizePolicy?, resampling: Resampling?
  ) throws(WeighbridgeError) -> (tensor: Tensor, placement: ImagePlacement) {
    let (tensor, placement) = try tensor(
      for: input.image, width: width, height: height,
      policy: resize ?? input.image.resize ?? .stretch,
      resampling: resampling ?? model.imageResampling)
    return (
      input.hasBatch ? tensor : tensor.reshaped(Array(tensor.shape.dropFirst())), placement
    )
  }
}
