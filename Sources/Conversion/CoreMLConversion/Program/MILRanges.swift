import Bytes
import CPURuntime
import ConversionCore
import GraphIR

/// Layers whose numbers are beyond float16, as a model's references show.
struct MILRanges {
  /// The calls of layers that give or take such numbers, as in ``SourceScope/callName``.
  private(set) var layers: Set<String> = []

  /// Computes a model's references.
  ///
  /// - Parameter content: A model; without references, no layers are found.
  init(_ content: ModelContent, _ cancellation: Cancellation?) throws(WeighbridgeError) {
    let graph = content.graph
    let runtime = CPURuntime(
      CPURuntime.Options(
        workers: Workers(count: Workers.processorCount), observesAllNodes: true,
        cancellation: cancellation))
    var large: Set<ValueID> = []
    for reference in content.references {
      let inputs = graph.inputs.compactMap { port in
        reference.inputs.first { $0.name == port.name }?.tensor
      }
      guard inputs.count == graph.inputs.count else { continue }
      for (port, tensor) in zip(graph.inputs, inputs) where Self.isLarge(tensor) {
        large.insert(port.value)
      }
      _ = try runtime.run(graph, inputs: inputs) { result in
        for (id, output) in zip(result.node.outputs, result.outputs) where Self.isLarge(output) {
          large.insert(id)
        }
      }
    }
    for node in graph.nodes where !large.isDisjoint(with: node.inputs + node.outputs) {
      layers.insert(node.source.callName)
    }
  }

  /// Whether a number is finite and too large for float16.
  private static func isLarge(_ tensor: Tensor) -> Bool {
    guard tensor.elementType.isFloat else { return false }
    return tensor.doubles.contains { $0.isFinite && !Float16($0).isFinite }
  }
}
