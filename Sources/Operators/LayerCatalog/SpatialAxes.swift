import Bytes
import GraphIR

/// What operators on the spatial axes of image tensors have in common.
extension TensorType {
  /// The type of an image tensor with changed spatial sizes.
  ///
  /// - Parameters:
  ///   - count: The required number of spatial axes.
  ///   - transform: Returns the new size of a spatial axis, given its index and its size.
  func mappingSpatialAxes(
    _ layout: DataLayout, count: Int,
    _ transform: (Int, Int) throws(ShapeError) -> Int
  ) throws(ShapeError) -> TensorType {
    guard rank == count + 2 else {
      throw ShapeError("takes \(count.counted("spatial axis")), not \(self)")
    }
    var result = self
    for (index, axis) in layout.spatialAxes(rank: rank).enumerated() {
      result.shape[axis] = try shape[axis].map { (dimension) throws(ShapeError) in
        try transform(index, dimension)
      }
    }
    return result
  }

  /// The type of an image tensor of floating-point numbers with the given spatial sizes.
  ///
  /// - Parameter change: What is done to the axes, for messages.
  func replacingSpatialAxes(
    _ layout: DataLayout, by dimensions: [Int], _ change: String
  ) throws(ShapeError) -> TensorType {
    guard rank == dimensions.count + 2, elementType.isFloat else {
      throw ShapeError(
        "takes floating-point numbers with \(dimensions.count.counted("spatial axis")), not \(self)"
      )
    }
    let spatial = layout.spatialAxes(rank: rank)
    let known = shape[spatial].map { $0.value ?? 1 }
    guard known.allSatisfy({ (1...1 << 24).contains($0) }) else {
      throw ShapeError("axes of \(known) elements cannot be \(change)")
    }
    var result = self
    result.shape.replaceSubrange(spatial, with: dimensions.map(Dimension.fixed))
    return result
  }
}

extension CatalogOperator {
  /// The sizes of the first output for given tensors.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when they do not fit;
  ///   ``WeighbridgeError/Code/malformed`` when the output is too large.
  func outputShape(of inputs: [Tensor]) throws(WeighbridgeError) -> [Int] {
    let types: [TensorType]
    do throws(ShapeError) {
      types = try outputTypes(of: inputs.map(\.type))
    } catch { throw .mismatch(error.reason) }
    guard let shape = types[0].fixedShape else {
      throw .mismatch("the shape \(types[0]) is not known")
    }
    // Counts 8 bytes per element, the largest type, so that no kernel's arithmetic overflows.
    _ = try Checked.product(shape + [8], of: "the size of the output")
    return shape
  }
}
