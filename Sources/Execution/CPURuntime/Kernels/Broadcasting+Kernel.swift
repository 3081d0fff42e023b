import COneDNN
import GraphIR
import LayerCatalog

extension Add: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addCombination(onednn_combination_add, self, for: group)
  }
}

extension Subtract: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addCombination(onednn_combination_subtract, self, for: group)
  }
}

extension Multiply: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addCombination(onednn_combination_multiply, self, for: group)
  }
}

extension Maximum: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let combination = builder.keepsNaN ? nil : onednn_combination_max
    return builder.addCombination(combination, self, for: group)
  }
}

extension Minimum: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let combination = builder.keepsNaN ? nil : onednn_combination_min
    return builder.addCombination(combination, self, for: group)
  }
}

extension Average: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addCombination(nil, self, for: group)
  }
}

extension PlanBuilder {
  /// Adds the combination of tensors, element by element: by the library where each but the first has
  /// the output's shape or sizes of 1, else by a kernel of ours.
  ///
  /// - Parameter combination: What the library calls it; `nil` to do without.
  fileprivate mutating func addCombination(
    _ combination: onednn_combination?, _ operation: some BroadcastingOperator,
    for group: NodeGroup
  ) -> Bool {
    if areFloats(group.inputs + group.outputs), let combination,
      addPrimitives(combination, operation, for: group)
    {
      return true
    }
    return addRows(operation.rowFunction(group.inputs.count), for: group)
  }

  private mutating func addPrimitives(
    _ combination: onednn_combination, _ operation: some BroadcastingOperator,
    for group: NodeGroup
  ) -> Bool {
    let output = group.outputs[0]
    let shape = shape(of: output)
    var ids = group.inputs
    // The first one must be whole. Which one that is does not matter but for a difference.
    guard
      let whole = ids.firstIndex(where: { self.shape(of: $0) == shape && graph[$0].constant == nil }
      ),
      whole == 0 || !(operation is Subtract)
    else { return false }
    ids.swapAt(0, whole)
    let first = dense(ids[0])
    guard let layout = first.layout, var calls = [Primitive]?([]) else { return false }
    var seconds: [StoredTensor] = []
    for id in ids.dropFirst() {
      let isWhole = self.shape(of: id) == shape
      guard let second = isWhole ? tensor(id, as: layout) : rowMajor(id),
        let secondLayout = second.layout,
        let primitive = binary(combination, layout, secondLayout)
      else { return false }
      calls.append(primitive)
      seconds.append(second)
    }
    let isReused = isFree(first, of: ids[0]) && !ids.dropFirst().contains(ids[0])
    let result =
      isReused ? share(first, as: output, layout: layout) : makeTensor(output, layout: layout)
    var source = first.storage
    for (primitive, second) in zip(calls, seconds) {
      add(
        primitive,
        [
          (onednn_role_source, source), (onednn_role_second_source, second.storage),
          (onednn_role_target, result.storage),
        ])
      source = result.storage
    }
    return true
  }

  /// The library's primitive; `nil` when it has only a slow one, or one that is not to be trusted.
  ///
  /// Its fast kernels take a smaller second tensor for one of channels along axis 1, in front of the
  /// spatial axes or behind them. Handed axes in another order they skip elements and say nothing
  /// (oneDNN 2.6.3, jit_uni_binary.cpp, `get_op_type`), also where the others have sizes of 1.
  private func binary(
    _ combination: onednn_combination, _ first: Layout, _ second: Layout
  ) -> Primitive? {
    let rank = first.dimensions.count
    let toChannelsFirst = DataLayout.channelsLast.axesToChannelsFirst(rank: max(3, rank))
    let toChannelsLast = DataLayout.channelsLast.axesFromChannelsFirst(rank: max(3, rank))
    var orders = [Array(first.dimensions.indices)]
    if rank >= 3 { orders.append(toChannelsFirst) }
    if let order = first.memoryOrder { orders.append(order) }
    for order in orders {
      guard let first = first.permuted(order)?.withUnitAxesInOrder,
        let second = second.permuted(order)?.withUnitAxesInOrder,
        second.dimensions == first.dimensions || first.memoryOrder == nil
          || (second.isRowMajor
            && (first.isRowMajor
              || (rank >= 3 && first.permuted(toChannelsLast)?.isRowMajor == true))),
        let primitive = Primitive(
          owning: onednn_binary(combination, first.handle, second.handle, first.handle)),
        !primitive.name.hasPrefix("ref")
      else { continue }
      return primitive
    }
    return nil
  }
}

extension BroadcastingOperator {
  /// The combination of rows of numbers.
  fileprivate func rowFunction(_ count: Int) -> RowFunction {
    switch self {
    case is Add: return .combining(count) { $0 + $1 }
    case is Subtract: return .combining(count) { $0 - $1 }
    case is Multiply: return .combining(count) { $0 * $1 }
    default:
      let combination = RowFunction.combining(count) { combine($0, $1) }
      let end = RowFunction.of { finish($0, count: count) }
      return RowFunction { rows in
        combination.apply(rows)
        end.apply(rows)
      }
    }
  }
}
