import LayerCatalog

/// An output of a model that is an image, and how it is converted.
struct ImageOutput {
  let name: String
  let type: TensorType
  let layout: DataLayout
  /// The encoding of 8-bit components.
  let encoding: ImageInput
  /// Whether the range of the elements is known.
  let isRangeKnown: Bool

  /// - Parameter given: The scale from the caller.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the output does not have the axes of an
  ///   image, or another number of channels than its colors have.
  init(
    _ graph: Graph, _ description: ModelDescription, _ port: Port, like input: ImageInput,
    given: OutputScale?
  ) throws(WeighbridgeError) {
    (name, type) = (port.name, graph[port.value].type)
    let stored = description.outputs.first { $0.name == port.name }?.image
    layout = stored?.layout ?? input.layout
    guard let axes = layout.imageAxes(rank: type.rank), let count = type.shape[axes.channels].value
    else { throw .mismatch("the output \(port.name) is \(type), no image") }
    let order = stored?.colorOrder ?? (count == 1 ? .gray : input.colorOrder == .bgr ? .bgr : .rgb)
    guard order.componentCount == count else {
      throw .mismatch(
        "the output \(port.name) is \(type), with \(count) channels, and an image whose colors are "
          + "\(order.rawValue) has \(order.componentCount)")
    }
    if given == nil, let stored, stored.scale != 0, stored.bias.count == count {
      (encoding, isRangeKnown) = (stored, true)
      return
    }
    let inferred = Self.inferredScale(graph, port.value)
    let scale = given ?? inferred ?? OutputScale(scale: 1)
    isRangeKnown = given != nil || inferred != nil
    encoding = ImageInput(
      colorOrder: order, scale: scale.scale,
      bias: [Double](repeating: scale.bias, count: order.componentCount), resize: nil,
      layout: layout)
  }

  /// Determines the range from the last activation: 0...1 for sigmoids, -1...1 for a tanh.
  private static func inferredScale(_ graph: Graph, _ value: ValueID) -> OutputScale? {
    let producers = graph.producers
    var last = value
    while let node = producers[last].map({ graph.nodes[$0] }) {
      switch node.operation {
      case is Sigmoid, is HardSigmoid: return OutputScale(scale: 1 / 255)
      case is Tanh: return OutputScale(scale: 1 / 127.5, bias: -1)
      case is Identity, is Reshape, is Squeeze, is ExpandDims, is Transpose, is Cast:
        guard let input = node.inputs.first else { return nil }
        last = input
      case _: return nil
      }
    }
    return nil
  }

  /// Returns the image of the output's elements, in axes `[height, width, component]`.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for elements that are NaN or infinite,
  ///   ``WeighbridgeError/Code/mismatch`` when their range is not known and cannot be 0...255.
  func image(_ numbers: [Float], width: Int, height: Int) throws(WeighbridgeError) -> Image {
    var (low, high) = (Float.infinity, -Float.infinity)
    for number in numbers {
      guard number.isFinite else {
        throw .malformed("the output \(name) holds NaN or infinite numbers")
      }
      (low, high) = (min(low, number), max(high, number))
    }
    guard isRangeKnown || high > 4 else {
      throw .mismatch(
        "the output \(name) ranges from \(low) to \(high), and the model does not say how that "
          + "maps to 0 to 255: give the output's scale and bias, such as 1/255 and 0")
    }
    return OutputPixels(encoding).image(numbers, width: width, height: height)
  }

  /// Returns the elements of one image in axes `[height, width, component]`, and its size.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when there is not exactly one image.
  func pixels(
    _ tensor: Tensor
  ) throws(WeighbridgeError) -> (numbers: [Float], width: Int, height: Int) {
    let hasBatch = tensor.shape.count == 4
    guard let axes = layout.imageAxes(rank: tensor.shape.count), !hasBatch || tensor.shape[0] == 1
    else { throw .mismatch("the output \(name) is \(tensor.type), no image") }
    let order = (hasBatch ? [0] : []) + [axes.height, axes.width, axes.channels]
    return (
      tensor.permuted(order).doubles.map { Float($0) }, tensor.shape[axes.width],
      tensor.shape[axes.height]
    )
  }
}
