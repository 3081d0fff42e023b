import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Gathering, scattering, sorting, arg max and arg min.
enum ONNXIndexing: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(
      NonMaxSuppression.self,
      unsupported: "chooses among boxes by their best class, and ONNX can class by class only"),
    ONNXRow(Gather.self) { (operation, builder) throws(WeighbridgeError) in
      let indices = builder.indices(1)
      guard operation.batchAxes > 0 else {
        return builder.add(
          "Gather", [builder.input(), indices], ["axis": .integer(operation.axis)])
      }
      guard operation.axis == operation.batchAxes else {
        throw .unsupported(
          "gathers along axis \(operation.axis) in batches of \(operation.batchAxes.counted("axis")), and ONNX can gather "
            + "along the axis after the batch")
      }
      let indexVectors = builder.unsqueeze(indices, [builder.type(1).rank])
      return builder.add(
        "GatherND", [builder.input(), indexVectors], ["batch_dims": .integer(operation.batchAxes)])
    },
    ONNXRow(GatherElements.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add(
        "GatherElements", [builder.input(), builder.indices(1)],
        ["axis": .integer(operation.axis)])
    },
    ONNXRow(outputsOf: Sort.self) { (operation, builder) throws(WeighbridgeError) in
      let (input, axis) = (builder.input(), operation.axis)
      let count =
        operation.count.map { builder.integers([$0]) }
        ?? builder.dimensions(input, builder.type(), axis..<axis + 1)
      let outputs = builder.add(
        "TopK", [input, count],
        ["axis": .integer(axis), "largest": .integer(operation.isDescending ? 1 : 0)],
        outputCount: 2)
      return [outputs[0], builder.cast(outputs[1], to: .int32)]
    },
    ONNXRow(ArgMax.self) { (operation, builder) throws(WeighbridgeError) in
      builder.argumentReduction("ArgMax", operation)
    },
    ONNXRow(ArgMin.self) { (operation, builder) throws(WeighbridgeError) in
      builder.argumentReduction("ArgMin", operation)
    },
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "GatherElements": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      let axis = try layer.axis(of: input, default: 0)
      return try layer.apply(GatherElements(axis: axis), [input, indices])
    },
    "GatherND": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      let batchAxes = try layer.integer("batch_dims", default: 0)
      let type = layer.type(indices)
      if batchAxes == 0, let tensor = indices.tensor, (type.shape.last?.value ?? 1) != 1 {
        return [try layer.gathered(input, tensor)]
      }
      guard let count = type.shape.last?.value, count == 1, batchAxes >= 0,
        batchAxes < layer.type(input).rank
      else {
        throw layer.unsupported(
          "gathers by indices \(type), and only indices of one axis can be read")
      }
      let flat = try layer.apply(Squeeze(axes: [type.rank - 1]), to: indices, role: "indices")
      return try layer.apply(Gather(axis: batchAxes, batchAxes: batchAxes), [input, flat])
    },
    "OneHot": { (layer) throws(WeighbridgeError) in
      let indices = try layer.input(0)
      guard let depth = try layer.constant(1)?.integers.first, depth >= 0,
        let values = try layer.constant(2), values.count == 2
      else {
        throw layer.malformed(
          "has a depth or values that are not constant, and only a constant depth and two constant values can "
            + "be read")
      }
      let rank = layer.type(indices).rank + 1
      let axis = try layer.axis(try layer.integer("axis", default: -1), rank: rank)
      let (off, on) = (values.doubles[0], values.doubles[1])
      let operation = OneHot(
        axis: axis, depth: depth, on: on, off: off, elementType: values.elementType)
      return [try layer.apply(operation, to: try layer.nonNegative(indices, below: depth))]
    },
    "ScatterND": { (layer) throws(WeighbridgeError) in
      let reduction = try layer.string("reduction", default: "none")
      guard reduction == "none" else {
        throw layer.unsupported(
          "has the reduction \(reduction), and only replaced elements (none) can be read")
      }
      return [try layer.scattered(try layer.input(0), try layer.input(2))]
    },
    "TopK": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axis = try layer.axis(of: input, default: -1)
      let isDescending = try layer.flag("largest", default: true)
      layer.ignore("sorted")
      let count = try layer.count(ofTopKAlong: axis, of: input)
      let sort = Sort(axis: axis, isDescending: isDescending, count: count)
      let outputs = try layer.apply(sort, [input])
      return [
        outputs[0], try layer.apply(Cast(to: .int64), to: outputs[1], role: "indices"),
      ]
    },
  ]
}

extension ONNXGraphBuilder {
  /// Adds the index of the largest or smallest element, which ONNX returns as int64.
  fileprivate mutating func argumentReduction(
    _ name: String, _ operation: some ArgumentReduction
  ) -> String {
    let index = add(
      name, [input()],
      ["axis": .integer(operation.axis), "keepdims": .integer(operation.keepDims ? 1 : 0)])
    return operation.elementType == .int64 ? index : cast(index, to: operation.elementType)
  }
}

extension ONNXLayer {
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

  /// Converts negative indices, which count from the end, by adding the size of the axis.
  fileprivate mutating func nonNegative(
    _ indices: ONNXValue, below count: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    let isFloat = type(indices).elementType.isFloat
    let indices = isFloat ? try apply(Cast(to: .int64), to: indices, role: "whole") : indices
    let signed: [ElementType] = [.int8, .int16, .int32, .int64]
    guard signed.contains(type(indices).elementType) else { return indices }
    let zero = number(0, like: indices, "zero")
    let depth = number(Double(count), like: indices, "depth")
    let isNegative = try apply(Comparison(.less), to: indices, zero, role: "is_negative")
    let sum = try apply(Add(), to: indices, depth, role: "from_end")
    return try apply(Where(), to: isNegative, sum, indices, role: "indices")
  }

  /// Reads the number of elements that a `TopK` keeps; `nil` for all elements of an axis of unknown
  /// size.
  fileprivate mutating func count(
    ofTopKAlong axis: Int, of input: ONNXValue
  ) throws(WeighbridgeError) -> Int? {
    if case .computed(let id) = input, try optional(1)?.dimensions == [.axis(id, axis, times: 1)] {
      return nil
    }
    let count =
      has("k") ? try integer("k", default: 0) : try constant(1)?.integers.first ?? -1
    guard count >= 0 else {
      throw malformed(
        "takes the largest \(count.counted("element")), and a number of 0 or more is expected")
    }
    return count
  }
}
