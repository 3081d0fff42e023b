import Bytes
import GraphIR
import LayerCatalog

extension ZeroPadding: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let order = builder.inMemoryOrder(self, group)
    let output = builder.makeTensor(group.outputs[0], layout: order.outputLayout)
    var before = [Int](repeating: 0, count: order.shape.count)
    let axes = order.operation.layout.spatialAxes(rank: before.count)
    for (axis, count) in zip(axes, borders.before) { before[axis] = count }
    let rows = PaddedRows(
      order.shape, to: order.outputShape, before: before,
      elementSize: order.input.elementType.byteCount)
    let (source, target, count) = (order.input.storage, output.storage, output.byteCount)
    builder.add(
      .kernel(name: Self.kind) { memory in
        // Both storages were made for their tensors, and the rows lie inside of both.
        let (from, to) = (memory[source], memory[target])
        to.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        rows.forEach { sourceOffset, targetOffset, length in
          (to + targetOffset).copyMemory(from: from + sourceOffset, byteCount: length)
        }
      }, using: [source, target])
    return true
  }
}

/// Where the rows of a tensor go in a larger one.
private struct PaddedRows: Sendable {
  private let dimensions: [Int]
  private let steps: [Int]
  private let start: Int
  private let length: Int

  /// - Parameters:
  ///   - shape: The sizes of the tensor.
  ///   - target: Those of the larger one.
  ///   - before: How many elements come in front, along each axis.
  ///   - elementSize: The size of an element in bytes.
  init(_ shape: [Int], to target: [Int], before: [Int], elementSize: Int) {
    let strides = Tensor.rowMajorStrides(target).map { $0 * elementSize }
    start = zip(before, strides).reduce(0) { $0 + $1.0 * $1.1 }
    // All axes behind the last one that grows are one row.
    let last = shape.indices.last { shape[$0] != target[$0] } ?? 0
    dimensions = Array(shape[..<last])
    steps = Array(strides[..<last])
    length = shape[last...].reduce(elementSize, *)
  }

  /// Calls `body` with the offsets and the length of each row, in bytes.
  func forEach(_ body: (_ source: Int, _ target: Int, _ length: Int) -> Void) {
    for row in 0..<dimensions.reduce(1, *) {
      var (rest, target) = (row, start)
      for axis in dimensions.indices.reversed() {
        target += rest % dimensions[axis] * steps[axis]
        rest /= dimensions[axis]
      }
      body(row * length, target, length)
    }
  }
}
