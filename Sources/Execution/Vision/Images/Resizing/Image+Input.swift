public import Bytes
public import GraphIR

extension Image {
  /// Returns a model's input tensor for this image, and the placement of the image in it.
  ///
  /// The image is resized to the input's size, then every component x becomes `x * scale + bias` in
  /// the model's color order, rounded to float32 once or twice.
  ///
  /// - Parameters:
  ///   - input: The model's preprocessing.
  ///   - width: The input's width in pixels.
  ///   - height: The input's height in pixels.
  ///   - policy: How the size is matched; letterbox scales, rounds and fills like both forks of
  ///     darknet.
  ///   - resampling: How pixels are computed.
  /// - Returns: A float32 tensor of one image, in the layout of `input`.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the number of biases does not fit the color
  ///   order or the size is not positive, ``WeighbridgeError/Code/malformed`` when it is too large
  ///   for any memory.
  public func tensor(
    for input: ImageInput, width: Int, height: Int, policy: ImageInput.ResizePolicy,
    resampling: Resampling
  ) throws(WeighbridgeError) -> (tensor: Tensor, placement: ImagePlacement) {
    let componentCount = input.colorOrder.componentCount
    guard input.bias.count == componentCount else {
      throw .mismatch(
        "\(input.bias.count) biases do not fit the \(componentCount) components of the input")
    }
    guard width > 0, height > 0 else {
      throw .mismatch("an input of \(width) x \(height) holds no image")
    }
    _ = try Checked.product([width, height, componentCount, 4], of: "the size of the input")
    let geometry = InputGeometry(
      policy, image: size, input: PixelSize(width: width, height: height))
    let raster = Raster(self, isGray: input.colorOrder == .gray)
      .resampled(to: geometry.scaled, geometry.window, by: resampling)
    let filler = InputFiller(
      input, PixelSize(width: width, height: height), barBrightness: resampling.barBrightness)
    return (filler.tensor(raster, geometry, resampling), geometry.placement)
  }
}
