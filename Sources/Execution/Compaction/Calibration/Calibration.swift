import Bytes
import CPURuntime
import GraphIR

/// Runs a model on the calibration examples and accumulates the moments of its weights' inputs.
struct Calibration {
  let graph: Graph
  let weights: [CompactableWeight]
  let workers: Workers

  /// The memory limit for the moments of all weights in bytes; the inputs of wide layers are split
  /// into blocks to stay below it.
  static let memoryLimit = 1_200_000_000

  /// The moments of the inputs of each weight.
  ///
  /// - Parameters:
  ///   - examples: The model's inputs, one list for each example.
  ///   - report: Called after each example with its number.
  /// - Throws: What running the model throws.
  func moments(
    of examples: [[Tensor]], _ options: CPURuntime.Options,
    report: (Int) -> Void = { _ in }
  ) throws(WeighbridgeError) -> [InputMoments] {
    let limit = blockLimit
    var moments = weights.map { InputMoments($0, limit: limit) }
    var users: [ValueID: [(weight: Int, source: CompactableWeight.Source)]] = [:]
    for (number, weight) in weights.enumerated() {
      for source in weight.sources { users[source.value, default: []].append((number, source)) }
    }
    var options = options
    options.observesAllNodes = true
    let compiled = try CompiledGraph(graph, options)
    for (example, inputs) in examples.enumerated() {
      func take(_ id: ValueID, _ tensor: @autoclosure () -> Tensor) {
        guard let uses = users[id] else { return }
        let tensor = tensor()
        for (weight, source) in uses {
          var sampler = VectorSampler(
            limit: vectorLimit(weights[weight], examples.count),
            generator: SplitMix64(seed: UInt64(example << 20 + weight)))
          moments[weight].add(sampler.sample(tensor, source.vectors), workers: workers)
        }
      }
      for (port, tensor) in zip(graph.inputs, inputs) { take(port.value, tensor) }
      _ = try compiled.run(inputs) { result in
        for (position, id) in result.node.outputs.enumerated() {
          take(id, result.outputs[position])
        }
      }
      report(example + 1)
    }
    for number in moments.indices { moments[number].finish(workers: workers) }
    return moments
  }

  /// The maximum number of vectors sampled from one example: over all examples, several times as
  /// many as a vector has elements.
  private func vectorLimit(_ weight: CompactableWeight, _ examples: Int) -> Int {
    max(16, max(4096, 4 * weight.columns) / max(1, examples * weight.sources.count))
  }

  /// The maximum number of columns of a block.
  private var blockLimit: Int {
    var limit = weights.map(\.columns).max() ?? 1
    while limit > 64 {
      let size = weights.reduce(0) { $0 + InputMoments.size($1, limit: limit) }
      guard size * MemoryLayout<Float>.size > Self.memoryLimit else { return limit }
      limit = limit * 7 / 8
    }
    return limit
  }
}
