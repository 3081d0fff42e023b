package import Bytes
package import GraphIR
package import LayerCatalog

/// Elements and slices at index vectors, each of which names a place along the leading axes of a value.
extension ValueLayer {
  /// Adds the slices of a value at index vectors.
  ///
  /// - Parameters:
  ///   - indices: `[batches..., places..., axes]`
  ///   - batchAxes: How many leading axes both values share.
  package mutating func gathered(
    _ input: SourceValue, at indices: SourceValue, batchAxes: Int
  ) throws(WeighbridgeError) -> SourceValue {
    let type = type(indices)
    guard let count = type.shape.last?.value, count >= 1, batchAxes >= 0, batchAxes < type.rank,
      batchAxes + count <= self.type(input).rank
    else {
      throw malformed(
        "gathers from \(self.type(input)) by indices \(type) after \(batchAxes.counted("axis")) of batches, "
          + "which do not fit")
    }
    if batchAxes == 0, count > 1, let tensor = indices.tensor {
      return try gathered(input, tensor)
    }
    let (flat, positions) = try merged(input, indices, after: batchAxes)
    return try apply(Gather(axis: batchAxes, batchAxes: batchAxes), to: flat, positions)
  }

  /// Merges the axes that index vectors refer to, and each vector into one index.
  ///
  /// - Parameters:
  ///   - indices: `[..., axes]`
  ///   - batchAxes: How many leading axes both values share.
  private mutating func merged(
    _ value: SourceValue, _ indices: SourceValue, after batchAxes: Int
  ) throws(WeighbridgeError) -> (value: SourceValue, indices: SourceValue) {
    let (type, indexType) = (type(value), type(indices))
    let count = indexType.shape.last?.value ?? 0
    let sizes = type.shape.dropFirst(batchAxes).prefix(count).compactMap(\.value)
    let last = indexType.rank - 1
    if count == 1 {
      return (value, try apply(Squeeze(axes: [last]), to: indices, role: "positions"))
    }
    guard sizes.count == count else {
      throw unsupported(
        "indexes axes of unknown size of \(type), and only axes of known sizes can be read")
    }
    let size = try Checked.product(sizes, of: "positions")
    var strides = [Int](repeating: 1, count: count)
    for axis in (0..<count - 1).reversed() { strides[axis] = strides[axis + 1] * sizes[axis + 1] }
    let whole = try apply(Cast(to: .int64), to: indices, role: "whole")
    let rows = [sizes, strides].map { numbers in
      newConstant(
        Tensor(
          .int64, shape: [Int](repeating: 1, count: last) + [count], numbers.map(Double.init)),
        numbers == strides ? "strides" : "sizes")
    }
    let isNegative = try apply(
      Comparison(.less), to: whole, number(0, like: whole, "zero"), role: "is_negative")
    let fromEnd = try apply(Add(), to: whole, rows[0], role: "from_end")
    let positive = try apply(Where(), to: isNegative, fromEnd, whole, role: "indices")
    let products = try apply(Multiply(), to: positive, rows[1], role: "products")
    let positions = try apply(
      Reduce(.sum, axes: [last], keepDims: false), to: products, role: "positions")
    let kept =
      keptSizes(type, 0..<batchAxes) + [.fixed(size)]
      + keptSizes(type, batchAxes + count..<type.rank)
    return (try apply(ReshapeAxes(kept), to: value, role: "flat"), positions)
  }

  /// Adds a value whose slices at index vectors are replaced or combined with updates.
  package mutating func scattered(
    _ value: SourceValue, _ indices: SourceValue, _ updates: SourceValue,
    _ reduction: ScatterElements.Reduction
  ) throws(WeighbridgeError) -> SourceValue {
    guard let shape = type(value).fixedShape, let rows = type(indices).fixedShape,
      let updateShape = type(updates).fixedShape
    else {
      throw unsupported(
        "scatters \(type(updates)) into \(type(value)) by \(type(indices)), and only known sizes can be read"
      )
    }
    let count = rows.last ?? 0
    guard count >= 1, count <= shape.count,
      updateShape == Array(rows.dropLast()) + shape.dropFirst(count)
    else {
      throw malformed(
        "scatters \(type(updates)) into \(type(value)) by \(type(indices)), which do not fit")
    }
    let (_, positions) = try merged(value, indices, after: 0)
    let sizes = [
      try Checked.product(Array(shape.prefix(count)), of: "positions"),
      try Checked.product(Array(rows.dropLast()), of: "updates"),
      try Checked.product(Array(shape.dropFirst(count)), of: "a slice"),
    ]
    let target = try fixedReshape(value, [sizes[0], sizes[2]], role: "rows")
    let parts = try fixedReshape(updates, [sizes[1], sizes[2]], role: "updates")
    let column = try fixedReshape(positions, [sizes[1], 1], role: "column")
    let everywhere = try apply(
      BroadcastTo(target: [sizes[1], sizes[2]]), to: column, role: "everywhere")
    let result = try apply(
      ScatterElements(axis: 0, reduction: reduction), [target, everywhere, parts], role: "scattered"
    )
    return try fixedReshape(result[0], shape, role: "")
  }

  private mutating func fixedReshape(
    _ value: SourceValue, _ shape: [Int], role: String
  ) throws(WeighbridgeError) -> SourceValue {
    try apply(ReshapeAxes(shape.map { .fixed($0) }), to: value, role: role)
  }

  /// Converts indices along the leading axes of a value to indices along the axis into which they
  /// can be merged.
  ///
  /// - Parameter indices: `[..., axes]`
  private func flatIndices(
    _ indices: Tensor, in value: SourceValue
  ) throws(WeighbridgeError) -> (indices: [Int], dimensions: [Int]) {
    let shape = type(value).shape
    guard let count = indices.shape.last, count >= 1, count <= shape.count else {
      throw malformed(
        "has indices of the shape \(indices.shape) for \(type(value)), and their last size can be 1 up to its "
          + "rank")
    }
    let dimensions = shape[..<count].compactMap(\.value)
    guard dimensions.count == count else {
      throw unsupported(
        "indexes axes of unknown size of \(type(value)), and only axes of known sizes can be read")
    }
    _ = try Checked.product(dimensions, of: "positions")
    let numbers = indices.wholeNumbers
    var flatIndices: [Int] = []
    for start in stride(from: 0, to: numbers.count, by: count) {
      var flatIndex = 0
      for (number, dimension) in zip(numbers[start..<start + count], dimensions) {
        guard (-dimension..<dimension).contains(number) else {
          throw malformed("has the index \(number), and there are \(dimension) elements")
        }
        flatIndex = flatIndex * dimension + (number < 0 ? number + dimension : number)
      }
      flatIndices.append(flatIndex)
    }
    return (flatIndices, dimensions)
  }

  /// Adds the slices of a value at constant indices along its leading axes.
  private mutating func gathered(
    _ value: SourceValue, _ indices: Tensor
  ) throws(WeighbridgeError) -> SourceValue {
    let (flatIndices, dimensions) = try flatIndices(indices, in: value)
    let type = type(value)
    let count = try Checked.product(dimensions, of: "a size")
    let sizes: [ReshapeAxes.Size] = [.fixed(count)] + keptSizes(type, dimensions.count..<type.rank)
    let flat = try apply(ReshapeAxes(sizes), to: value, role: "flat")
    let positions = Tensor(
      .int64, shape: Array(indices.shape.dropLast()), flatIndices.map(Double.init))
    return try apply(Gather(axis: 0), to: flat, newConstant(positions, "positions"))
  }

  /// Adds a value in which slices at constant indices along its leading axes are replaced. If an
  /// index occurs several times, the last update applies.
  ///
  /// - Parameter role: The role of the result in the file's node.
  package mutating func replacing(
    _ updates: SourceValue, in value: SourceValue, at indices: Tensor, role: String = ""
  ) throws(WeighbridgeError) -> SourceValue {
    let (flatIndices, dimensions) = try flatIndices(indices, in: value)
    if flatIndices.isEmpty { return value }
    let (type, updateType) = (type(value), type(updates))
    let rows = indices.shape.count - 1
    guard updateType.rank == rows + type.rank - dimensions.count else {
      throw malformed(
        "scatters \(updateType) into \(type), and their shapes do not fit the indices")
    }
    let count = try Checked.product(dimensions, of: "a size")
    try network.countConstant(TensorType(.int64, dimensions), byteCount: count)
    var sources = [Int](repeating: -1, count: count)
    for (update, index) in flatIndices.enumerated() { sources[index] = update }
    let trailing = dimensions.count..<type.rank
    let sizes: [ReshapeAxes.Size] =
      [.fixed(flatIndices.count)] + keptSizes(updateType, rows..<updateType.rank)
    let flat = try apply(ReshapeAxes(sizes), to: updates, role: "updates")
    let updateIndices = newConstant(
      Tensor(.int64, shape: [count], sources.map { Double(max(0, $0)) }), "positions")
    let gathered = try apply(Gather(axis: 0), to: flat, updateIndices, role: "gathered")
    let shaped = try apply(
      ReshapeAxes(
        dimensions.map { .fixed($0) }
          + trailing.map { axis in
            type.shape[axis].value.map { .fixed($0) } ?? .axis(axis - dimensions.count + 1)
          }), to: gathered, role: "parts")
    let isUpdated = newConstant(
      Tensor(
        .bool, shape: dimensions + trailing.map { _ in 1 }, sources.map { $0 < 0 ? 0 : 1 }),
      "is_new")
    return try apply(Where(), to: isUpdated, shaped, value, role: role)
  }
}
