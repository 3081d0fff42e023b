import CKernels
import GraphIR
import LayerCatalog

/// An elementwise combination of broadcast tensors: computed by primitives if at least one operand
/// has the output's shape, else row by row.
protocol CombiningOperator: EngineOperator, PointwiseOperator {
  /// The primitive's combination.
  var combination: kernels_combination { get }
}

extension Add: CombiningOperator {
  var combination: kernels_combination { kernels_combination_add }
}

extension Maximum: CombiningOperator {
  var combination: kernels_combination { kernels_combination_max }
}

extension Minimum: CombiningOperator {
  var combination: kernels_combination { kernels_combination_min }
}

extension Multiply: CombiningOperator {
  var combination: kernels_combination { kernels_combination_multiply }
}

extension Subtract: CombiningOperator {
  var combination: kernels_combination { kernels_combination_subtract }
}

extension CombiningOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    guard group.quantization == nil else { return false }
    return builder.addPrimitives(combination, for: group) || builder.addCombinedRows(group)
  }
}

extension PlanBuilder {
  /// Adds a combination of floats by primitives.
  ///
  /// - Returns: Whether there are some for these operands.
  mutating func addPrimitives(
    _ combination: kernels_combination, for group: NodeGroup
  ) -> Bool {
    let output = group.outputs[0]
    let shape = shape(of: output)
    var ids = group.inputs
    let isOrdered = [kernels_combination_subtract, kernels_combination_divide].contains(combination)
    // The first operand must have the full shape. Operands of other combinations may be swapped.
    guard areFloats(group.inputs + group.outputs),
      let whole = ids.firstIndex(where: { self.shape(of: $0) == shape && graph[$0].constant == nil }
      ),
      whole == 0 || !isOrdered
    else { return false }
    ids.swapAt(0, whole)
    let first = dense(ids[0])
    guard let layout = first.layout, var primitives = [Primitive]?([]) else { return false }
    var otherOperands: [StoredTensor] = []
    for id in ids.dropFirst() {
      let isWhole = self.shape(of: id) == shape
      guard let second = isWhole ? tensor(id, as: layout) : rowMajor(id),
        let secondLayout = second.layout,
        let primitive = unsafe Primitive(
          owning: kernels_combine(
            combination, layout.handle, secondLayout.handle, layout.handle))
      else { return false }
      primitives.append(primitive)
      otherOperands.append(second)
    }
    let isReused = isFree(first, of: ids[0]) && !ids.dropFirst().contains(ids[0])
    let result =
      isReused ? share(first, as: output, layout: layout) : makeTensor(output, layout: layout)
    var source = first.storage
    for (primitive, second) in zip(primitives, otherOperands) {
      add(
        primitive,
        [
          (kernels_role_source, source), (kernels_role_second_source, second.storage),
          (kernels_role_target, result.storage),
        ])
      source = result.storage
    }
    return true
  }
}

extension PlanBuilder {
  fileprivate mutating func addCombinedRows(_ group: NodeGroup) -> Bool {
    let count = group.inputs.count
    switch group.operation {
    case is Add: return addRows(.combining(count) { $0 + $1 }, for: group)
    case is Subtract: return addRows(.combining(count) { $0 - $1 }, for: group)
    case is Multiply: return addRows(.combining(count) { $0 * $1 }, for: group)
    default: return addPointwise(group)
    }
  }
}
