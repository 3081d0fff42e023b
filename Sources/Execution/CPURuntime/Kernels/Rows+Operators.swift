import Bytes
import CKernels
import GraphIR
import LayerCatalog

extension BinaryMath: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if function == .divide, builder.addPrimitives(kernels_combination_divide, for: group) {
      return true
    }
    let type = builder.graph[group.inputs[0]].type.elementType
    let function: RowFunction =
      switch self.function {
      case .divide: .combining { $0 / $1 }
      case .squaredDifference: .combining { ($0 - $1) * ($0 - $1) }
      default: .combining { apply($0, $1, type) }
      }
    return builder.addRows(function, for: group)
  }
}

extension UnaryMath: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if builder.addElementwise(group) { return true }
    let function: RowFunction =
      switch self.function {
      case .absolute: .of { $0.magnitude }
      case .negative: .of { -$0 }
      case .square: .of { $0 * $0 }
      case .squareRoot: .of { $0.squareRoot() }
      case .reciprocal: .of { 1 / $0 }
      case .reciprocalSquareRoot: .of { 1 / $0.squareRoot() }
      default: .of { apply($0) }
      }
    return builder.addRows(function, for: group)
  }
}

extension Comparison: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let function: RowFunction =
      switch relation {
      case .equal: .combining { $0 == $1 ? 1 : 0 }
      case .notEqual: .combining { $0 != $1 ? 1 : 0 }
      case .less: .combining { $0 < $1 ? 1 : 0 }
      case .lessOrEqual: .combining { $0 <= $1 ? 1 : 0 }
      case .greater: .combining { $0 > $1 ? 1 : 0 }
      case .greaterOrEqual: .combining { $0 >= $1 ? 1 : 0 }
      }
    return builder.addRows(function, for: group)
  }
}

extension LogicalAnd: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addRows(.combining(group.inputs.count) { min($0, $1) }, for: group)
  }
}

extension LogicalOr: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addRows(.combining(group.inputs.count) { max($0, $1) }, for: group)
  }
}

extension LogicalNot: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addRows(.of { 1 - $0 }, for: group)
  }
}

extension Where: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addRows(.of { $0 != 0 ? $1 : $2 }, for: group)
  }
}

extension Cast: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addRows(.identity, for: group)
  }
}

extension PReLU: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    guard let alpha = builder.graph[group.inputs[1]].constant else { return false }
    // The zero that is added makes -0 0, as the reference does.
    return builder.addRows(
      .combining { $0 > 0 ? $0 : $1 * $0 + 0 }, [([1] + alpha.shape, alpha.doubles)], for: group)
  }
}

extension Rescaling: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let isUniform = scale.count == 1 && offset.count == 1
    if isUniform, builder.addElementwise(group) { return true }
    let ones = [Int](repeating: 1, count: max(0, builder.shape(of: group.outputs[0]).count - 1))
    let isScalar = builder.shape(of: group.outputs[0]).isEmpty
    return builder.addRows(
      .of { $0 * $1 + $2 }, [scale, offset].map { (isScalar ? [] : ones + [$0.count], $0) },
      for: group)
  }
}

extension Normalization: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let shape = builder.shape(of: group.outputs[0])
    let statistics = group.inputs.dropFirst().compactMap { builder.graph[$0].constant?.doubles }
    guard statistics.count == 2 else { return false }
    let dimensions = shape.indices.map { axes.contains($0) ? shape[$0] : 1 }
    let deviations = statistics[1].map { max($0.squareRoot(), minimumDeviation) }
    let function: RowFunction = isInverse ? .of { $1 + $0 * $2 } : .of { ($0 - $1) / $2 }
    return builder.addRows(
      function, [(dimensions, statistics[0]), (dimensions, deviations)], for: group)
  }
}

extension GLU: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let output = group.outputs[0]
    let shape = builder.shape(of: output)
    guard builder.areFloats(group.inputs + [output]) else { return false }
    let halves = [0, shape[axis]].map { start in
      builder.operand(group.inputs[0]) {
        $0.strided(along: axis, from: start, count: shape[axis])
      }
    }
    let target = builder.makeTensor(output)
    return builder.addRows(
      .combining { $0 * Double(Float($1).logistic) }, halves, shape: shape, to: target.storage,
      .float32, name: Self.kind)
  }
}

extension FullLike: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addRows(.combining { $1 }, [(unitShape(in: builder, group), [value])], for: group)
  }

  private func unitShape(in builder: PlanBuilder, _ group: NodeGroup) -> [Int] {
    builder.shape(of: group.outputs[0]).map { _ in 1 }
  }
}

extension PlanBuilder {
  /// Adds a function of a group's first input and of constants that are broadcast.
  fileprivate mutating func addRows(
    _ function: RowFunction, _ constants: [(shape: [Int], numbers: [Double])],
    for group: NodeGroup
  ) -> Bool {
    let (input, output) = (group.inputs[0], group.outputs[0])
    let (from, to) = (types[input.index].elementType, types[output.index].elementType)
    guard NumberAccess(reading: from) != nil, NumberAccess(writing: to) != nil else {
      return false
    }
    let shape = shape(of: output)
    let operands =
      [operand(input) { $0 }]
      + constants.map { operand($0.numbers, shape: $0.shape) { $0.broadcast(to: shape) } }
    let target = makeTensor(output)
    return addRows(
      function, operands, shape: shape, to: target.storage, to, name: group.operation.kind)
  }
}
