import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The shape of an image in darknet.
struct ImageShape: Hashable, Sendable {
  let channels: Int
  let height: Int
  let width: Int
}

extension DarknetLayer {
  /// The section's input: the output of the previous section.
  var input: ValueID { network.input }

  /// The shape of a value for a batch of one.
  func shape(of value: ValueID) -> [Int] { network.graph.type(of: value).singleExampleShape ?? [] }

  /// The number of elements of a value for a batch of one.
  func count(of value: ValueID) throws(WeighbridgeError) -> Int {
    try Checked.product(shape(of: value), of: "the size of the input")
  }

  /// The shape of a value as an image, `[batch, channels, height, width]`.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is a row of values.
  func image(_ value: ValueID) throws(WeighbridgeError) -> ImageShape {
    let shape = shape(of: value)
    guard shape.count == 4 else {
      throw malformed("takes an image, and its input is \(shape)")
    }
    return ImageShape(channels: shape[1], height: shape[2], width: shape[3])
  }

  /// The output of the layer that a setting refers to: by its position, or if negative, relative to
  /// this layer.
  func output(_ reference: Int, key: String) throws(WeighbridgeError) -> ValueID {
    let position = reference < 0 ? index + reference : reference
    guard position >= 0, position < index else {
      let possible = index == 0 ? "no layer can be named" : "layers 0 to \(index - 1) can be named"
      let problem =
        position < 0
        ? "points before the first layer"
        : position == index ? "points to the layer itself" : "points to a layer after it"
      throw malformed("\(key)=\(reference) \(problem) (\(possible))")
    }
    guard let value = network.layers[position].output else {
      throw unsupported("\(key)=\(reference) names layer \(position), which has no output")
    }
    return value
  }

  /// Adds a node of this layer.
  ///
  /// - Parameter role: The node's role when the layer becomes several nodes; empty otherwise.
  mutating func add(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> ValueID {
    try addNode(operation, inputs, role: role)[0]
  }

  /// Takes the next weight and adds it to the graph as `layer/role`.
  ///
  /// - Parameters:
  ///   - shape: The shape in the axis order of the file.
  ///   - range: The bounds of its values if the weights are random.
  ///   - canonical: Converts it to the axis order of the operator.
  mutating func weight(
    _ role: String, shape: [Int], range: ClosedRange<Float> = -0.1...0.1,
    canonical: (Tensor) -> Tensor = { $0 }
  ) throws(WeighbridgeError) -> ValueID {
    let tensor = try network.weights.take(role, shape: shape, layer: index, range: range)
    return try constant(role, canonical(tensor))
  }

  /// Takes the next matrix or kernel. A random one preserves the magnitude of its input.
  mutating func kernel(
    _ role: String, shape: [Int], fanIn: Int, canonical: (Tensor) -> Tensor = { $0 }
  ) throws(WeighbridgeError) -> ValueID {
    let bound = (3 / Float(max(1, fanIn))).squareRoot()
    return try weight(role, shape: shape, range: -bound...bound, canonical: canonical)
  }

  /// Adds a constant as `layer/role`.
  mutating func constant(_ role: String, _ tensor: Tensor) throws(WeighbridgeError) -> ValueID {
    let value = try addWeight(role, tensor)
    result.weights[role] = value
    return value
  }

  /// Flattens a value to one row, `[batch, n]`.
  mutating func flattened(
    _ value: ValueID, role: String = "flatten"
  ) throws(WeighbridgeError) -> ValueID {
    if shape(of: value).count == 2 { return value }
    return try add(Reshape(target: [-1]), [value], role: role)
  }

  /// Slices the channels of an image, or axis 1 of any other value of four axes.
  mutating func channels(
    _ range: Range<Int>, of value: ValueID, role: String
  ) throws(WeighbridgeError) -> ValueID {
    let dimension = shape(of: value)[1]
    if range == 0..<dimension { return value }
    return try add(Self.slice(range, along: 1), [value], role: role)
  }

  /// Slices axis 2 of a value of four axes.
  mutating func rows(
    _ range: Range<Int>, of value: ValueID, role: String
  ) throws(WeighbridgeError) -> ValueID {
    let dimension = shape(of: value)[2]
    if range == 0..<dimension { return value }
    return try add(Self.slice(range, along: 2), [value], role: role)
  }

  private static func slice(_ range: Range<Int>, along axis: Int) -> Slice {
    Slice([.init(axis: axis, start: range.lowerBound, stop: range.upperBound, step: 1)])
  }

  /// Adds x scale + offset.
  mutating func scaled(
    _ value: ValueID, by scale: Double, plus offset: Double = 0, role: String
  ) throws(WeighbridgeError) -> ValueID {
    try add(Rescaling(scale: [scale], offset: [offset]), [value], role: role)
  }
}
