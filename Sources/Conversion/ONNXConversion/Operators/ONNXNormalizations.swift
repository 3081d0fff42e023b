import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Normalizations.
enum ONNXNormalizations: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(BatchNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.batchNormalization(operation)
    },
    ONNXRow(native: LayerNormalization.self) { (operation, builder) in
      guard builder.opset >= 17, operation.normalizesLastAxes(rank: builder.type().rank),
        operation.hasScale
      else { return nil }
      return builder.add(
        "LayerNormalization", builder.allInputs(),
        ["axis": .integer(operation.axes[0]), "epsilon": .float(operation.epsilon)])
    },
    ONNXRow(native: RMSNormalization.self) { (operation, builder) in
      let rank = builder.type().rank
      guard builder.opset >= 23, operation.denominator == .meanSquare,
        operation.axes == Array(rank - operation.axes.count..<rank)
      else { return nil }
      return builder.add(
        "RMSNormalization", builder.allInputs(),
        ["axis": .integer(operation.axes[0]), "epsilon": .float(operation.epsilon)])
    },
    ONNXRow(native: LocalResponseNormalization.self) { (operation, builder) in
      let size = operation.before + operation.after + 1
      guard operation.omitted == nil, operation.axis == 1, builder.type().rank >= 3,
        operation.before == (size - 1) / 2
      else { return nil }
      return builder.add(
        "LRN", [builder.input()],
        [
          "alpha": .float(operation.alpha * Double(size)), "beta": .float(operation.beta),
          "bias": .float(operation.bias), "size": .integer(size),
        ])
    },
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "BatchNormalization": { (layer) throws(WeighbridgeError) in
      let epsilon = try layer.float("epsilon", default: 1e-5)
      let momentum = try layer.float("momentum", default: 0.9).shortestFloat32
      layer.ignore("is_test")
      let isSpatial = try layer.flag("spatial", default: true)
      if try layer.flag("training_mode") {
        return try layer.batchStatistics(epsilon: epsilon, momentum: momentum)
      }
      guard layer.node.outputs.dropFirst().allSatisfy(\.isEmpty) else {
        throw layer.unsupported(
          "gives the statistics of its batch, as training did before opset 14, and only those of training_mode=1 can "
            + "be read")
      }
      guard isSpatial else { return [try layer.elementNormalization(epsilon: epsilon)] }
      let operation = BatchNormalization(
        axis: 1, epsilon: epsilon, hasScale: true, hasCenter: true,
        momentum: (0...1).contains(momentum) ? momentum : nil)
      return try layer.apply(operation, try layer.allInputs())
    },
    "GroupNormalization": { (layer) throws(WeighbridgeError) in
      let epsilon = try layer.float("epsilon", default: 1e-5)
      layer.ignore("stash_type")
      guard let groups = try layer.integer("num_groups"), groups >= 1 else {
        throw layer.malformed("has no num_groups of 1 or more")
      }
      var values = try layer.allInputs()
      if layer.opset < 21 { try layer.repeatForChannels(&values, groups: groups) }
      let operation = GroupNormalization(
        groups: groups, axis: 1, epsilon: epsilon, hasScale: true, hasCenter: true)
      return try layer.apply(operation, values)
    },
    "InstanceNormalization": { (layer) throws(WeighbridgeError) in
      let epsilon = try layer.float("epsilon", default: 1e-5)
      let values = try layer.allInputs()
      guard let first = values.first, layer.type(first).rank >= 2,
        let channels = layer.type(first).shape[1].value
      else {
        throw layer.unsupported(
          "normalizes an unknown number of channels, and only a known number can be read")
      }
      let operation = GroupNormalization(
        groups: channels, axis: 1, epsilon: epsilon, hasScale: true, hasCenter: true)
      return try layer.apply(operation, values)
    },
    "LRN": { (layer) throws(WeighbridgeError) in
      guard let size = try layer.integer("size"), size >= 1 else {
        throw layer.malformed("has no size, the number of channels that an LRN sums over")
      }
      let operation = LocalResponseNormalization(
        axis: 1, before: (size - 1) / 2, after: size / 2,
        alpha: try layer.float("alpha", default: 0.0001) / Double(size),
        beta: try layer.float("beta", default: 0.75), bias: try layer.float("bias", default: 1),
        omitted: nil)
      return [try layer.apply(operation, to: try layer.input())]
    },
    "LayerNormalization": { (layer) throws(WeighbridgeError) in
      var values = try layer.allInputs()
      layer.ignore("stash_type")
      let first = try layer.input()
      let rank = layer.type(first).rank
      let axis = try layer.axis(of: first, default: -1)
      let shape = layer.type(first).shape[axis...].compactMap(\.value)
      for position in values.indices.dropFirst() {
        guard let weightShape = values[position].tensor?.shape, weightShape != shape,
          weightShape.count <= shape.count,
          zip(weightShape.reversed(), shape.reversed()).allSatisfy({ $0 == 1 || $0 == $1 }),
          shape.count == rank - axis
        else { continue }
        values[position] = try layer.derived(values[position], "whole") { tensor in
          let ones = [Int](repeating: 1, count: shape.count - weightShape.count)
          return tensor.reshaped(ones + weightShape).broadcast(to: shape)
        }
      }
      let operation = LayerNormalization(
        axes: Array(axis..<rank), epsilon: try layer.float("epsilon", default: 1e-5),
        hasScale: true, hasCenter: values.count > 2)
      let outputs = try layer.apply(operation, values)
      guard layer.node.outputs.dropFirst().contains(where: { !$0.isEmpty }) else { return outputs }
      return try outputs + layer.statistics(first, operation)
    },
    "LpNormalization": { (layer) throws(WeighbridgeError) in
      let power = try layer.integer("p", default: 2)
      let input = try layer.input()
      let axis = try layer.axis(of: input, default: -1)
      guard (1...2).contains(power) else {
        throw layer.malformed("normalizes by the norm p=\(power), and 1 or 2 is expected")
      }
      return [try layer.normalized(input, power: power, axis: axis)]
    },
    "MeanVarianceNormalization": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let axes = try layer.axes(
        try layer.integers("axes") ?? [0, 2, 3], rank: layer.type(input).rank)
      // The epsilon of 1e-9 is added to the standard deviation.
      let mean = try layer.apply(
        Reduce(.mean, axes: axes, keepDims: true), to: input, role: "mean")
      let distance = try layer.apply(Subtract(), to: input, mean, role: "distance")
      let square = try layer.apply(UnaryMath(.square), to: distance, role: "square")
      let variance = try layer.apply(
        Reduce(.mean, axes: axes, keepDims: true), to: square, role: "variance")
      let deviation = try layer.apply(UnaryMath(.squareRoot), to: variance, role: "deviation")
      let epsilon = layer.number(1e-9, like: input, "epsilon")
      let sum = try layer.apply(Add(), to: deviation, epsilon, role: "sum")
      return [try layer.apply(BinaryMath(.divide), to: distance, sum)]
    },
    "RMSNormalization": { (layer) throws(WeighbridgeError) in
      let values = try layer.allInputs()
      layer.ignore("stash_type")
      guard values.count == 2 else {
        throw layer.malformed("has no scale, which the second input gives")
      }
      let rank = layer.type(values[0]).rank
      let axis = try layer.axis(of: values[0], default: -1)
      let operation = RMSNormalization(
        axes: Array(axis..<rank), denominator: .meanSquare,
        epsilon: try layer.float("epsilon", default: 1e-5))
      return try layer.apply(operation, values)
    },
  ]
}

extension ONNXLayer {
  /// Adds a batch normalization by the statistics of the batch, and the running statistics.
  fileprivate mutating func batchStatistics(
    epsilon: Double, momentum: Double
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let values = try allInputs()
    guard values.count == 5, type(values[0]).rank >= 2,
      values.dropFirst().allSatisfy({ type($0).rank == 1 })
    else {
      throw malformed(
        "normalizes \(values.map { type($0) }), expected channels and four lists of one number for each"
      )
    }
    let given = type(values[0]).elementType
    let isNarrow = [.float16, .bfloat16].contains(given)
    let work: ElementType = isNarrow ? .float32 : given
    let input = isNarrow ? try apply(Cast(to: work), to: values[0], role: "wide") : values[0]
    let axes = (0..<type(input).rank).filter { $0 != 1 }
    let (average, variance) = try moments(of: input, axes: axes)
    let epsilon = number(epsilon, like: variance, "epsilon")
    let sum = try apply(Add(), to: variance, epsilon, role: "sum")
    let deviation = try apply(UnaryMath(.squareRoot), to: sum, role: "deviation")
    let distance = try apply(Subtract(), to: input, average, role: "centred")
    let normalized = try apply(BinaryMath(.divide), to: distance, deviation, role: "normalized")
    let column = ReshapeAxes(
      [.fixed(1), .rest] + [ReshapeAxes.Size](repeating: .fixed(1), count: axes.count - 1))
    var columns: [ONNXValue] = []
    for (value, name) in zip(values[1...2], ["scale", "offset"]) {
      let typed = try cast(value, to: work, role: "\(name)/typed")
      columns.append(try apply(column, to: typed, role: name))
    }
    let scaled = try apply(Multiply(), to: normalized, columns[0], role: "scaled")
    let result = try apply(Add(), to: scaled, columns[1], role: isNarrow ? "result" : "")
    var outputs = [isNarrow ? try apply(Cast(to: given), to: result) : result]
    for (running, (statistic, name)) in zip(
      values[3...], [(average, "mean"), (variance, "variance")])
    {
      let list = try apply(Squeeze(axes: axes), to: statistic, role: "batch_\(name)")
      let old = try cast(running, to: work, role: "old_\(name)")
      let kept = try apply(
        Multiply(), to: old, number(momentum, like: old, "momentum"), role: "kept_\(name)")
      let added = try apply(
        Multiply(), to: list, number(1 - momentum, like: list, "rest"), role: "added_\(name)")
      let updated = try apply(Add(), to: kept, added, role: "running_\(name)")
      outputs.append(
        try cast(updated, to: type(running).elementType, role: "typed_\(name)"))
    }
    return outputs
  }

  /// Adds a cast, unless the value has the type.
  private mutating func cast(
    _ value: ONNXValue, to elementType: ElementType, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    type(value).elementType == elementType
      ? value : try apply(Cast(to: elementType), to: value, role: role)
  }

  /// Adds the normalization of each element by stored statistics of its own (`spatial=0`).
  fileprivate mutating func elementNormalization(
    epsilon: Double
  ) throws(WeighbridgeError) -> ONNXValue {
    let values = try allInputs()
    guard values.count == 5, let rank = values.first.map({ type($0).rank }), rank >= 2,
      values.dropFirst().allSatisfy({ type($0).rank == rank - 1 })
    else {
      throw malformed(
        "normalizes \(values.map { type($0) }) with spatial=0, expected four tensors with all axes but the batch"
      )
    }
    let lists = try aligned(values)
    let epsilon = number(epsilon, like: lists[4], "epsilon")
    let sum = try apply(Add(), to: lists[4], epsilon, role: "sum")
    let deviation = try apply(UnaryMath(.squareRoot), to: sum, role: "deviation")
    let factor = try apply(BinaryMath(.divide), to: lists[1], deviation, role: "factor")
    let shift = try apply(Multiply(), to: lists[3], factor, role: "shift")
    let offset = try apply(Subtract(), to: lists[2], shift, role: "offset")
    let scaled = try apply(Multiply(), to: lists[0], factor, role: "scaled")
    return try apply(Add(), to: scaled, offset)
  }

  /// Adds the mean and the variance over axes, which are kept with size 1.
  private mutating func moments(
    of values: ONNXValue, axes: [Int]
  ) throws(WeighbridgeError) -> (mean: ONNXValue, variance: ONNXValue) {
    let mean = Reduce(.mean, axes: axes, keepDims: true)
    let average = try apply(mean, to: values, role: "mean")
    let distance = try apply(Subtract(), to: values, average, role: "distance")
    let square = try apply(UnaryMath(.square), to: distance, role: "square")
    return (average, try apply(mean, to: square, role: "variance"))
  }

  /// Repeats the scale and the offset of each group, as before opset 21, for its channels.
  fileprivate mutating func repeatForChannels(
    _ values: inout [ONNXValue], groups: Int
  ) throws(WeighbridgeError) {
    guard values.count == 3, type(values[0]).rank >= 2,
      let channels = type(values[0]).shape[1].value,
      channels % groups == 0, values.dropFirst().allSatisfy({ type($0).shape == [.fixed(groups)] })
    else {
      throw malformed(
        "normalizes \(type(values[0])) in \(groups) groups, expected a number that divides the channels, and a "
          + "scale and an offset for each group")
    }
    for position in 1...2 {
      values[position] = try apply(
        Repeat(axis: 0, count: channels / groups), to: values[position],
        role: "channels_\(position)")
    }
  }

  /// Adds a value divided by its norm along an axis; 0 where the norm is 0.
  fileprivate mutating func normalized(
    _ input: ONNXValue, power: Int, axis: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    let norm: ONNXValue
    if power == 2 {
      norm = try apply(Reduce(.l2Norm, axes: [axis], keepDims: true), to: input, role: "norm")
    } else {
      let sizes = try apply(UnaryMath(.absolute), to: input, role: "sizes")
      norm = try apply(Reduce(.sum, axes: [axis], keepDims: true), to: sizes, role: "norm")
    }
    let least: Double =
      switch type(input).elementType {
      case .float16: 0x1p-24
      case .float64: .leastNormalMagnitude
      default: Double(Float.leastNormalMagnitude)
      }
    let divisor = try apply(
      Maximum(), to: norm, number(least, like: norm, "least"), role: "divisor")
    return try apply(BinaryMath(.divide), to: input, divisor)
  }

  /// Adds the mean and the reciprocal of the deviation of a layer normalization, in float32 for narrower types.
  fileprivate mutating func statistics(
    _ input: ONNXValue, _ operation: LayerNormalization
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let isNarrow = [.float16, .bfloat16].contains(type(input).elementType)
    let values =
      isNarrow ? try apply(Cast(to: .float32), to: input, role: "float32") : input
    let (average, variance) = try moments(of: values, axes: operation.axes)
    let epsilon = number(operation.epsilon, like: variance, "epsilon")
    let sum = try apply(Add(), to: variance, epsilon, role: "sum")
    let deviation = try apply(UnaryMath(.squareRoot), to: sum, role: "deviation")
    return [average, try apply(UnaryMath(.reciprocal), to: deviation, role: "reciprocal")]
  }
}

extension ONNXGraphBuilder {
  /// Adds ONNX's node for its channel axis, or a product and a sum for another axis.
  fileprivate mutating func batchNormalization(
    _ operation: BatchNormalization
  ) throws(WeighbridgeError) -> String {
    let statistics = operands.count - 2
    let type = operands[statistics].type.elementType
    guard operation.axis == 1, type == elementType else {
      return try affine(operation).name
    }
    let count = try tensor(statistics).count
    let ones = [Double](repeating: 1, count: count)
    let zeros = [Double](repeating: 0, count: count)
    let inputs = NormalizationInputs(
      hasScale: operation.hasScale, hasCenter: operation.hasCenter)
    let gamma = inputs.scale.map { input($0) } ?? numbers(ones)
    let beta = inputs.offset.map { input($0) } ?? numbers(zeros)
    return add(
      "BatchNormalization", [input(), gamma, beta, input(statistics), input(statistics + 1)],
      ["epsilon": .float(operation.epsilon), "momentum": .float(operation.momentum ?? 0.99)])
  }
}
