import Bytes
import GraphIR
import LayerCatalog

extension Gather: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let (input, indices) = (builder.rowMajor(group.inputs[0]), builder.rowMajor(group.inputs[1]))
    let output = builder.makeTensor(group.outputs[0])
    let place = builder.graph.nodes[group.positions[0]].source.place(group.positions[0])
    let (shape, dimension) = (input.shape, input.shape[axis])
    let size = shape[(axis + 1)...].reduce(input.elementType.byteCount, *)
    let batches = shape[..<batchAxes].reduce(1, *)
    let middle = shape[batchAxes..<axis].reduce(1, *)
    builder.add(
      .kernel(name: Self.kind) { (memory) throws(WeighbridgeError) in
        let all: [Int]
        do throws(WeighbridgeError) {
          all = try memory.tensor(indices).nonNegativeIndices(dimension: dimension)
        } catch { throw error.at(layer: place) }
        let each = batches == 0 ? 0 : all.count / batches
        let source = unsafe memory[input.storage]
        var target = unsafe memory[output.storage]
        for outer in 0..<batches * middle {
          let batch = outer / max(1, middle)
          for index in all[batch * each..<(batch + 1) * each] {
            // The index was checked, and the output has the capacity for all slices.
            unsafe target.copyMemory(
              from: source + (outer * dimension + index) * size, byteCount: size)
            unsafe target += size
          }
        }
      }, using: [input.storage, indices.storage, output.storage])
    return true
  }
}
