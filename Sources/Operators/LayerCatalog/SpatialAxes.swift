import Bytes
import GraphIR

/// The common part of operators on the spatial axes of image tensors.
extension TensorType {
  /// The type after a change of an image tensor's spatial sizes.
  ///
  /// - Parameters:
  ///   - count: The required number of spatial axes.
  ///   - transform: Returns the new size of a spatial axis, given its index and its size.
  func mappingSpatialAxes(
    _ layout: DataLayout, count: Int,
    _ transform: (Int, Int) throws(ShapeError) -> Int
  ) throws(ShapeError) -> TensorType {
    guard rank == count + 2 else {
      throw ShapeError("takes \(count) spatial axes and has the input \(self)")
    }
    var result = self
    for (number, axis) in layout.spatialAxes(rank: rank).enumerated() {
      result.shape[axis] = try shape[axis].map { (dimension) throws(ShapeError) in
        try transform(number, dimension)
      }
    }
    return result
  }
}

extension CatalogOperator {
  /// The sizes of the first output for given tensors.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when they do not fit;
  ///   ``WeighbridgeError/Code/malformed`` when the output is larger than any memory.
  func outputShape(of inputs: [Tensor]) throws(WeighbridgeError) -> [Int] {
    let types: [TensorType]
    do throws(ShapeError) {
      types = try outputTypes(of: inputs.map(\.type))
    } catch { throw .mismatch(error.reason) }
    guard let shape = types[0].fixedShape else {
      throw .mismatch("the shape \(types[0]) is not known")
    }
    // Room for elements of any type, so that no kernel's arithmetic overflows.
    _ = try Checked.product(shape + [8], of: "the size of the output")
    return shape
  }
}
