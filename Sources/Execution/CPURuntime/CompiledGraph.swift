package import Bytes
package import GraphIR
import Synchronization

/// A graph to be run repeatedly: plans and prepared weights are cached.
///
/// Several threads may run it at once; each run has its own memory.
package final class CompiledGraph: Sendable {
  private let graph: Graph
  /// The constants that a plan or a kernel may decode at any time.
  private let encodedConstants: [Tensor]
  private let options: CPURuntime.Options
  /// The number of graphs that this one is a part of.
  private let level: Int
  private let weights = PreparedWeights()
  private let plans = PlanCache()
  /// Held while a plan is built, so that threads neither plan nor prepare weights twice.
  private let planning = Mutex(())
  /// The parts of a graph with sizes that depend on elements, as they were divided last.
  private let stages = Mutex<GraphStages?>(nil)

  /// Prepares a graph; plans are built once the shapes of the inputs are known.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a layer cannot run.
  package convenience init(
    _ graph: Graph, _ options: CPURuntime.Options
  ) throws(WeighbridgeError) { try self.init(graph, options, level: 0) }

  /// - Parameter level: The number of graphs that this one is a part of.
  init(
    _ graph: Graph, _ options: CPURuntime.Options, level: Int
  ) throws(WeighbridgeError) {
    self.level = level
    try graph.checkRuns()
    try graph.decodeConstants()
    self.graph = options.observesAllNodes ? graph : graph.foldingConstants(options.workers)
    encodedConstants = self.graph.encodedConstants
    self.options = options
  }

  /// Computes the graph's outputs.
  ///
  /// - Parameters:
  ///   - inputs: One tensor for each of the graph's inputs, in their order.
  ///   - observe: Called after each group of nodes that was computed together, with its last node.
  /// - Returns: One tensor for each of the graph's outputs, in their order.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an input does not fit;
  ///   ``WeighbridgeError/Code/limitExceeded``; ``WeighbridgeError/Code/cancelled``;
  ///   ``WeighbridgeError/Code/damaged`` when an encoded weight can no longer be decoded.
  package func run(
    _ inputs: [Tensor], observe: (NodeResult) throws(WeighbridgeError) -> Void = { _ in }
  ) throws(WeighbridgeError) -> [Tensor] {
    let types = inputs.map(\.type)
    try graph.check(inputs: types)
    if let stages = try stages(for: types) {
      return try stages.run(inputs, observe: observe)
    }
    var outputs: [Tensor] = []
    try run(types) { execution in
      for (position, tensor) in inputs.enumerated() {
        execution.write(tensor, toInput: position)
        // Mapped memory has been copied; to read it again costs more time than it is worth if it is small.
        if tensor.byteCount > Self.keptInputSize { tensor.releaseMemory() }
      }
    } observe: { (result) throws(WeighbridgeError) in
      try observe(result)
    } read: { execution in
      outputs = execution.plan.outputs.indices.map(execution.output)
    }
    return outputs
  }

  /// Computes the graph's outputs in the engine's own memory, without copies.
  ///
  /// - Parameters:
  ///   - types: The type of each input: float32 with known sizes.
  ///   - write: Called with the elements of each input, row-major, to be filled.
  ///   - read: Called with the shape and the elements of each output, row-major.
  /// - Throws: As ``run(_:observe:)``; ``WeighbridgeError/Code/mismatch`` when an input or an
  ///   output is not float32.
  package func run(
    _ types: [TensorType], write: (Int, inout MutableSpan<Float>) -> Void,
    read: (Int, [Int], Span<Float>) -> Void
  ) throws(WeighbridgeError) {
    for port in graph.inputs + graph.outputs where graph[port.value].type.elementType != .float32 {
      throw .mismatch("\(port.name) is \(graph[port.value].type), and only float32 can be shared")
    }
    try graph.check(inputs: types)
    try run(types) { execution in
      for position in graph.inputs.indices {
        execution.withInput(position) { write(position, &$0) }
      }
    } observe: { _ in
    } read: { execution in
      for (position, output) in execution.plan.outputs.enumerated() {
        execution.withOutput(position) { read(position, output.shape, $0) }
      }
    }
  }

  /// The parts of the graph if some shapes depend on the values of elements; `nil` if none does.
  private func stages(for types: [TensorType]) throws(WeighbridgeError) -> GraphStages? {
    guard try hasDataDependentShapes(for: types) else { return nil }
    let parts = GraphStages.parts(of: graph, try graph.specialized(to: types), level: level)
    return try stages.withLock { (last) throws(WeighbridgeError) in
      if let last, last.parts == parts { return last }
      let divided = try GraphStages(graph, parts, options, level: level)
      last = divided
      return divided
    }
  }

  /// Whether some shapes depend on the values of elements, so that no plan can be built for the whole
  /// graph, which runs in parts.
  ///
  /// - Complexity: Linear in the size of the graph, until there is a plan for these types.
  package func hasDataDependentShapes(for types: [TensorType]) throws(WeighbridgeError) -> Bool {
    for borrowsMemory in [false, true] {
      let key = key(for: types, borrowsMemory: borrowsMemory)
      if plans.contains(key) { return false }
    }
    return try graph.hasDataDependentShapes(for: types)
  }

  /// The types of the outputs for inputs of given types.
  ///
  /// - Throws: As ``run(_:observe:)``; ``WeighbridgeError/Code/unsupported`` if they depend on
  ///   elements.
  package func outputTypes(for types: [TensorType]) throws(WeighbridgeError) -> [TensorType] {
    try graph.check(inputs: types)
    let key = key(for: types, borrowsMemory: true)
    let plan = if let plan = plans.plan(key) { plan } else { try plan(key, types) }
    return zip(graph.outputs, plan.outputs).map { port, output in
      TensorType(graph[port.value].type.elementType, output.shape)
    }
  }

  /// Computes the graph's outputs from and into the caller's memory. Tensors that the engine holds
  /// in the same type are not copied, except outputs that are inputs, weights or parts of other
  /// outputs.
  ///
  /// - Parameters:
  ///   - types: The type of each input, with known sizes.
  ///   - inputs: For each input, its elements, row-major; only read.
  ///   - outputs: For each output, a row-major buffer of its type in ``outputTypes(for:)``, filled
  ///     unless this throws. Buffers must not overlap.
  /// - Throws: As ``run(_:observe:)``.
  package func run(
    _ types: [TensorType], from inputs: [UnsafeRawPointer],
    into outputs: [UnsafeMutableRawPointer]
  ) throws(WeighbridgeError) {
    try graph.check(inputs: types)
    try run(types, borrowsMemory: true) { execution in
      for position in unsafe inputs.indices {
        unsafe execution.borrowInput(position, at: inputs[position])
      }
      for position in unsafe outputs.indices {
        unsafe execution.borrowOutput(position, at: outputs[position])
      }
    } observe: { _ in
    } read: { execution in
      for position in unsafe outputs.indices {
        unsafe execution.deliverOutput(position, to: outputs[position])
      }
    }
  }

  /// The memory that activations take for inputs of given types, and the lower bound for any
  /// layout: the peak size of live activations; both in bytes.
  ///
  /// - Throws: As ``run(_:observe:)``.
  package func activationMemory(
    for types: [TensorType]
  ) throws(WeighbridgeError) -> (arena: Int, lowerBound: Int) {
    try graph.check(inputs: types)
    let (execution, key) = try execution(for: types)
    defer { plans.checkIn(execution, for: key) }
    return (execution.plan.arena.byteCount, execution.plan.arena.lowerBound)
  }

  private func run(
    _ types: [TensorType], borrowsMemory: Bool = false, write: (Execution) -> Void,
    observe: (NodeResult) throws(WeighbridgeError) -> Void, read: (Execution) -> Void
  ) throws(WeighbridgeError) {
    let (execution, key) = try execution(for: types, borrowsMemory: borrowsMemory)
    write(execution)
    let cancellation = Cancellation.either(options.cancellation, .ofTask)
    try execution.run(cancellation: cancellation, observe: observe)
    try encodedConstants.checkSourcesUnchanged()
    read(execution)
    plans.checkIn(execution, for: key)
  }

  /// A plan with memory to run in: an idle one from the cache, or a new one.
  private func execution(
    for types: [TensorType], borrowsMemory: Bool = false
  ) throws(WeighbridgeError) -> (Execution, PlanCache.Key) {
    let key = key(for: types, borrowsMemory: borrowsMemory)
    if let idle = plans.checkOut(key) { return (idle, key) }
    let plan = if let plan = plans.plan(key) { plan } else { try plan(key, types) }
    return (try Execution(plan, workers: options.workers), key)
  }

  private func key(
    for types: [TensorType], borrowsMemory: Bool
  ) -> PlanCache.Key {
    PlanCache.Key(
      shapes: types.map { $0.fixedShape ?? [] },
      options: Plan.Options(
        threads: options.workers.count, keepsNodes: options.observesAllNodes,
        keepsFloats: options.observesAllNodes || options.observesIntegers,
        borrowsMemory: borrowsMemory))
  }

  private func plan(
    _ key: PlanCache.Key, _ types: [TensorType]
  ) throws(WeighbridgeError) -> Plan {
    try planning.withLock { (_) throws(WeighbridgeError) in
      if let plan = plans.plan(key) { return plan }  // another thread built it meanwhile
      let plan = try build(types, key.options)
      plans.add(plan, for: key)
      return plan
    }
  }

  private func build(
    _ types: [TensorType], _ options: Plan.Options
  ) throws(WeighbridgeError) -> Plan {
    let types = try graph.specialized(to: types).map(\.held)
    guard types.allSatisfy({ $0.fixedShape != nil }), !graph.runsSubgraphs else {
      throw .unsupported(
        "the shape of a layer's output depends on the values of its input, or it runs a loop or a branch, so that no memory can be planned or shared"
      )
    }
    // Even if the plan reuses memory, arithmetic on sizes must not overflow.
    guard try graph.peakActivationSize(types) <= Self.maximumArenaSize else {
      throw .limitExceeded("its activations take more memory than can be addressed")
    }
    let plan = Plan(graph, types: types, weights: weights, options: options)
    try checkMemory(plan.arena.byteCount)
    return plan
  }

  /// The size of an input up to which its memory is kept for the next run.
  private static let keptInputSize = 16 << 20

  /// The maximum size of all activations together that is planned: 256 TiB.
  private static let maximumArenaSize = 1 << 48

  private func checkMemory(_ size: Int) throws(WeighbridgeError) {
    let limit = options.memoryLimit ?? CPURuntime.defaultMemoryLimit
    guard size <= limit else {
      throw .limitExceeded(
        "its activations take \(size) bytes at once, and the limit is \(limit) "
          + "(\(APIName.memoryLimit))")
    }
  }
}
