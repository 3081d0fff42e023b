import Bytes
import GraphIR
import LayerCatalog

/// An operator whose output is a strided view of its input.
protocol RearrangingOperator: CatalogOperator {
  /// The view whose row-major copy is the output.
  func rearranged(_ view: StridedView) -> StridedView
}

extension EngineOperator where Self: RearrangingOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addCopy(self, for: group)
  }
}

extension Cropping: RearrangingOperator, EngineOperator {
  func rearranged(_ view: StridedView) -> StridedView {
    var view = view
    for (number, axis) in layout.spatialAxes(rank: view.shape.count).enumerated() {
      let count = view.shape[axis] - borders.before[number] - borders.after[number]
      view = view.strided(along: axis, from: borders.before[number], count: count)
    }
    return view
  }
}

extension Slice: RearrangingOperator, EngineOperator {
  func rearranged(_ view: StridedView) -> StridedView {
    ranges.reduce(view) { view, range in
      let (start, count) = range.resolved(view.shape[range.axis])
      return view.strided(along: range.axis, from: start, count: count, step: range.step)
    }
  }
}

extension SpaceToDepth: RearrangingOperator, EngineOperator {
  func rearranged(_ view: StridedView) -> StridedView {
    let input = view.permuted(layout.axesToChannelsFirst(rank: 4))
    let (height, width) = (input.shape[2] / block, input.shape[3] / block)
    // [batch, channels, height, y, width, x]
    let split = input.splitting(3, into: [width, block]).splitting(2, into: [height, block])
    return layout == .channelsFirst
      ? split.permuted([0, 3, 5, 1, 2, 4]) : split.permuted([0, 2, 4, 3, 5, 1])
  }
}

extension DepthToSpace: RearrangingOperator, EngineOperator {
  func rearranged(_ view: StridedView) -> StridedView {
    let axis = layout.channelAxis(rank: 4)
    let split = view.splitting(axis, into: [block, block, view.shape[axis] / (block * block)])
    // [batch, y, x, channels, height, width] or [batch, height, width, y, x, channels]
    return layout == .channelsFirst
      ? split.permuted([0, 3, 4, 1, 5, 2]) : split.permuted([0, 1, 3, 2, 4, 5])
  }
}

/// Only for nearest-neighbor interpolation, which is a copy.
extension Upsampling: RearrangingOperator {
  func rearranged(_ view: StridedView) -> StridedView {
    let axes = layout.spatialAxes(rank: view.shape.count)
    return axes.enumerated().reversed().reduce(view) { view, axis in
      view.repeated(at: axis.element + 1, count: factors[axis.offset])
    }
  }
}

extension Reverse: RearrangingOperator, EngineOperator {
  func rearranged(_ view: StridedView) -> StridedView {
    axes.reduce(view) { view, axis in
      let count = view.shape[axis]
      return view.strided(along: axis, from: count - 1, count: count, step: -1)
    }
  }
}

extension RepeatVector: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let count = builder.shape(of: group.outputs[0])[1]
    return builder.addRowMajorCopy(for: group) { $0.repeated(at: 1, count: count) }
  }
}

extension Repeat: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addRowMajorCopy(for: group) { $0.repeated(at: axis + 1, count: count) }
  }
}

extension Tile: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addRowMajorCopy(for: group) { view in
      counts.indices.reversed().reduce(view) { $0.repeated(at: $1, count: counts[$1]) }
    }
  }
}

extension Split: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let input = builder.rowMajor(group.inputs[0])
    var start = 0
    for (id, size) in zip(group.outputs, sizes) {
      let output = builder.makeTensor(id)
      let part = StridedView(input.shape).strided(along: axis, from: start, count: size)
      builder.addCopy(part, of: input, to: output.storage)
      start += size
    }
    return true
  }
}

extension CenterCrop: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let shape = builder.shape(of: group.inputs[0])
    let axes = Array(layout.spatialAxes(rank: shape.count))
    // Smaller images are resized instead.
    guard zip(axes, dimensions).allSatisfy({ shape[$0] >= $1 }) else { return false }
    return builder.addRowMajorCopy(for: group) { view in
      zip(axes, dimensions).reduce(view) { view, part in
        view.strided(
          along: part.0, from: (shape[part.0] - part.1) / 2, count: part.1)
      }
    }
  }
}

extension BroadcastTo: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let shape = builder.shape(of: group.outputs[0])
    guard builder.shape(of: group.inputs[0]).count == shape.count else { return false }
    return builder.addRowMajorCopy(for: group) { $0.broadcast(to: shape) }
  }
}

extension PlanBuilder {
  /// The name of the copy kernel.
  static let copyName = "copy"

  /// Adds the copy for an operator, with the axes in memory order. Supports all element types.
  mutating func addCopy(_ operation: some RearrangingOperator, for group: NodeGroup) -> Bool {
    let order = inMemoryOrder(operation, group)
    let output = makeTensor(group.outputs[0], layout: order.outputLayout)
    addCopy(
      order.operation.rearranged(StridedView(order.shape)), of: order.input, to: output.storage)
    return true
  }

  /// Adds a copy of a view of a group's first input, with the axes in the graph's order.
  fileprivate mutating func addRowMajorCopy(
    for group: NodeGroup, _ transform: (StridedView) -> StridedView
  ) -> Bool {
    let input = rowMajor(group.inputs[0])
    let output = makeTensor(group.outputs[0])
    addCopy(transform(StridedView(input.shape)), of: input, to: output.storage)
    return true
  }

  /// A row-major copy of a view of a value, or the value itself if the view is the identity.
  /// Supports all element types.
  mutating func rearranged(_ id: ValueID, _ transform: (StridedView) -> StridedView) -> Storage {
    let input = rowMajor(id)
    let view = transform(StridedView(input.shape))
    guard !view.isRowMajor else { return input.storage }
    let copy = addScratch(byteCount: view.shape.reduce(input.elementType.byteCount, *))
    addCopy(view, of: input, to: copy)
    return copy
  }

  fileprivate mutating func addCopy(
    _ view: StridedView, of input: StoredTensor, to output: Storage
  ) {
    addCopy(
      view, of: input.storage, input.elementType, count: input.shape.reduce(1, *), to: output)
  }

  /// Adds a row-major copy of a view.
  ///
  /// - Parameters:
  ///   - input: The row-major source with `count` elements.
  ///   - output: Has the capacity for all elements of the view.
  mutating func addCopy(
    _ view: StridedView, of input: Storage, _ type: ElementType, count: Int, to output: Storage
  ) {
    let size = type.byteCount
    let parts = view.parts(threads).map { part in
      let copy = StridedCopy(
        shape: part.view.shape, strides: part.view.strides, elementSize: size)
      return (copy, from: part.view.start * size, to: part.offset * size)
    }
    let targetCount = view.shape.reduce(size, *)
    add(
      .kernel(name: Self.copyName) { memory in
        // Both storages have the sizes used here, and no two parts overlap.
        nonisolated(unsafe) let source = unsafe memory[input]
        nonisolated(unsafe) let target = unsafe memory[output]
        Threads.parallel(parts.count) { number in
          let (copy, start, offset) = parts[number]
          let from = unsafe UnsafeRawBufferPointer(start: source, count: count * size)
          let to = unsafe UnsafeMutableRawBufferPointer(
            start: target + offset, count: targetCount - offset)
          unsafe copy.copy(from: from.bytes, offset: start, into: to.mutableBytes)
        }
      }, using: [input, output])
  }
}

extension StridedView {
  /// Splits a large view into parts that threads can copy.
  ///
  /// - Returns: The parts, each with the offset of its first element in the result.
  fileprivate func parts(_ count: Int) -> [(view: StridedView, offset: Int)] {
    guard shape.reduce(1, *) >= 1 << 16, let axis = shape.firstIndex(where: { $0 > 1 }) else {
      return [(self, 0)]
    }
    let parts = min(count, shape[axis])
    let run = shape[(axis + 1)...].reduce(1, *)
    return (0..<parts).map { number in
      let range = number * shape[axis] / parts..<(number + 1) * shape[axis] / parts
      return (
        strided(along: axis, from: range.lowerBound, count: range.count), range.lowerBound * run
      )
    }
  }
}
