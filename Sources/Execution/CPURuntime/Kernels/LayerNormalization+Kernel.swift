import GraphIR
import LayerCatalog

extension LayerNormalization: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let id = group.inputs[0]
    let shape = builder.shape(of: id)
    let weights = group.inputs.dropFirst().compactMap { builder.graph[$0].constant?.doubles }
    guard weights.count == group.inputs.count - 1 else { return false }
    let size = axes.map { shape[$0] }.reduce(1, *)
    let gamma = hasScale ? weights[0] : [Double](repeating: 1, count: size)
    let beta = hasCenter ? weights[weights.count - 1] : [Double](repeating: 0, count: size)
    // Lanes along the last axes are contiguous and need not be gathered.
    guard axes == Array(shape.indices.suffix(axes.count)), builder.rowMajorLayout(of: id) != nil
    else {
      return builder.addLanes(self, \.axes, for: group) { lane in
        lane.normalize(epsilon)
        for index in unsafe lane.numbers.indices {
          unsafe lane.numbers[index] = unsafe lane.numbers[index] * gamma[index] + beta[index]
        }
      }
    }
    let input = builder.rowMajor(id)
    let output = builder.makeElementwiseTarget(input, group, input.layout)
    let (scales, offsets) = (gamma.map(Float.init), beta.map(Float.init))
    let lanes = shape.reduce(1, *) / size
    builder.add(
      .kernel(name: Self.kind) { memory in
        // Each lane lies within both tensors, and no two overlap.
        nonisolated(unsafe) let source = unsafe memory.floats(input)
        nonisolated(unsafe) let target = unsafe memory.floats(output)
        let step = max(1, (1 << 14) / size)
        Threads.parallel((lanes + step - 1) / step) { part in
          for lane in part * step..<min(lanes, (part + 1) * step) {
            let range = lane * size..<(lane + 1) * size
            unsafe normalizeLane(
              UnsafeBufferPointer(rebasing: source[range]),
              UnsafeMutableBufferPointer(rebasing: target[range]), scales, offsets, epsilon)
          }
        }
      }, using: [input.storage, output.storage])
    return true
  }
}

/// Normalizes one lane by its mean and variance, which are accumulated in `Double`. Source and
/// target may be the same memory.
private func normalizeLane(
  _ source: UnsafeBufferPointer<Float>, _ target: UnsafeMutableBufferPointer<Float>,
  _ scales: [Float], _ offsets: [Float], _ epsilon: Double
) {
  var sum = 0.0
  for index in source.indices { unsafe sum += Double(source[index]) }
  let mean = sum / Double(source.count)
  var squares = 0.0
  for index in source.indices {
    let deviation = unsafe Double(source[index]) - mean
    squares += deviation * deviation
  }
  let factor = 1 / (squares / Double(source.count) + epsilon).squareRoot()
  for index in source.indices {
    unsafe target[index] =
      unsafe Float((Double(source[index]) - mean) * factor) * scales[index] + offsets[index]
  }
}
