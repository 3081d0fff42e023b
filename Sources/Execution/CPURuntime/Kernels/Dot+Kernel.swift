import GraphIR
import LayerCatalog

extension Dot: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let shapes = group.inputs.map { builder.shape(of: $0) }
    let (batch, depth) = (shapes[0][0], shapes[0][firstAxis])
    let counts = zip(shapes, [firstAxis, secondAxis]).map { shape, axis in
      shape.indices.filter { $0 != 0 && $0 != axis }.map { shape[$0] }.reduce(1, *)
    }
    guard builder.areFloats(group.inputs),
      let call = MatrixCall(
        count: batch, rows: counts[0], depth: depth, columns: counts[1], transposeB: true)
    else { return false }
    let operands = zip(group.inputs, [firstAxis, secondAxis]).map { id, axis in
      let rows = builder.rearranged(id) { view in
        view.permuted(
          [0] + view.shape.indices.filter { $0 != 0 && $0 != axis } + [axis])
      }
      return normalizes
        ? builder.add(normalization(along: axis), rows: rows, of: id, length: depth) : rows
    }
    let output = builder.makeTensor(group.outputs[0])
    call.add(to: &builder, operands[0], operands[1], into: output.storage)
    return true
  }
}

extension PlanBuilder {
  /// Adds a copy of a value's rows, each scaled to unit length.
  fileprivate mutating func add(
    _ normalization: UnitNormalization, rows source: Storage, of id: ValueID, length: Int
  ) -> Storage {
    let count = shape(of: id).reduce(1, *)
    let target = addScratch(byteCount: count * MemoryLayout<Float>.stride)
    add(
      .kernel(name: UnitNormalization.kind) { memory in
        // Both have `count` elements, and no two rows overlap.
        nonisolated(unsafe) let from = unsafe memory[source].assumingMemoryBound(to: Float.self)
        nonisolated(unsafe) let to = unsafe memory[target].assumingMemoryBound(to: Float.self)
        Threads.parallel(rows: count / length, length: length) { row in
          let (source, target) = unsafe (from + row * length, to + row * length)
          var squares = 0.0
          for index in 0..<length {
            unsafe squares += Double(source[index]) * Double(source[index])
          }
          let factor = 1 / normalization.length(squares)
          for index in 0..<length {
            unsafe target[index] = unsafe Float(Double(source[index]) * factor)
          }
        }
      }, using: [source, target])
    return target
  }
}
