import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension MILIndexing {
  static let nodes: [String: MILLayer.Build] = [
    "gather": { (layer) throws(WeighbridgeError) in [try layer.gathered()] },
    "gather_along_axis": { (layer) throws(WeighbridgeError) in
      layer.ignore("validate_indices")
      let (input, indices) = (try layer.input(), try layer.input("indices"))
      let operation = GatherElements(axis: try layer.axis(of: input, default: 0))
      return [try layer.apply(operation, to: input, indices)]
    },
    "gather_nd": { (layer) throws(WeighbridgeError) in
      layer.ignore("validate_indices")
      let (input, indices) = (try layer.input(), try layer.input("indices"))
      return [
        try layer.gathered(
          input, at: indices, batchAxes: try layer.integer("batch_dims", default: 0))
      ]
    },
    "non_zero": { (layer) throws(WeighbridgeError) in
      let found = try layer.apply(NonZero(), to: try layer.input(), role: "columns")
      let rows = try layer.transposed(found, [1, 0], role: "rows")
      return [try layer.apply(Cast(to: .int32), to: rows)]
    },
    "one_hot": { (layer) throws(WeighbridgeError) in
      let indices = try layer.input("indices")
      let (on, off) = (try layer.constant("on_value"), try layer.constant("off_value"))
      let operation = OneHot(
        axis: try layer.axis(
          try layer.integer("axis", default: -1), rank: layer.type(indices).rank + 1),
        depth: try layer.integer("one_hot_vector_size"), on: on?.doubles.first ?? 1,
        off: off?.doubles.first ?? 0, elementType: (on ?? off)?.elementType ?? .int32)
      return [try layer.apply(operation, to: indices)]
    },
    "argsort": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let operation = Sort(
        axis: try layer.axis(of: input, default: -1), isDescending: !(try layer.flag("ascending")))
      let type = try layer.indexType("output_dtype")
      return [try layer.positions(try layer.apply(operation, [input])[1], type)]
    },
    "topk": { (layer) throws(WeighbridgeError) in
      layer.ignore("sort", "return_indices")
      let type = try layer.indexType("output_indices_dtype")
      let input = try layer.input()
      let operation = Sort(
        axis: try layer.axis(of: input, default: -1),
        isDescending: !(try layer.flag("ascending")), count: try layer.integer("k", default: 1))
      let results = try layer.apply(operation, [input])
      return [results[0], try layer.positions(results[1], type)]
    },
    "range_1d": { (layer) throws(WeighbridgeError) in
      [
        try layer.range(
          from: try layer.input("start"), to: try layer.input("end"), by: try layer.input("step"),
          role: "")
      ]
    },
  ]
}

extension MILLayer {
  /// The type of indices that an operation gives.
  fileprivate mutating func indexType(_ name: String) throws(WeighbridgeError) -> ElementType {
    let types: [String: ElementType] = ["int16": .int16, "int32": .int32, "uint16": .uint16]
    let text = try self.text(name, default: "int32")
    guard let type = types[text] else {
      throw malformed("gives indices of \(text), expected int16, uint16 or int32")
    }
    return type
  }

  /// Indices of int32 as those of a type.
  fileprivate mutating func positions(
    _ value: SourceValue, _ elementType: ElementType
  ) throws(WeighbridgeError) -> SourceValue {
    type(value).elementType == elementType
      ? value : try apply(Cast(to: elementType), to: value, role: "indices")
  }

  fileprivate mutating func gathered() throws(WeighbridgeError) -> SourceValue {
    ignore("validate_indices")
    let (input, indices) = (try input(), try input("indices"))
    let batch = try integer("batch_dims", default: 0)
    if input.tensor == nil, let sizes = input.dimensions, let tensor = indices.tensor {
      _ = try integer("axis", default: 0)
      let positions = tensor.wholeNumbers.map { $0 < 0 ? $0 + sizes.count : $0 }
      guard positions.allSatisfy(sizes.indices.contains), tensor.shape.count <= 1 else {
        throw malformed("takes the sizes at \(positions), and there are \(sizes.count)")
      }
      return .dimensions(
        positions.map { sizes[$0] }, isList: tensor.shape.count == 1, as: type(input).elementType)
    }
    let axis = try axis(of: input, default: 0)
    let shared = batch < 0 ? batch + type(indices).rank : batch
    if axis == 0, shared == 0, input.tensor != nil, indices.tensor == nil, type(input).rank == 2,
      type(input).elementType.isFloat
    {
      return try apply(Embedding(), to: indices, input)
    }
    return try apply(Gather(axis: axis, batchAxes: shared), to: input, indices)
  }
}

extension MILReductions {
  static let nodes = [String: MILLayer.Build](families: [
    [
      "reduce_l2_norm": Reduce.Function.l2Norm, "reduce_log_sum_exp": .logSumExp,
      "reduce_max": .maximum, "reduce_mean": .mean, "reduce_min": .minimum,
      "reduce_prod": .product, "reduce_sum": .sum,
    ].mapValues(reducing), others,
  ])

  private static func reducing(_ function: Reduce.Function) -> MILLayer.Build {
    { (layer) throws(WeighbridgeError) in
      [try layer.reduced(function, try layer.input(), role: "")]
    }
  }

  private static let others: [String: MILLayer.Build] = [
    "reduce_l1_norm": { (layer) throws(WeighbridgeError) in
      let sizes = try layer.apply(
        UnaryMath(.absolute), to: try layer.input(), role: "magnitudes")
      return [try layer.reduced(.sum, sizes, role: "")]
    },
    "reduce_sum_square": { (layer) throws(WeighbridgeError) in
      let squares = try layer.apply(UnaryMath(.square), to: try layer.input(), role: "squares")
      return [try layer.reduced(.sum, squares, role: "")]
    },
    "reduce_log_sum": { (layer) throws(WeighbridgeError) in
      let sum = try layer.reduced(.sum, try layer.input(), role: "sum")
      return [try layer.apply(UnaryMath(.logarithm), to: sum)]
    },
    "reduce_argmax": { (layer) throws(WeighbridgeError) in
      let (input, axis, keeps) = try layer.argument()
      let type = try layer.indexType("output_dtype")
      return [try layer.apply(ArgMax(axis: axis, keepDims: keeps, elementType: type), to: input)]
    },
    "reduce_argmin": { (layer) throws(WeighbridgeError) in
      let (input, axis, keeps) = try layer.argument()
      let type = try layer.indexType("output_dtype")
      return [try layer.apply(ArgMin(axis: axis, keepDims: keeps, elementType: type), to: input)]
    },
    "cumsum": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let operation = CumSum(
        axis: try layer.axis(of: input, default: 0), isExclusive: try layer.flag("exclusive"),
        isReversed: try layer.flag("reverse"))
      return [try layer.apply(operation, to: input)]
    },
  ]
}

extension MILLayer {
  fileprivate mutating func reduced(
    _ function: Reduce.Function, _ value: SourceValue, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let rank = type(value).rank
    let axes = try axes(try integers("axes") ?? Array(0..<rank), rank: rank)
    let keeps = try flag("keep_dims")
    if function == .product, !keeps, axes == [0], let product = productOfSizes(value) {
      return product
    }
    return try apply(Reduce(function, axes: axes, keepDims: keeps), to: value, role: role)
  }

  fileprivate mutating func argument() throws(WeighbridgeError) -> (SourceValue, Int, Bool) {
    let input = try input()
    return (input, try axis(of: input, default: -1), try flag("keep_dims"))
  }
}
