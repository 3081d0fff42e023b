import Bytes
import GraphIR

/// Elements that a row kernel reads.
struct RowOperand {
  /// Row-major elements, of which `view` selects some.
  let storage: Storage
  let type: ElementType
  /// The elements with the output's axes.
  let view: StridedView
}

/// Iterates over operands together, with adjacent axes merged where possible.
private struct RowWalk: Sendable {
  /// The sizes of all axes but the last.
  private let dimensions: [Int]
  /// For each operand, the distances along these axes.
  private let strides: [[Int]]
  /// For each operand, the offset of its first element.
  private let starts: [Int]
  /// The size of the last axis.
  let length: Int
  /// For each operand, the distance along the last axis.
  let steps: [Int]

  init(_ views: [StridedView], _ shape: [Int]) {
    var (dimensions, strides) = ([Int](), views.map { _ in [Int]() })
    for axis in shape.indices where shape[axis] != 1 {
      let isJoined =
        !dimensions.isEmpty
        && views.indices.allSatisfy {
          strides[$0][dimensions.count - 1] == views[$0].strides[axis] * shape[axis]
        }
      if isJoined {
        dimensions[dimensions.count - 1] *= shape[axis]
      } else {
        dimensions.append(shape[axis])
      }
      for number in views.indices {
        if isJoined { strides[number].removeLast() }
        strides[number].append(views[number].strides[axis])
      }
    }
    length = dimensions.last ?? 1
    steps = strides.map { $0.last ?? 0 }
    self.dimensions = dimensions.dropLast()
    self.strides = strides.map { $0.dropLast() }
    starts = views.map(\.start)
  }

  /// The number of rows along the last axis.
  var rowCount: Int { dimensions.reduce(1, *) }

  /// The offset of an operand's row.
  func start(of operand: Int, row: Int) -> Int {
    var (remainder, start) = (row, starts[operand])
    for axis in dimensions.indices.reversed() {
      start += remainder % dimensions[axis] * strides[operand][axis]
      remainder /= dimensions[axis]
    }
    return start
  }
}

extension PlanBuilder {
  /// Adds an elementwise function of several operands.
  ///
  /// - Parameters:
  ///   - shape: The sizes of the output and of all operands' views.
  ///   - output: Row-major; may be the memory of an operand that is read in the same order.
  /// - Returns: `false`, and nothing is added, for unsupported types.
  mutating func addRows(
    _ function: RowFunction, _ operands: [RowOperand], shape: [Int], to output: Storage,
    _ type: ElementType, name: String
  ) -> Bool {
    let accesses = operands.compactMap { NumberAccess(reading: $0.type) }
    guard accesses.count == operands.count, let target = NumberAccess(writing: type) else {
      return false
    }
    let kernel = RowKernel(
      function: function, walk: RowWalk(operands.map(\.view), shape),
      operands: zip(operands.map(\.storage), accesses).map { ($0, $1) },
      target: (output, target), threads: threads,
      scratch: addScratch(
        byteCount: threads * max(1, operands.count) * NumberRows.capacity
          * MemoryLayout<Double>.stride))
    add(
      .kernel(name: name) { memory in kernel.run(memory) },
      using: operands.map(\.storage) + [output, kernel.scratch])
    return true
  }

  /// Adds a function of a group's inputs, broadcast to its output's shape.
  mutating func addRows(_ function: RowFunction, for group: NodeGroup) -> Bool {
    let id = group.outputs[0]
    let types = group.inputs.map { self.types[$0.index].elementType }
    guard types.allSatisfy({ NumberAccess(reading: $0) != nil }),
      NumberAccess(writing: self.types[id.index].elementType) != nil
    else { return false }
    let shape = shape(of: id)
    // If all have the same memory layout, the order does not matter.
    if let flat = flatOperands(group) {
      let output = makeElementwiseTarget(tensor(group.inputs[0]), group, flat.layout)
      return addRows(
        function, flat.operands, shape: [flat.count], to: output.storage, output.elementType,
        name: group.operation.kind)
    }
    let operands = group.inputs.map { operand($0) { $0.broadcast(to: shape) } }
    let output = makeTensor(id)
    return addRows(
      function, operands, shape: shape, to: output.storage, output.elementType,
      name: group.operation.kind)
  }

  /// A value in row-major order, as an operand.
  mutating func operand(_ id: ValueID, _ transform: (StridedView) -> StridedView) -> RowOperand {
    let tensor = rowMajor(id)
    return RowOperand(
      storage: tensor.storage, type: tensor.elementType, view: transform(StridedView(tensor.shape)))
  }

  /// Constant numbers as an operand.
  mutating func operand(
    _ numbers: [Double], shape: [Int], _ transform: (StridedView) -> StridedView
  ) -> RowOperand {
    RowOperand(
      storage: addConstant(Tensor(.float64, shape: shape, numbers)), type: .float64,
      view: transform(StridedView(shape)))
  }

  /// A group's inputs as flat arrays, if they and the output are float32 with the same dense
  /// layout.
  private mutating func flatOperands(
    _ group: NodeGroup
  ) -> (operands: [RowOperand], layout: Layout, count: Int)? {
    guard areFloats(group.inputs + group.outputs), let first = tensor(group.inputs[0]).layout,
      first.isDense, !first.isPadded, first.dimensions == shape(of: group.outputs[0]),
      group.inputs.allSatisfy({ tensor($0).layout?.isSame(as: first) ?? false })
    else { return nil }
    let count = first.dimensions.reduce(1, *)
    let operands = group.inputs.map {
      RowOperand(storage: tensor($0).storage, type: .float32, view: StridedView([count]))
    }
    return (operands, first, count)
  }
}

/// An elementwise function, computed in rows.
private struct RowKernel: Sendable {
  let function: RowFunction
  let walk: RowWalk
  let operands: [(storage: Storage, access: NumberAccess)]
  let target: (storage: Storage, access: NumberAccess)
  let threads: Int
  /// A buffer for the rows of each thread.
  let scratch: Storage

  func run(_ memory: KernelMemory) {
    // Each thread has its own rows, and no two write the same elements.
    nonisolated(unsafe) let memory = memory
    let pieces = (walk.length + NumberRows.capacity - 1) / NumberRows.capacity
    let count = walk.rowCount * pieces
    let parts = min(threads, max(1, (count * min(walk.length, NumberRows.capacity)) >> 12))
    Threads.parallel(parts) { part in
      let rows =
        unsafe memory[scratch].assumingMemoryBound(to: Double.self)
        + part * operands.count * NumberRows.capacity
      for number in part * count / parts..<(part + 1) * count / parts {
        unsafe compute(row: number / pieces, piece: number % pieces, rows, memory)
      }
    }
  }

  private func compute(
    row: Int, piece: Int, _ start: UnsafeMutablePointer<Double>, _ memory: KernelMemory
  ) {
    let first = piece * NumberRows.capacity
    let rows = unsafe NumberRows(
      start: start, count: min(NumberRows.capacity, walk.length - first))
    for number in operands.indices {
      let (storage, access) = operands[number]
      let step = walk.steps[number]
      let offset = walk.start(of: number, row: row) + first * step
      unsafe access.read(
        memory[storage] + offset * access.size, step: step, count: rows.count, to: rows[number])
    }
    function.apply(rows)
    unsafe target.access.write(
      rows[0], count: rows.count,
      to: memory[target.storage] + (row * walk.length + first) * target.access.size)
  }
}
