import Bytes
import GraphIR
import LayerCatalog

extension UnitNormalization: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addLanes(self, \.axes, for: group) { lane in
      let length = length(lane.sum { $0 * $0 })
      lane.apply { $0 / length }
    }
  }

  /// The length that the elements are divided by, given the sum of their squares.
  func length(_ sum: Double) -> Double {
    // This comparison keeps a NaN; `max` would not.
    (sum < leastSum ? leastSum : sum).squareRoot()
  }
}

extension Sparsemax: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addLanes(self, \.axes, for: group) { lane in
      if unsafe lane.numbers.contains(where: \.isNaN) { return lane.apply { _ in .nan } }
      var (sum, sumOfSums, count) = (0.0, 0.0, 0.0)
      for (index, number) in unsafe lane.numbers.sorted(by: >).enumerated() {
        sum += number
        guard number > (sum - 1) / Double(index + 1) else { continue }
        (sumOfSums, count) = (sumOfSums + sum, count + 1)
      }
      let threshold = (sumOfSums - 1) / count
      lane.apply { max($0 - threshold, 0) }
    }
  }
}

extension SumNormalization: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addLanes(self, \.axes, for: group) { lane in
      let sum = epsilon + lane.sum { $0 }
      lane.apply { $0 / sum }
    }
  }
}

extension GroupedSoftmax: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addSoftmaxLanes(self, { [$0.axis] }, for: group) { lane in
      var start = 0
      for size in sizes {
        lane.part(start..<start + size).applySoftmax()
        start += size
      }
    }
  }
}

extension LocalResponseNormalization: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addLanes(self, { [$0.axis] }, for: group) {
      $0.replace(with: normalize($0.elements))
    }
  }
}

extension RMSNormalization: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    guard let scale = builder.graph[group.inputs[1]].constant?.doubles else { return false }
    return builder.addLanes(self, \.axes, for: group) { lane in
      let mean = denominator == .variance ? lane.mean : 0
      let squares = unsafe lane.sum { ($0 - mean) * ($0 - mean) } / Double(lane.numbers.count)
      let factor = 1 / (squares + epsilon).squareRoot()
      for index in unsafe lane.numbers.indices {
        unsafe lane.numbers[index] *= factor * scale[index]
      }
    }
  }
}

extension GroupNormalization: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let weights = group.inputs.dropFirst().compactMap { builder.graph[$0].constant?.doubles }
    guard weights.count == group.inputs.count - 1 else { return false }
    let order = builder.inMemoryOrder(self, group)
    let channelAxis = order.operation.axis
    let channels = order.shape[channelAxis] / groups
    guard channels > 0 else { return false }
    // The channels and spatial positions of a group form a lane.
    let view = StridedView(order.shape).splitting(channelAxis, into: [groups, channels])
    let axes = view.shape.indices.filter { $0 != 0 && $0 != channelAxis }
    let walk = LaneWalk(view, axes: axes)
    let run = axes.filter { $0 > channelAxis + 1 }.map { view.shape[$0] }.reduce(1, *)
    let channelIndices = walk.offsets.indices.map { $0 / run % channels }
    let gamma = hasScale ? weights[0] : nil
    let beta = hasCenter ? weights[weights.count - 1] : nil
    guard let access = NumberAccess(writing: order.input.elementType) else { return false }
    let output = builder.makeTensor(group.outputs[0], layout: order.outputLayout)
    builder.addLanes(
      walk, .lane, from: NumberStorage(storage: order.input.storage, access: access),
      to: NumberStorage(storage: output.storage, access: access), name: Self.kind
    ) { lane in
      lane.normalize(epsilon)
      let first = lane.number % groups * channels
      for index in unsafe lane.numbers.indices {
        let channel = first + channelIndices[index]
        unsafe lane.numbers[index] =
          unsafe lane.numbers[index] * (gamma?[channel] ?? 1) + (beta?[channel] ?? 0)
      }
    }
    return true
  }
}

extension CumSum: EngineOperator {}
extension CumProd: EngineOperator {}

extension EngineOperator where Self: CumulativeOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addLanes(self, { [$0.axis] }, for: group) { $0.replace(with: totals($0.elements)) }
  }
}

extension Reduce: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addReducedLanes(axes, writing: NumberAccess.init(writing:), for: group) { lane in
      unsafe lane.numbers[0] = reduce(lane)
    }
  }

  /// Reduces a nonempty lane.
  private func reduce(_ lane: Lane) -> Double {
    let count = unsafe Double(lane.numbers.count)
    switch function {
    case .sum: return lane.sum { $0 }
    case .mean: return lane.mean
    case .l2Norm: return lane.sum { $0 * $0 }.squareRoot()
    case .variance, .standardDeviation:
      let mean = lane.mean
      let variance = lane.sum { ($0 - mean) * ($0 - mean) } / count
      return function == .variance ? variance : variance.squareRoot()
    default: return reduce(lane.elements)
    }
  }
}

extension ArgMax: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addReducedLanes([axis], writing: NumberAccess.init(writingIndices:), for: group) {
      unsafe $0.numbers[0] = Double(Self.position($0.elements))
    }
  }
}

extension ArgMin: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addReducedLanes([axis], writing: NumberAccess.init(writingIndices:), for: group) {
      unsafe $0.numbers[0] = unsafe Double(ArgMax.position($0.numbers.map { -$0 }[...]))
    }
  }
}

extension PlanBuilder {
  /// Adds a function that replaces each lane.
  ///
  /// - Parameter axes: The lanes' axes of the operator with its axes in memory order.
  mutating func addLanes<Operation: CatalogOperator>(
    _ operation: Operation, _ axes: (Operation) -> [Int], for group: NodeGroup,
    _ function: @escaping @Sendable (Lane) -> Void
  ) -> Bool {
    guard let access = NumberAccess(writing: types[group.inputs[0].index].elementType) else {
      return false
    }
    let order = inMemoryOrder(operation, group)
    let walk = LaneWalk(StridedView(order.shape), axes: axes(order.operation))
    let output = makeElementwiseTarget(order.input, group, order.outputLayout)
    addLanes(
      walk, .lane, from: NumberStorage(storage: order.input.storage, access: access),
      to: NumberStorage(storage: output.storage, access: access), name: operation.kind, function)
    return true
  }

  /// Adds a function of lanes like ``addLanes(_:_:for:_:)`` that computes exponentials in float32.
  ///
  /// - Returns: `false` for float64.
  mutating func addSoftmaxLanes<Operation: CatalogOperator>(
    _ operation: Operation, _ axes: (Operation) -> [Int], for group: NodeGroup,
    _ function: @escaping @Sendable (Lane) -> Void
  ) -> Bool {
    types[group.inputs[0].index].elementType != .float64
      && addLanes(operation, axes, for: group, function)
  }

  /// Adds a function that reduces each lane to its first number.
  ///
  /// - Parameter writing: The conversion to the output's type, if it is supported.
  fileprivate mutating func addReducedLanes(
    _ axes: [Int], writing: (ElementType) -> NumberAccess?, for group: NodeGroup,
    _ function: @escaping @Sendable (Lane) -> Void
  ) -> Bool {
    let (id, output) = (group.inputs[0], group.outputs[0])
    guard let source = NumberAccess(reading: types[id.index].elementType),
      let target = writing(types[output.index].elementType), !shape(of: id).contains(0)
    else { return false }
    let input = rowMajor(id)
    let walk = LaneWalk(StridedView(input.shape), axes: axes)
    addLanes(
      walk, .first, from: NumberStorage(storage: input.storage, access: source),
      to: NumberStorage(storage: makeTensor(output).storage, access: target),
      name: group.operation.kind, function)
    return true
  }
}

extension Lane {
  /// The numbers as reference kernels take them.
  var elements: ArraySlice<Double> { unsafe numbers.map { $0 }[...] }

  /// Replaces the numbers by as many others.
  func replace(with others: [Double]) {
    for (index, number) in others.enumerated() { unsafe numbers[index] = number }
  }

  /// A contiguous part of the lane.
  func part(_ range: Range<Int>) -> Lane {
    unsafe Lane(numbers: UnsafeMutableBufferPointer(rebasing: numbers[range]), number: number)
  }

  /// Replaces each number by a function of it.
  @inline(__always)
  func apply(_ function: (Double) -> Double) {
    for index in unsafe numbers.indices { unsafe numbers[index] = unsafe function(numbers[index]) }
  }

  /// The sum of a function of each number, in four partial sums.
  @inline(__always)
  func sum(_ function: (Double) -> Double) -> Double {
    var sums = SIMD4<Double>()
    let whole = unsafe numbers.count / 4 * 4
    for index in stride(from: 0, to: whole, by: 4) {
      for part in 0..<4 { unsafe sums[part] += function(numbers[index + part]) }
    }
    return unsafe (whole..<numbers.count).reduce(sums.sum()) { unsafe $0 + function(numbers[$1]) }
  }

  /// The mean of all numbers.
  var mean: Double { unsafe sum { $0 } / Double(numbers.count) }

  /// Normalizes to mean 0 and variance 1.
  ///
  /// - Parameter epsilon: Added to the variance.
  func normalize(_ epsilon: Double) {
    let mean = mean
    let variance = unsafe sum { ($0 - mean) * ($0 - mean) } / Double(numbers.count)
    let factor = 1 / (variance + epsilon).squareRoot()
    apply { ($0 - mean) * factor }
  }

  /// Replaces the numbers by their softmax.
  func applySoftmax() {
    // NaN propagates through the sum, whatever the comparison yields.
    let largest = unsafe numbers.reduce(-.infinity) { $1 > $0 ? $1 : $0 }
    apply { Double(Float($0 - largest).exponential) }
    let sum = sum { $0 }
    apply { $0 / sum }
  }
}
