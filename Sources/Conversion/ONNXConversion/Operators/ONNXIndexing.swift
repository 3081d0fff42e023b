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
    ONNXRow(BoxSelection.self) { (operation, builder) throws(WeighbridgeError) in
      let settings = [
        builder.integers([operation.maximumCount]),
        builder.numbers([operation.overlapThreshold], .float32),
      ]
      let threshold = operation.scoreThreshold.map { [builder.numbers([$0], .float32)] } ?? []
      return builder.add(
        "NonMaxSuppression", builder.allInputs() + settings + threshold,
        ["center_point_box": .integer(operation.isCentered ? 1 : 0)])
    },
    ONNXRow(Fill.self) { (operation, builder) throws(WeighbridgeError) in
      let value = Tensor(operation.elementType, shape: [], [operation.value])
      return builder.add("Expand", [builder.constant(value), builder.input()])
    },
    ONNXRow(NonZero.self, is: "NonZero"),
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
    "Compress": { (layer) throws(WeighbridgeError) in [try layer.compressed()] },
    "GatherElements": { (layer) throws(WeighbridgeError) in
      let (input, indices) = (try layer.input(0), try layer.input(1))
      let axis = try layer.axis(of: input, default: 0)
      return try layer.apply(GatherElements(axis: axis), [input, indices])
    },
    "NonMaxSuppression": { (layer) throws(WeighbridgeError) in [try layer.selectedBoxes()] },
    "NonZero": unary { NonZero() },
    "OneHot": { (layer) throws(WeighbridgeError) in
      let (indices, depthValue, valuePair) = (
        try layer.input(0), try layer.input(1), try layer.input(2)
      )
      let rank = layer.type(indices).rank + 1
      let axis = try layer.axis(try layer.integer("axis", default: -1), rank: rank)
      guard let depth = depthValue.tensor?.integers.first, depth >= 0,
        let values = valuePair.tensor, values.count == 2
      else {
        return [try layer.computedOneHot(indices, depth: depthValue, valuePair, axis: axis)]
      }
      let (off, on) = (values.doubles[0], values.doubles[1])
      let operation = OneHot(
        axis: axis, depth: depth, on: on, off: off, elementType: values.elementType)
      return [try layer.apply(operation, to: try layer.nonNegative(indices, below: depth))]
    },
    "TopK": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axis = try layer.axis(of: input, default: -1)
      let isDescending = try layer.flag("largest", default: true)
      layer.ignore("sorted")
      if let limit = try layer.computedLimit(ofTopKAlong: axis, of: input) {
        let sort = Sort(axis: axis, isDescending: isDescending, count: nil)
        let sorted = try layer.apply(sort, [input], role: "sorted")
        let parts = try layer.leading(sorted, along: axis, count: limit)
        return [parts[0], try layer.apply(Cast(to: .int64), to: parts[1], role: "indices/int64")]
      }
      let count = try layer.count(ofTopKAlong: axis, of: input)
      let sort = Sort(axis: axis, isDescending: isDescending, count: count)
      let outputs = try layer.apply(sort, [input])
      return [
        outputs[0], try layer.apply(Cast(to: .int64), to: outputs[1], role: "indices"),
      ]
    },
    "Unique": { (layer) throws(WeighbridgeError) in try layer.uniqueElements() },
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

  /// Returns the number of elements that a TopK takes, if only the model's run tells and it is not all.
  fileprivate func computedLimit(
    ofTopKAlong axis: Int, of input: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue? {
    guard let limit = try optional(1), limit.tensor == nil else { return nil }
    if case .computed(let id) = input, limit.dimensions == [.axis(id, axis, times: 1)] {
      return nil
    }
    return limit
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
