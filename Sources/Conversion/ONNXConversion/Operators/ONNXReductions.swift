import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Reductions.
enum ONNXReductions: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(native: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.axes.isEmpty else {
        throw .unsupported("reduces along no axis, and ONNX can along one or more")
      }
      return try builder.reduction(operation)
    },
    ONNXRow(CumSum.self) { (operation, builder) throws(WeighbridgeError) in
      builder.add(
        "CumSum", [builder.input(), builder.number(Double(operation.axis), .int64)],
        [
          "exclusive": .integer(operation.isExclusive ? 1 : 0),
          "reverse": .integer(operation.isReversed ? 1 : 0),
        ])
    },
  ]

  /// The functions that are a single ONNX operator each.
  fileprivate static let functions: [String: Reduce.Function] = [
    "ReduceL2": .l2Norm, "ReduceMax": .maximum, "ReduceMean": .mean, "ReduceMin": .minimum,
    "ReduceProd": .product, "ReduceSum": .sum,
  ]

  private static func reducing(_ function: Reduce.Function) -> ONNXLayer.Build {
    { (layer) throws(WeighbridgeError) in try layer.reduce(function) }
  }

  static let nodes = [String: ONNXLayer.Build](families: [
    special, functions.mapValues(reducing), ["ReduceLogSumExp": reducing(.logSumExp)],
  ])

  private static let special: [String: ONNXLayer.Build] = [
    "ArgMax": { (layer) throws(WeighbridgeError) in try layer.argumentReduction(ArgMax.self) },
    "ArgMin": { (layer) throws(WeighbridgeError) in try layer.argumentReduction(ArgMin.self) },
    "CumProd": { (layer) throws(WeighbridgeError) in
      try layer.cumulative(CumProd.init(axis:isExclusive:isReversed:))
    },
    "CumSum": { (layer) throws(WeighbridgeError) in
      try layer.cumulative(CumSum.init(axis:isExclusive:isReversed:))
    },
    "ReduceL1": { (layer) throws(WeighbridgeError) in
      try layer.reduce(.sum) { (layer, value) throws(WeighbridgeError) in
        try layer.apply(UnaryMath(.absolute), to: value, role: "absolute")
      }
    },
    "ReduceLogSum": { (layer) throws(WeighbridgeError) in
      try layer.reduce(.sum, role: "sum").map { (sum) throws(WeighbridgeError) in
        try layer.apply(UnaryMath(.logarithm), to: sum)
      }
    },
    "ReduceProd": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      if input.tensor == nil, case .dimensions(let dimensions, true, let type) = input,
        let product = ONNXDimension.product(of: dimensions)
      {
        layer.ignore("axes", "noop_with_empty_axes")
        return [
          .dimensions([product], isList: try layer.flag("keepdims", default: true), as: type)
        ]
      }
      return try layer.reduce(.product)
    },
    "ReduceSumSquare": { (layer) throws(WeighbridgeError) in
      try layer.reduce(.sum) { (layer, value) throws(WeighbridgeError) in
        try layer.apply(UnaryMath(.square), to: value, role: "square")
      }
    },
  ]
}

extension ONNXGraphBuilder {
  fileprivate mutating func reduction(
    _ operation: Reduce
  ) throws(WeighbridgeError) -> String? {
    let (x, axes, keepDims) = (input(), operation.axes, operation.keepDims)
    if let result = try wrappedReduction(operation) { return result }
    let node = ONNXReductions.functions.first { $0.value == operation.function }
    if let node { return reduce(node.key, x, axes, keepDims: keepDims) }
    guard [.any, .all].contains(operation.function) else { return nil }
    let name = operation.function == .any ? "ReduceMax" : "ReduceMin"
    return cast(reduce(name, cast(x, to: .int32), axes, keepDims: keepDims), to: .bool)
  }

  /// Adds a sum or product of integers, which wraps around as the graph's; ONNX leaves open what is
  /// beyond the type, and onnxruntime limits a reduction to it, but neither a conversion nor a product
  /// of two tensors.
  private mutating func wrappedReduction(
    _ operation: Reduce
  ) throws(WeighbridgeError) -> String? {
    let (type, axes) = (self.type(), operation.axes)
    let (isSum, isProduct) = (operation.function == .sum, operation.function == .product)
    guard type.elementType.isInteger, isSum || isProduct else { return nil }
    if isProduct {
      let sizes = axes.compactMap { type.shape[$0].value }
      guard sizes.count == axes.count else {
        throw .unsupported(
          "multiplies integers along an axis of unknown size (\(type)), and ONNX leaves open what is "
            + "beyond their type; a stated size makes it products of two")
      }
      if sizes.contains(0) { return nil }
      var value = input()
      for (axis, size) in zip(axes, sizes) { value = product(value, along: axis, size: size) }
      return operation.keepDims ? value : squeeze(value, axes)
    }
    guard type.elementType.byteCount < 8 else { return nil }
    let wide = reduce(
      "ReduceSum", cast(input(), to: .int64), axes, keepDims: operation.keepDims)
    return cast(wide, to: type.elementType)
  }

  /// Adds the product of the elements along an axis, whose size becomes 1: that of one half with the
  /// other, again and again.
  private mutating func product(
    _ value: String, along axis: Int, size: Int
  ) -> String {
    var (value, size) = (value, size)
    while size > 1 {
      let half = size / 2
      var parts = [
        add(
          "Mul",
          [
            slice(value, axes: [axis], from: [0], to: [half]),
            slice(value, axes: [axis], from: [half], to: [2 * half]),
          ])
      ]
      if size % 2 == 1 {
        parts.append(slice(value, axes: [axis], from: [size - 1], to: [size]))
      }
      value = concatenate(parts, axis: axis)
      size -= half
    }
    return value
  }
}

extension ONNXLayer {
  /// Adds the sums or products of all elements up to each.
  fileprivate mutating func cumulative(
    _ operation: (Int, Bool, Bool) -> any CatalogOperator
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    guard let axis = try constant(1)?.integers.first else {
      throw malformed("has no axis, which the second input of a \(node.operation) gives")
    }
    return [
      try apply(
        operation(
          try self.axis(axis, rank: type(input).rank), try flag("exclusive"), try flag("reverse")),
        to: input)
    ]
  }

  fileprivate mutating func reduce(
    _ function: Reduce.Function, role: String = "",
    _ prepare: (inout ONNXLayer, ONNXValue) throws(WeighbridgeError) -> ONNXValue = {
      (_, value) throws(WeighbridgeError) in value
    }
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let input = try prepare(&self, try input())
    let rank = type(input).rank
    let rawAxes = try integers(1, orAttribute: "axes") ?? []
    let isNoOpWithoutAxes = try flag("noop_with_empty_axes")
    let keepDims = try flag("keepdims", default: true)
    if rawAxes.isEmpty, isNoOpWithoutAxes { return [input] }
    let axes = try axes(rawAxes.isEmpty ? Array(0..<rank) : rawAxes, rank: rank)
    // A reduction over all spatial axes of an image is a global pooling layer.
    if !keepDims, let layout = imageLayout(axes, rank: rank), type(input).elementType.isFloat {
      if function == .mean {
        return try apply(
          GlobalAveragePooling(keepDims: false, layout: layout), [input], role: role)
      }
      if function == .maximum {
        return try apply(GlobalMaxPooling(keepDims: false, layout: layout), [input], role: role)
      }
    }
    let isBoolean = type(input).elementType == .bool
    let ofBooleans: [Reduce.Function: Reduce.Function] = [.maximum: .any, .minimum: .all]
    let chosen = isBoolean ? ofBooleans[function] ?? function : function
    return [try apply(Reduce(chosen, axes: axes, keepDims: keepDims), to: input, role: role)]
  }

  /// Returns the layout in which the axes are exactly the spatial ones.
  private func imageLayout(_ axes: [Int], rank: Int) -> DataLayout? {
    guard rank >= 3 else { return nil }
    return DataLayout.allCases.first { Array($0.spatialAxes(rank: rank)) == axes }
  }

  fileprivate mutating func argumentReduction<Operation: ArgumentReduction>(
    _: Operation.Type
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let input = try input()
    let selectsLast = try flag("select_last_index")
    let axis = try axis(of: input, default: 0)
    let operation = Operation(
      axis: axis, keepDims: try flag("keepdims", default: true), elementType: .int64)
    guard selectsLast else { return [try apply(operation, to: input)] }
    // The last of equal elements is the first from the end.
    guard let dimension = type(input).shape[axis].value else {
      throw unsupported(
        "has select_last_index=1 along an axis of unknown size, and only a known size can be read")
    }
    let reversed = try apply(Reverse(axes: [axis]), to: input, role: "reversed")
    let fromEnd = try apply(operation, to: reversed, role: "from_end")
    let last = number(Double(dimension - 1), like: fromEnd, "last")
    return [try apply(Subtract(), to: last, fromEnd)]
  }
}
