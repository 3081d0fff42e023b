package import Bytes
package import GraphIR
import LayerCatalog

/// Computes graphs with the reference kernels of the catalog: plain code that accumulates in
/// `Double` and rounds to the tensors' types between operators.
///
/// It is not fast, but the standard that every other engine is compared with. A tensor is released
/// as soon as it is no longer needed.
package struct ReferenceRuntime: Runtime {
  package let name = "reference"
  private let workers: Workers
  private let cancellation: Cancellation?
  private let memoryLimit: Int

  /// The limit for the size of activations if the caller sets none: 64 GiB.
  package static let defaultMemoryLimit = 64 << 30

  /// - Parameters:
  ///   - workers: The threads to use.
  ///   - cancellation: Checked before each node and after the last one.
  ///   - memoryLimit: The largest number of bytes that the model's activations may take at once.
  package init(
    workers: Workers, cancellation: Cancellation? = nil,
    memoryLimit: Int = Self.defaultMemoryLimit
  ) {
    self.workers = workers
    self.cancellation = cancellation
    self.memoryLimit = memoryLimit
  }

  package func run(
    _ graph: Graph, inputs: [Tensor], observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) -> [Tensor] {
    try graph.checkRuns()
    try graph.decodeConstants()
    try graph.check(inputs: inputs)
    let types = try graph.specialized(to: inputs)
    try checkMemory(graph, types)
    var tensors = [Tensor?](repeating: nil, count: graph.values.count)
    for (index, value) in graph.values.enumerated() { tensors[index] = value.constant }
    for (port, tensor) in zip(graph.inputs, inputs) { tensors[port.value.index] = tensor }
    let lastUses = graph.lastUses
    for (position, node) in graph.nodes.enumerated() {
      try checkCancellation()
      let start = ContinuousClock.now
      let outputs = try evaluate(node, at: position, tensors, types)
      let nanoseconds = start.nanosecondsSince
      for (id, tensor) in zip(node.outputs, outputs) { tensors[id.index] = tensor }
      let computed = ComputedNode(position, of: graph, kernel: .reference)
      try observe(NodeResult(computed, nanoseconds: nanoseconds) { outputs })
      for id in lastUses[position] { tensors[id.index] = nil }
    }
    try checkCancellation()
    return graph.outputs.compactMap { tensors[$0.value.index]?.contiguous() }
  }

  private func checkCancellation() throws(WeighbridgeError) {
    if let stop = Cancellation.either(cancellation, .ofTask), stop.isCancelled {
      throw .cancelled("cancelled")
    }
  }

  private func evaluate(
    _ node: Node, at position: Int, _ tensors: [Tensor?], _ types: [TensorType]
  ) throws(WeighbridgeError) -> [Tensor] {
    try locating({ $0.at(layer: node.source.place(position)) }) { () throws(WeighbridgeError) in
      guard let operation = node.operation as? any CatalogOperator else {
        throw .unsupported("\(node.operation.kind) cannot run")
      }
      let inputs = node.inputs.compactMap { tensors[$0.index] }
      // A size that depends on the elements is unknown to the shape rule, until they are computed.
      if node.inputs.contains(where: { types[$0.index].fixedShape == nil }) {
        try check(operation, inputs)
      }
      let outputs = try evaluate(operation, inputs, node.quantization)
      for output in outputs { try checkMemory(output.type) }
      precondition(
        outputs.count == node.outputs.count
          && zip(outputs, node.outputs).allSatisfy { $0.type.agrees(with: types[$1.index]) },
        "the kernel of \(operation.kind) breaks its shape rule")
      return outputs
    }
  }

  /// Evaluates an operator; its subgraphs run as models do.
  private func evaluate(
    _ operation: any CatalogOperator, _ inputs: [Tensor], _ quantization: InputQuantization?
  ) throws(WeighbridgeError) -> [Tensor] {
    guard let operation = operation as? any SubgraphOperator else {
      return try operation.evaluate(inputs, quantization: quantization, workers: workers)
    }
    return try operation.evaluate(inputs, memoryLimit: memoryLimit) {
      (position, inputs) throws(WeighbridgeError) in
      try run(operation.subgraphs[position].graph, inputs: inputs) { _ in }
    }
  }

  /// Throws if an operator does not take tensors whose sizes were not known before, or its outputs would
  /// take more memory than allowed.
  private func check(
    _ operation: any CatalogOperator, _ inputs: [Tensor]
  ) throws(WeighbridgeError) {
    let types: [TensorType]
    do throws(ShapeError) {
      types = try operation.checkedOutputTypes(of: inputs.map(\.type))
    } catch { throw .mismatch(error.reason) }
    for type in types { try checkMemory(type) }
  }

  /// Throws if a tensor would take more memory than allowed.
  private func checkMemory(_ type: TensorType) throws(WeighbridgeError) {
    let size = try Checked.product((type.fixedShape ?? []) + [8], of: "the size of an activation")
    guard size / 8 * type.elementType.byteCount <= memoryLimit else {
      throw .limitExceeded(
        "its output \(type) takes more memory than the limit of \(memoryLimit) bytes "
          + "(\(APIName.memoryLimit))")
    }
  }

  /// Throws if the activations of the run would take more memory than allowed.
  private func checkMemory(_ graph: Graph, _ types: [TensorType]) throws(WeighbridgeError) {
    let peak = try graph.peakActivationSize(types)
    guard peak <= memoryLimit else {
      throw .limitExceeded(
        "its activations take \(peak) bytes at once, and the limit is \(memoryLimit) "
          + "(\(APIName.memoryLimit))")
    }
  }
}
