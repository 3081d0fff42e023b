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
  /// the output's shape or extents of 1, else by a kernel of ours.
  ///
  /// - Parameter combination: What the library calls it; `nil` to do without.
  fileprivate mutating func addCombination(
    _ combination: onednn_combination?, _ operation: some BroadcastingOperator,
    for group: NodeGroup
  ) -> Bool {
    let output = group.outputs[0]
    guard rowMajorLayout(of: output) != nil,
      group.inputs.allSatisfy({ rowMajorLayout(of: $0) != nil })
    else { return false }
    if let combination, addPrimitives(combination, operation, for: group) { return true }
    addKernel(operation, for: group)
    return true
  }

  // MARK: The library

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

  /// The library's primitive; `nil` when it has only a slow one.
  private func binary(
    _ combination: onednn_combination, _ first: Layout, _ second: Layout
  ) -> Primitive? {
    // Its fast kernels look for the channels along axis 1.
    let turn = DataLayout.channelsLast.axesToChannelsFirst(rank: max(3, first.extents.count))
    let orders =
      first.extents.count >= 3 ? [Array(turn.indices), turn] : [Array(first.extents.indices)]
    for order in orders {
      guard let first = first.permuted(order), let second = second.permuted(order),
        let primitive = Primitive(
          owning: onednn_binary(combination, first.handle, second.handle, first.handle)),
        !primitive.name.hasPrefix("ref")
      else { continue }
      return primitive
    }
    return nil
  }

  // MARK: Our kernel

  private mutating func addKernel(
    _ operation: some BroadcastingOperator, for group: NodeGroup
  ) {
    let inputs = group.inputs.map { rowMajor($0) }
    let output = makeTensor(group.outputs[0])
    let walks = inputs.map { BroadcastWalk($0.shape, to: output.shape) }
    let storages = inputs.map(\.storage)
    let target = output.storage
    add(
      .kernel(name: operation.kind) { memory in
        // Each storage holds the tensor that its walk was made for, and no two rows overlap.
        nonisolated(unsafe) let sources = storages.map {
          UnsafePointer(memory[$0].assumingMemoryBound(to: Float.self))
        }
        nonisolated(unsafe) let result = memory[target].assumingMemoryBound(to: Float.self)
        let (rows, length) = (walks[0].rowCount, walks[0].rowLength)
        let size = max(1, (1 << 14) / max(length, 1))
        OneDNN.parallel((rows + size - 1) / size) { part in
          for row in part * size..<min(rows, (part + 1) * size) {
            let starts = walks.map { $0.start(ofRow: row) }
            for index in 0..<length {
              var element = Double(sources[0][starts[0] + index * walks[0].step])
              for number in 1..<walks.count {
                let next = sources[number][starts[number] + index * walks[number].step]
                element = operation.combine(element, Double(next))
              }
              result[row * length + index] = Float(
                operation.finish(element, count: walks.count))
            }
          }
        }
      }, using: storages + [target])
  }
}

/// How a row-major tensor is walked through so that it has another tensor's extents: along an axis of
/// extent 1 it stays where it is.
private struct BroadcastWalk: Sendable {
  /// The number of rows of the other tensor, along its last axis.
  let rowCount: Int
  /// The length of a row.
  let rowLength: Int
  /// The distance between neighbours in a row.
  let step: Int
  private let extents: [Int]
  private let strides: [Int]

  init(_ shape: [Int], to target: [Int]) {
    let all = zip(shape, Tensor.rowMajorStrides(shape)).map { $0 == 1 ? 0 : $1 }
    extents = target.dropLast()
    strides = all.dropLast()
    step = all.last ?? 0
    rowLength = target.last ?? 1
    rowCount = extents.reduce(1, *)
  }

  /// Where a row begins.
  func start(ofRow row: Int) -> Int {
    var (rest, start) = (row, 0)
    for axis in extents.indices.reversed() {
      start += rest % extents[axis] * strides[axis]
      rest /= extents[axis]
    }
    return start
  }
}
