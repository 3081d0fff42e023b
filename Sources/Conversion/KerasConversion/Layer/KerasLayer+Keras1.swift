import Bytes
import GraphIR

/// What the layers that only Keras 1 has need.
extension KerasLayer {
  /// Takes a weight with one element for each index of the input's axes but the first. Along axes
  /// that share theirs, which the settings do not say, the file's size is 1.
  ///
  /// - Parameter hasBatchAxis: Whether its value has an axis of size 1 for the batch in front.
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

  /// A number that the graph holds as a weight, with as many axes as another value.
  mutating func number(
    _ role: String, _ number: Double, like value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = graph.type(of: value)
    return try constant(
      role, Tensor(type.elementType, shape: type.shape.map { _ in 1 }, [number]))
  }
}
