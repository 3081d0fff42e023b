import GraphIR
import LayerCatalog

/// An operator on its input as it lies in memory: with the axes in the order in which they are stored,
/// so that kernels for row-major tensors need no reorder.
struct MemoryOrder<Operation: CatalogOperator> {
  /// The operator for the axes in memory's order.
  let operation: Operation
  /// The input.
  let input: StoredTensor
  /// The input's sizes in memory's order.
  let shape: [Int]
  /// The output's sizes in memory's order.
  let outputShape: [Int]
  /// The output's layout with the graph's axes; `nil` for what has none.
  let outputLayout: Layout?
}

extension PlanBuilder {
  /// An operator of one input and one output that have the same axes, in memory's order where its
  /// layout rule allows that, else in the graph's.
  mutating func inMemoryOrder<Operation: CatalogOperator>(
    _ operation: Operation, _ group: NodeGroup
  ) -> MemoryOrder<Operation> {
    let (id, output) = (group.inputs[0], group.outputs[0])
    let original = tensor(id)
    let shape = shape(of: output)
    if let order = original.layout?.memoryOrder, order != Array(order.indices),
      let turned = operation.permutingAxes(order)
    {
      let outputShape = order.map { shape[$0] }
      let back = order.inversePermutation
      if let layout = Layout.rowMajor(outputShape)?.permuted(back) {
        return MemoryOrder(
          operation: turned, input: original, shape: order.map { original.shape[$0] },
          outputShape: outputShape, outputLayout: layout)
      }
    }
    let input = rowMajor(id)
    return MemoryOrder(
      operation: operation, input: input, shape: input.shape, outputShape: shape,
      outputLayout: rowMajorLayout(of: output))
  }
}

extension Layout {
  /// The axes in the order in which they lie in memory, outermost first, when the elements fill it
  /// without blocks; `nil` otherwise.
  var memoryOrder: [Int]? {
    guard isDense, !isPadded else { return nil }
    let strides = strides
    // Axes of size 1 lie anywhere; they keep their place among those of equal distance.
    let order = dimensions.indices.sorted {
      (strides[$0], dimensions[$0], -$0) > (strides[$1], dimensions[$1], -$1)
    }
    var distance = 1
    for axis in order.reversed() where dimensions[axis] != 1 {
      guard strides[axis] == distance else { return nil }
      distance *= dimensions[axis]
    }
    return order
  }
}
