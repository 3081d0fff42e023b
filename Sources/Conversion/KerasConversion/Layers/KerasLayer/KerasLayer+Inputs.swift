import Bytes
import GraphIR

/// The inputs of a layer and their types.
extension KerasLayer {
  /// The input of a layer that takes one.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is not exactly one.
  func onlyInput(_ inputs: [ValueID]) throws(WeighbridgeError) -> ValueID {
    guard inputs.count == 1 else { throw .malformed("takes one input and has \(inputs.count)") }
    return inputs[0]
  }

  /// The input of a layer that takes one, and its type.
  ///
  /// - Throws: What ``onlyInput(_:)`` throws.
  func typedInput(
    _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> (value: ValueID, type: TensorType) {
    let input = try onlyInput(inputs)
    return (input, graph.type(of: input))
  }

  /// Converts an axis as Keras writes it, where -1 is the last one, to a non-negative index.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when `type` has no such axis.
  static func axis(
    _ axis: Int, of type: TensorType
  ) throws(WeighbridgeError) -> Int {
    guard axis >= -type.rank, axis < type.rank else {
      throw .malformed("axis=\(axis), and the input is \(type)")
    }
    return axis < 0 ? axis + type.rank : axis
  }

  /// Reads axes as Keras writes them, one or a list, counted from either end; -1 by default. They
  /// keep the order in which they are written.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when `type` has no such axis, or one occurs
  ///   twice.
  mutating func axes(_ key: String, of type: TensorType) throws(WeighbridgeError) -> [Int] {
    let written = try integerList(key, default: [-1])
    let axes = try written.map { (axis) throws(WeighbridgeError) in try Self.axis(axis, of: type) }
    guard !axes.isEmpty, Set(axes).count == axes.count else {
      throw .malformed("\(key)=\(written), and different axes are expected")
    }
    return axes
  }

  /// The dimensions of some axes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when one is not known.
  func dimensions(_ axes: [Int], of type: TensorType) throws(WeighbridgeError) -> [Int] {
    let dimensions = axes.compactMap { type.shape[$0].value }
    guard dimensions.count == axes.count else {
      throw .malformed("the sizes along the axes \(axes) of its input \(type) are not known")
    }
    return dimensions
  }

  /// The number of channels of the layer's input.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the layer does not have exactly one input,
  ///   or the number of channels is not known.
  func channels(
    of inputs: [ValueID], layout: DataLayout
  ) throws(WeighbridgeError) -> Int {
    let type = graph.type(of: try onlyInput(inputs))
    guard type.rank >= 2, let count = type.shape[layout.channelAxis(rank: type.rank)].value else {
      throw .malformed("the number of channels of its input \(type) is not known")
    }
    return count
  }

  /// Refuses an input with another number of spatial axes than the layer's class has.
  func requireSpatialAxes(_ count: Int, of inputs: [ValueID]) throws(WeighbridgeError) {
    for type in inputs.map({ graph.type(of: $0) }) where type.rank != count + 2 {
      throw .malformed("takes \(count.counted("spatial axis")), not \(type)")
    }
  }
}

/// Weights and constants of layers that exist only in Keras 1.
extension KerasLayer {
  /// Takes a weight with one element for each index of the input's axes except the first. Along
  /// shared axes, which the settings do not list, the size in the file is 1.
  ///
  /// - Parameter hasBatchAxis: Whether its value has a leading axis of size 1 for the batch.
  mutating func sharedWeight(
    _ role: String, of type: TensorType, hasBatchAxis: Bool = true
  ) throws(WeighbridgeError) -> ValueID {
    let written = nextWeightShape ?? type.shape.dropFirst().map { _ in 1 }
    var shape: [Int] = []
    for (axis, dimension) in type.shape.dropFirst().enumerated() {
      if written.indices.contains(axis), written[axis] == 1 {
        shape.append(1)
      } else if let dimension = dimension.value {
        shape.append(dimension)
      } else {
        throw .malformed("the size of axis \(axis + 1) is not known: \(type)")
      }
    }
    return try weight(role, shape: shape) {
      hasBatchAxis ? $0.reshaped([1] + shape) : $0
    }
  }

  /// Adds a number to the graph as a weight of the same rank and element type as another value.
  mutating func number(
    _ role: String, _ number: Double, like value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = graph.type(of: value)
    return try constant(
      role, Tensor(type.elementType, shape: type.shape.map { _ in 1 }, [number]))
  }
}
