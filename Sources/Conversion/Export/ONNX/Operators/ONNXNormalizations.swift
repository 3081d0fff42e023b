import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Normalisations.
enum ONNXNormalizations {
  static let rows: [ONNXRow] = [
    ONNXRow(BatchNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.batchNormalization(operation)
    },
    ONNXRow(LayerNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.layerNormalization(operation)
    },
    ONNXRow(GroupNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.groupNormalization(operation)
    },
    ONNXRow(RMSNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      let x = draft.input()
      let square = draft.add("Mul", [x, x])
      let spread =
        operation.spread == .variance
        ? draft.variance(x, operation.axes).variance
        : draft.reduce("ReduceMean", square, operation.axes)
      let root = draft.add(
        "Sqrt", [draft.add("Add", [spread, draft.number(operation.epsilon)])])
      let scale = try draft.alongAxis(1, operation.axes, rank: draft.type().rank)
      return draft.add("Mul", [draft.add("Div", [x, root]), scale])
    },
    ONNXRow(UnitNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      draft.unit(draft.input(), operation.axes)
    },
    ONNXRow(SumNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      let x = draft.input()
      let sum = draft.reduce("ReduceSum", x, operation.axes)
      return draft.add("Div", [x, draft.add("Add", [sum, draft.number(operation.epsilon)])])
    },
    ONNXRow(Normalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.normalization(operation)
    },
    ONNXRow(LocalResponseNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.localResponse(operation)
    },
  ]
}

extension ONNXDraft {
  /// Where the axis is the channels' own of ONNX, its node; otherwise a product and a sum.
  fileprivate mutating func batchNormalization(
    _ operation: BatchNormalization
  ) throws(WeighbridgeError) -> String {
    let statistics = operands.count - 2
    let count = try tensor(statistics).count
    let type = operands[statistics].type.elementType
    let one = [Double](repeating: 1, count: count)
    let zero = [Double](repeating: 0, count: count)
    guard operation.axis == 1, type == elementType else {
      let weights = try operands.indices.dropFirst().map { (position) throws(WeighbridgeError) in
        try tensor(position).doubles
      }
      let (factor, offset) = operation.affine(weights)
      let shape = [count] + [Int](repeating: 1, count: self.type().rank - 1 - operation.axis)
      let scaled = add("Mul", [input(), numbers(factor, shape: shape)])
      return add("Add", [scaled, numbers(offset, shape: shape)])
    }
    let gamma = operation.hasScale ? input(1) : numbers(one)
    let beta = operation.hasCenter ? input(operation.hasScale ? 2 : 1) : numbers(zero)
    return add(
      "BatchNormalization", [input(), gamma, beta, input(statistics), input(statistics + 1)],
      ["epsilon": .real(operation.epsilon)])
  }

  /// The distance of each element from the mean along axes, and the mean of its square.
  mutating func variance(
    _ input: String, _ axes: [Int]
  ) -> (distance: String, variance: String) {
    let distance = add("Sub", [input, reduce("ReduceMean", input, axes)])
    return (distance, reduce("ReduceMean", add("Mul", [distance, distance]), axes))
  }

  private mutating func standardized(
    _ input: String, _ axes: [Int], epsilon: Double
  ) -> String {
    let (distance, variance) = variance(input, axes)
    return add("Div", [distance, add("Sqrt", [add("Add", [variance, number(epsilon)])])])
  }

  /// The first weight as a factor and the second as an addend, as far as there are any.
  private mutating func affine(
    _ input: String, hasScale: Bool, hasCenter: Bool, axes: [Int]
  ) throws(WeighbridgeError) -> String {
    let rank = type().rank
    let scaled = hasScale ? add("Mul", [input, try alongAxis(1, axes, rank: rank)]) : input
    guard hasCenter else { return scaled }
    return add("Add", [scaled, try alongAxis(hasScale ? 2 : 1, axes, rank: rank)])
  }

  fileprivate mutating func layerNormalization(
    _ operation: LayerNormalization
  ) throws(WeighbridgeError) -> String {
    let rank = type().rank
    let isTrailing = operation.axes == Array(rank - operation.axes.count..<rank)
    guard opset >= 17, isTrailing, operation.hasScale else {
      let standard = standardized(input(), operation.axes, epsilon: operation.epsilon)
      return try affine(
        standard, hasScale: operation.hasScale, hasCenter: operation.hasCenter,
        axes: operation.axes)
    }
    let inputs = allInputs()
    return add(
      "LayerNormalization", inputs,
      ["axis": .integer(operation.axes[0]), "epsilon": .real(operation.epsilon)])
  }

  fileprivate mutating func groupNormalization(
    _ operation: GroupNormalization
  ) throws(WeighbridgeError) -> String {
    let distance = add("Sub", [input(), try groupMeans(input(), operation)])
    let variance = try groupMeans(add("Mul", [distance, distance]), operation)
    let deviation = add("Sqrt", [add("Add", [variance, number(operation.epsilon)])])
    return try affine(
      add("Div", [distance, deviation]), hasScale: operation.hasScale,
      hasCenter: operation.hasCenter, axes: [operation.axis])
  }

  /// The mean of each channel's group, with extents of 1 but for the batch and the channels: the mean
  /// of the means of its channels, which are all of as many elements.
  private mutating func groupMeans(
    _ input: String, _ operation: GroupNormalization
  ) throws(WeighbridgeError) -> String {
    let rank = type().rank
    guard let channels = type().shape[operation.axis].value else {
      throw WeighbridgeError(.unsupported, "ONNX wants the number of channels known")
    }
    let spatial = (1..<rank).filter { $0 != operation.axis }
    let means = spatial.isEmpty ? input : reduce("ReduceMean", input, spatial)
    let size = channels / operation.groups
    let groups = reduce("ReduceMean", reshape(means, [0, operation.groups, size]), [2])
    let every = add("Expand", [groups, integers([1, operation.groups, size])])
    var shape = [Int](repeating: 1, count: rank)
    (shape[0], shape[operation.axis]) = (0, channels)
    return reshape(every, shape)
  }

  fileprivate mutating func normalization(
    _ operation: Normalization
  ) throws(WeighbridgeError) -> String {
    let (mean, variance) = (try tensor(1), try tensor(2))
    let own = mean.elementType
    var x = input()
    if elementType != own { x = cast(x, to: own) }
    var shape = [Int](repeating: 1, count: type().rank)
    for (axis, extent) in zip(operation.axes, mean.shape) { shape[axis] = extent }
    let deviations = variance.doubles.map { max($0.squareRoot(), operation.smallestDeviation) }
    let center = numbers(mean.doubles, shape: shape, own)
    let deviation = numbers(deviations, shape: shape, own)
    return operation.isInverse
      ? add("Add", [add("Mul", [x, deviation]), center])
      : add("Div", [add("Sub", [x, center]), deviation])
  }

  /// ONNX' own where it is that; otherwise the sums are products with a matrix of ones and zeros.
  fileprivate mutating func localResponse(
    _ operation: LocalResponseNormalization
  ) throws(WeighbridgeError) -> String {
    let (x, rank, axis) = (input(), type().rank, operation.axis)
    let size = operation.before + operation.after + 1
    if operation.omitted == nil, axis == 1, rank >= 3, operation.before == (size - 1) / 2 {
      return add(
        "LRN", [x],
        [
          "alpha": .real(operation.alpha * Double(size)), "beta": .real(operation.beta),
          "bias": .real(operation.bias), "size": .integer(size),
        ])
    }
    guard let count = type().shape[axis].value else {
      throw WeighbridgeError(.unsupported, "ONNX wants the number of channels known")
    }
    var band: [Double] = []
    for output in 0..<count {
      for channel in 0..<count {
        let isNear = (output - operation.before...output + operation.after).contains(channel)
        band.append((isNear ? 1 : 0) - (operation.omitted == channel ? 1 : 0))
      }
    }
    let order = (0..<rank).filter { $0 != axis } + [axis]
    let square = transpose(add("Mul", [x, x]), order)
    let matrix = Tensor(elementType, shape: [count, count], band).permuted([1, 0])
    let sums = transpose(
      add("MatMul", [square, constant(matrix)]), order.indices.sorted { order[$0] < order[$1] })
    let spread = add(
      "Add", [add("Mul", [sums, number(operation.alpha)]), number(operation.bias)])
    return add("Div", [x, add("Pow", [spread, number(operation.beta)])])
  }
}
