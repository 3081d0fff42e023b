import Bytes
import GraphIR
import LayerCatalog

extension Embedding: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    // The table is read in place, usually from the mapped file.
    guard let table = builder.graph[group.inputs[1]].constant, table.isContiguous,
      table.elementType == builder.types[group.outputs[0].index].elementType
    else { return false }
    builder.readInPlace(group.inputs[1])
    let input = builder.rowMajor(group.inputs[0])
    let output = builder.makeTensor(group.outputs[0])
    let place = builder.graph.nodes[group.positions[0]].source.place(group.positions[0])
    let rowSize = table.shape[1] * table.elementType.byteCount
    builder.add(
      .kernel(name: Self.kind) { (memory) throws(WeighbridgeError) in
        let indices: [Int]
        do throws(WeighbridgeError) {
          indices = try self.indices(memory.tensor(input), rows: table.shape[0])
        } catch { throw error.at(layer: place) }
        var target = unsafe memory[output.storage]
        table.store.withBytes { bytes in
          for index in indices {
            // The index was checked, and the output has the capacity for all rows.
            let start = table.offset + index * rowSize
            unsafe bytes.extracting(start..<start + rowSize).withUnsafeBytes {
              if let row = $0.baseAddress {
                unsafe target.copyMemory(from: row, byteCount: rowSize)
              }
            }
            unsafe target += rowSize
          }
        }
      }, using: [input.storage, output.storage])
    return true
  }
}
