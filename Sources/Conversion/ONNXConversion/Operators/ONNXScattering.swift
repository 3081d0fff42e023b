import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Elements at positions that several indices give, gathered and scattered.
enum ONNXScattering: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(native: ScatterElements.self) { (operation, builder) throws(WeighbridgeError) in
      // Before opset 18 ONNX has no extremes, and before 16 no reduction at all.
      let opset =
        switch operation.reduction {
        case .none: 11
        case .add, .multiply: 16
        case .maximum, .minimum: 18
        }
      guard builder.opset >= opset else { return nil }
      let inputs = [builder.input(), builder.indices(1), builder.input(2)]
      let axis = ONNXAttribute.integer(operation.axis)
      // The attribute is as old as its values other than none.
      return operation.reduction == .none
        ? builder.add("ScatterElements", inputs, ["axis": axis])
        : builder.add(
          "ScatterElements", inputs,
          ["axis": axis, "reduction": .string(operation.reduction.rawValue)])
    }
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "GatherND": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      let batchAxes = try layer.integer("batch_dims", default: 0)
      let type = layer.type(indices)
      guard let count = type.shape.last?.value, count >= 1, batchAxes >= 0, batchAxes < type.rank,
        batchAxes + count <= layer.type(input).rank
      else {
        throw layer.malformed(
          "gathers from \(layer.type(input)) by indices \(type) after \(batchAxes.counted("axis")) of batches, "
            + "which do not fit")
      }
      if batchAxes == 0, count > 1, let tensor = indices.tensor {
        return [try layer.gathered(input, tensor)]
      }
      let (flat, positions) = try layer.merged(input, indices, after: batchAxes)
      return try layer.apply(Gather(axis: batchAxes, batchAxes: batchAxes), [flat, positions])
    },
    "Scatter": scatterElements,
    "ScatterElements": scatterElements,
    "ScatterND": { (layer) throws(WeighbridgeError) in
      let reduction = try layer.reduction()
      let (input, updates) = (try layer.input(0), try layer.input(2))
      guard reduction == .none, try layer.input(1).tensor != nil else {
        return [try layer.scattered(input, try layer.input(1), updates, reduction)]
      }
      return [try layer.scattered(input, updates)]
    },
    "TensorScatter": { (layer) throws(WeighbridgeError) in [try layer.cacheUpdated()] },
  ]

  private static let scatterElements: ONNXLayer.Build = { (layer) throws(WeighbridgeError) in
    let input = try layer.input()
    let axis = try layer.axis(of: input, default: 0)
    let operation = ScatterElements(axis: axis, reduction: try layer.reduction())
    return try layer.apply(operation, [input, try layer.input(1), try layer.input(2)])
  }
}

extension ONNXLayer {
  /// Reads what becomes of an element and its updates.
  fileprivate mutating func reduction() throws(WeighbridgeError) -> ScatterElements.Reduction {
    let name = try string("reduction", default: "none")
    guard let reduction = ScatterElements.Reduction(rawValue: name) else {
      throw malformed("has the reduction \(name), and none, add, mul, max or min is expected")
    }
    return reduction
  }

  /// Merges the axes that index vectors refer to, and each vector into one index.
  ///
  /// - Parameters:
  ///   - indices: `[..., axes]`
  ///   - batchAxes: How many leading axes both values share.
  fileprivate mutating func merged(
    _ value: ONNXValue, _ indices: ONNXValue, after batchAxes: Int
  ) throws(WeighbridgeError) -> (value: ONNXValue, indices: ONNXValue) {
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
  fileprivate mutating func scattered(
    _ value: ONNXValue, _ indices: ONNXValue, _ updates: ONNXValue,
    _ reduction: ScatterElements.Reduction
  ) throws(WeighbridgeError) -> ONNXValue {
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
    let target = try reshaped(value, [sizes[0], sizes[2]], role: "rows")
    let parts = try reshaped(updates, [sizes[1], sizes[2]], role: "updates")
    let column = try reshaped(positions, [sizes[1], 1], role: "column")
    let everywhere = try apply(
      BroadcastTo(target: [sizes[1], sizes[2]]), to: column, role: "everywhere")
    let result = try apply(
      ScatterElements(axis: 0, reduction: reduction), [target, everywhere, parts], role: "scattered"
    )
    return try reshaped(result[0], shape, role: "")
  }

  private mutating func reshaped(
    _ value: ONNXValue, _ shape: [Int], role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    try apply(ReshapeAxes(shape.map { .fixed($0) }), to: value, role: role)
  }

  /// Adds a cache in which new elements are written from an index on, which each of the batch has.
  fileprivate mutating func cacheUpdated() throws(WeighbridgeError) -> ONNXValue {
    let (cache, update) = (try input(0), try input(1))
    let axis = try self.axis(of: cache, default: -2)
    let mode = try string("mode", default: "linear")
    guard ["linear", "circular"].contains(mode), axis > 0 else {
      throw malformed(
        "has mode=\(mode) along axis \(axis), and linear or circular and not 0 are expected")
    }
    guard let shape = type(update).fixedShape, shape.count == type(cache).rank,
      let capacity = type(cache).shape[axis].value
    else {
      throw unsupported(
        "writes \(type(update)) into a cache \(type(cache)), and only known sizes can be read")
    }
    var ones = [Int](repeating: 1, count: shape.count)
    ones[axis] = shape[axis]
    let steps = newConstant(
      Tensor(.int64, shape: ones, (0..<shape[axis]).map(Double.init)), "steps")
    var places = steps
    if let starts = try optional(2) {
      let column = try apply(
        ExpandDims(axes: Array(1..<shape.count)),
        to: try apply(
          Cast(to: .int64), to: starts, role: "starts"), role: "column")
      places = try apply(Add(), to: column, steps, role: "places")
    }
    if mode == "circular" {
      places = try apply(
        BinaryMath(.floorModulo), to: places, number(Double(capacity), like: places, "capacity"),
        role: "turned")
    }
    let indices = try apply(BroadcastTo(target: shape), to: places, role: "indices")
    return try apply(
      ScatterElements(axis: axis, reduction: .none), [cache, indices, update])[0]
  }

  /// Converts indices along the leading axes of a value to indices along the axis into which they
  /// can be merged.
  ///
  /// - Parameter indices: `[..., axes]`
  private func flatIndices(
    _ indices: Tensor, in value: ONNXValue
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
    let numbers = indices.integers
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
  fileprivate mutating func gathered(
    _ value: ONNXValue, _ indices: Tensor
  ) throws(WeighbridgeError) -> ONNXValue {
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
  fileprivate mutating func scattered(
    _ value: ONNXValue, _ updates: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue {
    guard let indices = try constant(1) else {
      throw malformed(
        "has indices that are known only when the model runs, and only constant ones can be read")
    }
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
    return try apply(Where(), to: isUpdated, shaped, value)
  }
}
