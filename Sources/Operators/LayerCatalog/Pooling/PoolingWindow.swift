import Bytes
import GraphIR

/// What the windowed pooling operators have in common.
extension Window {
  /// The type of a tensor after pooling.
  func pooledType(
    of input: TensorType, layout: DataLayout
  ) throws(ShapeError) -> TensorType {
    guard input.elementType.isFloat else {
      throw ShapeError("takes floating-point numbers, not \(input)")
    }
    return try input.mappingSpatialAxes(layout, count: size.count) {
      (axis, dimension) throws(ShapeError) in
      try placement(axis, dimension: dimension).count
    }
  }
}
