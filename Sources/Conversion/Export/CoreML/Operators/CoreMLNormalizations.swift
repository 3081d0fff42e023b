import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Normalisations.
enum CoreMLNormalizations {
  static let rows: [CoreMLRow] = [
    CoreMLRow(BatchNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.batchNormalization(operation)
    },
    CoreMLRow(LayerNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.layerNormalization(operation)
    },
    CoreMLRow(GroupNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.groupNormalization(operation)
    },
    CoreMLRow(RMSNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      let spread =
        operation.spread == .variance
        ? try draft.variance(x, operation.axes).variance
        : try draft.reduce("reduceMean", try draft.product(x, x), operation.axes)
      let root = try draft.squareRoot(try draft.linear(spread, offset: operation.epsilon))
      let scale = try draft.alongAxes(1, operation.axes, rank: draft.type().rank)
      return try draft.product(try draft.quotient(x, root), scale)
    },
    CoreMLRow(UnitNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.unit(try draft.input(), operation.axes)
    },
    CoreMLRow(SumNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      let sum = try draft.reduce("reduceSum", x, operation.axes)
      return try draft.quotient(x, try draft.linear(sum, offset: operation.epsilon))
    },
    CoreMLRow(Normalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.normalization(operation)
    },
    CoreMLRow(LocalResponseNormalization.self) { (operation, draft) throws(WeighbridgeError) in
      try draft.localResponse(operation)
    },
  ]
}

extension CoreMLDraft {
  /// Where the axis is the channels' own of Core ML, its layer; otherwise a product and a sum.
  fileprivate mutating func batchNormalization(
    _ operation: BatchNormalization
  ) throws(WeighbridgeError) -> String {
    let statistics = operands.count - 2
    let (mean, variance) = (try tensor(statistics), try tensor(statistics + 1))
    let count = mean.count
    let hasChannels = operation.axis == 1 && (axes == .images || type().rank == 4)
    // Core ML takes an epsilon of 0 for one that is not said.
    guard hasChannels, operation.epsilon > 0 else {
      let gamma = operation.hasScale ? try tensor(1).doubles : .init(repeating: 1, count: count)
      let factors = zip(gamma, variance.doubles).map {
        $0 / ($1 + operation.epsilon).squareRoot()
      }
      let beta =
        operation.hasCenter
        ? try tensor(operation.hasScale ? 2 : 1).doubles : .init(repeating: 0, count: count)
      let offsets = zip(beta, zip(mean.doubles, factors)).map { $0 - $1.0 * $1.1 }
      var shape = [Int](repeating: 1, count: type().rank)
      shape[operation.axis] = count
      let scaled = try product(try input(), try numbers(factors, shape: shape))
      return try sum(scaled, try numbers(offsets, shape: shape))
    }
    let gamma =
      operation.hasScale ? try weights(1) : weights([Double](repeating: 1, count: count))
    let beta =
      operation.hasCenter
      ? try weights(operation.hasScale ? 2 : 1) : weights([Double](repeating: 0, count: count))
    return try add(
      "batchnorm", [try input()],
      [
        "channels": .integer(count), "epsilon": .real(operation.epsilon), "gamma": gamma,
        "beta": beta, "mean": weights(mean), "variance": weights(variance),
      ])
  }

  private mutating func standardized(
    _ input: String, _ axes: [Int], epsilon: Double
  ) throws(WeighbridgeError) -> String {
    let (distance, variance) = try variance(input, axes)
    return try quotient(distance, try squareRoot(try linear(variance, offset: epsilon)))
  }

  /// The first weight as a factor and the second as an addend, as far as there are any.
  private mutating func affine(
    _ input: String, hasScale: Bool, hasCenter: Bool, axes: [Int]
  ) throws(WeighbridgeError) -> String {
    let rank = type().rank
    var result = input
    if hasScale { result = try product(result, try alongAxes(1, axes, rank: rank)) }
    if hasCenter {
      result = try sum(result, try alongAxes(hasScale ? 2 : 1, axes, rank: rank))
    }
    return result
  }

  fileprivate mutating func layerNormalization(
    _ operation: LayerNormalization
  ) throws(WeighbridgeError) -> String {
    let rank = type().rank
    let isTrailing = operation.axes == Array(rank - operation.axes.count..<rank)
    guard isTrailing, operation.hasScale, operation.hasCenter, operation.epsilon > 0 else {
      let standard = try standardized(
        try input(), operation.axes, epsilon: operation.epsilon)
      return try affine(
        standard, hasScale: operation.hasScale, hasCenter: operation.hasCenter,
        axes: operation.axes)
    }
    let shape = try extents(operands[1].type)
    return try add(
      "layerNormalization", [try input()],
      [
        "normalizedShape": .integers(shape), "eps": .real(operation.epsilon),
        "gamma": try weights(1), "beta": try weights(2),
      ])
  }

  fileprivate mutating func groupNormalization(
    _ operation: GroupNormalization
  ) throws(WeighbridgeError) -> String {
    let shape = try extents(type())
    let order = [0, operation.axis] + shape.indices.dropFirst().filter { $0 != operation.axis }
    let turned = try transpose(try input(), order)
    let size = shape.dropFirst().reduce(1, *) / operation.groups
    let groups = try reshape(turned, [shape[0], operation.groups, size])
    let standard = try standardized(groups, [2], epsilon: operation.epsilon)
    let ungrouped = try reshape(standard, order.map { shape[$0] })
    let back = try transpose(ungrouped, order.indices.sorted { order[$0] < order[$1] })
    return try affine(
      back, hasScale: operation.hasScale, hasCenter: operation.hasCenter, axes: [operation.axis])
  }

  fileprivate mutating func normalization(
    _ operation: Normalization
  ) throws(WeighbridgeError) -> String {
    let (mean, variance) = (try tensor(1), try tensor(2))
    var shape = [Int](repeating: 1, count: type().rank)
    for (axis, extent) in zip(operation.axes, mean.shape) { shape[axis] = extent }
    let deviations = variance.doubles.map { max($0.squareRoot(), operation.smallestDeviation) }
    let center = try numbers(mean.doubles, shape: shape)
    let deviation = try numbers(deviations, shape: shape)
    let x = try input()
    return operation.isInverse
      ? try sum(try product(x, deviation), center)
      : try quotient(try difference(x, center), deviation)
  }

  /// Core ML's own where it is that; otherwise the sums are products with a matrix of ones and
  /// zeros.
  fileprivate mutating func localResponse(
    _ operation: LocalResponseNormalization
  ) throws(WeighbridgeError) -> String {
    let (x, rank, axis) = (try input(), type().rank, operation.axis)
    let size = operation.before + operation.after + 1
    if operation.omitted == nil, axis == 1, rank == 4, operation.before == operation.after,
      operation.bias > 0
    {
      return try add(
        "lrn", [x],
        [
          "alpha": .real(operation.alpha * Double(size)), "beta": .real(operation.beta),
          "localSize": .integer(size), "k": .real(operation.bias),
        ])
    }
    let count = try extents(type())[axis]
    var band: [Double] = []
    for output in 0..<count {
      for channel in 0..<count {
        let isNear = (output - operation.before...output + operation.after).contains(channel)
        band.append((isNear ? 1 : 0) - (operation.omitted == channel ? 1 : 0))
      }
    }
    let order = (0..<rank).filter { $0 != axis } + [axis]
    let squares = try add(
      "batchedMatmul", [try transpose(try product(x, x), order)],
      [
        "weightMatrixFirstDimension": .integer(count),
        "weightMatrixSecondDimension": .integer(count), "weights": weights(band),
      ])
    let sums = try transpose(squares, order.indices.sorted { order[$0] < order[$1] })
    let spread = try linear(sums, scale: operation.alpha, offset: operation.bias)
    return try quotient(x, try unary("POWER", spread, alpha: operation.beta))
  }
}
