import GraphIR
import LayerCatalog

extension Resizing: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    guard fit == .stretch else { return false }
    return builder.addResampling(self, \.layout, for: group) { number, dimension in
      (0..<dimensions[number]).map { position in
        let sample = sample(position, from: dimension, to: dimensions[number])
        return AxisSample(first: sample.first, kind: .weighted(sample.weights.map(Float.init)))
      }
    }
  }
}

extension Upsampling: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if interpolation == .nearest { return builder.addCopy(self, for: group) }
    return builder.addResampling(self, \.layout, for: group) { number, dimension in
      (0..<dimension * factors[number]).map { position in
        let (lower, weight) = sample(position, dimension: dimension, factor: factors[number])
        return AxisSample(first: lower, kind: weight > 0 ? .between(Float(weight)) : .element)
      }
    }
  }
}

/// An element between those of an axis.
private struct AxisSample: Sendable {
  enum Kind {
    /// The first neighbor itself.
    case element
    /// The first neighbor plus its difference to the next one times a factor.
    case between(Float)
    /// The sum of neighbors times their weights.
    case weighted([Float])
  }

  /// The index of the first neighbor.
  let first: Int
  let kind: Kind
}

/// A resampling along one axis of a row-major tensor.
private struct AxisResampling: Sendable {
  /// How many slices there are before the axis.
  let outer: Int
  /// The axis' size in the input.
  let dimension: Int
  /// How many elements there are for each index of the axis.
  let run: Int
  let samples: [AxisSample]

  /// The size of the result in bytes.
  var byteCount: Int { outer * samples.count * run * MemoryLayout<Float>.stride }

  /// Computes one row of the result: the elements for one index of the axis.
  func computeRow(
    _ row: Int, from source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>
  ) {
    let sample = samples[row % samples.count]
    let first = unsafe source + (row / samples.count * dimension + sample.first) * run
    let result = unsafe target + row * run
    switch sample.kind {
    case .element: unsafe result.update(from: first, count: run)
    case .between(let factor):
      let next = unsafe first + run
      for index in 0..<run {
        unsafe result[index] = unsafe first[index] + (next[index] - first[index]) * factor
      }
    case .weighted(let weights):
      for index in 0..<run { unsafe result[index] = unsafe first[index] * weights[0] }
      for number in 1..<max(1, weights.count) {
        let (weight, neighbors) = unsafe (weights[number], first + number * run)
        for index in 0..<run { unsafe result[index] += neighbors[index] * weight }
      }
    }
  }
}

extension PlanBuilder {
  /// Adds a resampling of images, along one spatial axis after the other.
  ///
  /// - Parameter samples: The result's elements along a spatial axis, by its number and its size.
  fileprivate mutating func addResampling<Operation: CatalogOperator>(
    _ operation: Operation, _ layout: (Operation) -> DataLayout, for group: NodeGroup,
    _ samples: (Int, Int) -> [AxisSample]
  ) -> Bool {
    guard rowMajorLayout(of: group.inputs[0]) != nil else { return false }
    let order = inMemoryOrder(operation, group)
    let output = makeTensor(group.outputs[0], layout: order.outputLayout)
    var (shape, source) = (order.shape, order.input.storage)
    let axes = Array(layout(order.operation).spatialAxes(rank: shape.count))
    for (number, axis) in axes.enumerated() {
      let resampling = AxisResampling(
        outer: shape[..<axis].reduce(1, *), dimension: shape[axis],
        run: shape[(axis + 1)...].reduce(1, *), samples: samples(number, shape[axis]))
      shape[axis] = resampling.samples.count
      let target =
        number == axes.count - 1 ? output.storage : addScratch(byteCount: resampling.byteCount)
      addPass(resampling, from: source, to: target, name: group.operation.kind)
      source = target
    }
    return true
  }

  private mutating func addPass(
    _ resampling: AxisResampling, from source: Storage, to target: Storage, name: String
  ) {
    add(
      .kernel(name: name) { memory in
        // Both storages were made for the tensors of this pass, and no two rows overlap.
        nonisolated(unsafe) let from = unsafe UnsafePointer(
          memory[source].assumingMemoryBound(to: Float.self))
        nonisolated(unsafe) let to = unsafe memory[target].assumingMemoryBound(to: Float.self)
        let rows = resampling.outer * resampling.samples.count
        let step = max(1, (1 << 14) / max(1, resampling.run))
        Threads.parallel((rows + step - 1) / step) { part in
          for row in part * step..<min(rows, (part + 1) * step) {
            unsafe resampling.computeRow(row, from: from, to: to)
          }
        }
      }, using: [source, target])
  }
}
