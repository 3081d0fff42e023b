import GraphIR
import LayerCatalog

/// An operator with its axes permuted to the memory order of its input, so that kernels for
/// row-major tensors need no reorder.
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
  /// An operator with one input and one output with the same axes, in memory order if its layout
  /// rule allows it, else in the graph's order.
  mutating func inMemoryOrder<Operation: CatalogOperator>(
    _ operation: Operation, _ group: NodeGroup
  ) -> MemoryOrder<Operation> {
    let (id, output) = (group.inputs[0], group.outputs[0])
    let original = tensor(id)
    let shape = shape(of: output)
    if let order = original.layout?.memoryOrder, order != Array(order.indices),
      let permutedOperation = operation.permutingAxes(order)
    {
      let outputShape = order.map { shape[$0] }
      let inverse = order.inversePermutation
      if let layout = Layout.rowMajor(outputShape)?.permuted(inverse) {
        return MemoryOrder(
          operation: permutedOperation, input: original, shape: order.map { original.shape[$0] },
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
  /// The axes in memory order, outermost first, if the layout is dense and not blocked; `nil`
  /// otherwise.
  var memoryOrder: [Int]? {
    guard isDense, !isPadded else { return nil }
    let strides = strides
    // The position of axes of size 1 is arbitrary; they keep their order among equal strides.
    let order = dimensions.indices.sorted {
      (strides[$0], dimensions[$0], -$0) > (strides[$1], dimensions[$1], -$1)
    }
    var expectedStride = 1
    for axis in order.reversed() where dimensions[axis] != 1 {
      guard strides[axis] == expectedStride else { return nil }
      expectedStride *= dimensions[axis]
    }
    return order
  }
}
