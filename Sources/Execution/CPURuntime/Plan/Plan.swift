import GraphIR
import LayerCatalog

/// A graph, ready to run on inputs of given shapes: which kernel computes what, in which layout and
/// where.
struct Plan: Sendable {
  let graph: Graph
  let groups: [NodeGroup]
  /// What computes each group.
  let kernels: [KernelKind]
  let steps: [Step]
  let arena: ArenaLayout
  let constants: [ConstantMemory]
  /// For each value that exists while the plan runs, how it lies in memory.
  let tensors: [ValueID: StoredTensor]
  /// The outputs, in row-major order.
  let outputs: [StoredTensor]
  /// What may lie in memory of the caller's; `nil` when nothing may.
  let borrowing: BorrowedMemory?

  /// How a plan is made.
  struct Options: Hashable, Sendable {
    /// How many threads compute.
    var threads: Int
    /// Whether every node's outputs exist when it has run, so that they can be looked at.
    var keepsNodes = false
    /// Whether what a group of nodes makes exists as floats also where integers or bfloat16 are enough.
    var keepsFloats = false
    /// Whether kernels must let NaN through.
    var keepsNaN = false
    /// Whether inputs and outputs may lie in memory of the caller's: inputs are then only read.
    var borrowsMemory = false
  }

  /// Plans a graph.
  ///
  /// - Parameters:
  ///   - graph: What is computed.
  ///   - types: The types of all values, with known sizes, as the engine holds them.
  ///   - weights: Where prepared weights are kept.
  init(_ graph: Graph, types: [TensorType], weights: PreparedWeights, options: Options) {
    Threads.use(options.threads)
    var options = options
    let isNarrow = graph.values.contains { NarrowFloat($0.type.elementType) != nil }
    // In 16 bits, ordinary numbers become infinite.
    if isNarrow { options.keepsNaN = true }
    let groups = Fusion.groups(
      of: graph, types: types, isFused: !options.keepsNodes && !isNarrow,
      fusesFunctions: !options.keepsNaN)
    var builder = PlanBuilder(
      graph: graph, types: types, groups: groups, weights: weights, options: options)
    var tensors: [ValueID: StoredTensor] = [:]
    builder.decideQuantized(for: groups, keepsFloats: options.keepsFloats)
    for port in graph.inputs { tensors[port.value] = builder.tensor(port.value) }
    for (number, group) in groups.enumerated() {
      builder.begin(group: number, at: group.positions.last ?? 0)
      if !graph.isKnown(group) {
        builder.add(group)
        builder.addRounding(of: group)
        builder.keep(group.outputs)
        for id in group.outputs where builder.isStored(id) { tensors[id] = builder.tensor(id) }
      }
      builder.end(group.positions.flatMap { graph.nodes[$0].inputs + graph.nodes[$0].outputs })
    }
    builder.begin(group: groups.count, at: graph.nodes.count)
    outputs = graph.outputs.map { builder.rowMajor($0.value) }
    var regions = builder.regions
    for case .region(let region) in outputs.map(\.storage.memory) {
      regions[region].use(at: builder.steps.count)
    }
    self.graph = graph
    self.groups = groups
    self.tensors = tensors
    steps = builder.steps
    kernels = Self.kernels(
      steps, without: groups.map { .own(graph.isKnown($0) ? "constant" : "view") })
    arena = ArenaLayout(regions)
    borrowing =
      options.borrowsMemory
      ? BorrowedMemory(
        inputs: graph.inputs.map { tensors[$0.value] }, outputs: outputs, regions: regions) : nil
    constants = builder.constants
  }
}

extension Plan {
  /// What computes each group: the reference kernel when there is one, else its last step of those
  /// that do the most.
  ///
  /// - Parameter without: What is said of each group if it has no steps.
  private static func kernels(_ steps: [Step], without: [KernelKind]) -> [KernelKind] {
    var kernels = without
    var shares = without.map { _ in Primitive.Share?.none }
    for step in steps where step.group < kernels.count && kernels[step.group] != .reference {
      switch step.work {
      case .reference: kernels[step.group] = .reference
      case .kernel(let name, _):
        // What orders or rounds a result does not say what computed it.
        let isLittle = name == PlanBuilder.copyName || name == PlanBuilder.roundingName
        if isLittle, shares[step.group] != nil { continue }
        kernels[step.group] = .own(name)
        if !isLittle { shares[step.group] = .whole }
      case .primitive(let primitive, _):
        guard primitive.share.rawValue >= shares[step.group]?.rawValue ?? 0 else { continue }
        (kernels[step.group], shares[step.group]) = (.own(primitive.name), primitive.share)
      }
    }
    return kernels
  }
}

extension PlanBuilder {
  /// Adds what computes a group: as a whole, or else node by node.
  fileprivate mutating func add(_ group: NodeGroup) {
    if let operation = group.operation as? any EngineOperator,
      operation.addSteps(to: &self, for: group)
    {
      return
    }
    if group.positions.count == 1, addElementwise(group) { return }
    guard group.positions.count > 1 else { return addReference(group.positions[0]) }
    for position in group.positions {
      begin(group: self.group, at: position)
      let node = graph.nodes[position]
      guard let operation = node.operation as? any CatalogOperator else { continue }
      let single = NodeGroup(
        positions: [position], operation: operation, quantization: node.quantization,
        inputs: node.inputs, outputs: node.outputs)
      add(single)
      end(node.inputs)
    }
  }

  /// Adds the reference kernel of a node.
  private mutating func addReference(_ position: Int) {
    let node = graph.nodes[position]
    guard let operation = node.operation as? any CatalogOperator else { return }
    let inputs = node.inputs.map { id in
      graph[id].constant.map(ReferenceCall.Input.constant)
        ?? .stored(rowMajor(id), as: graph[id].type.elementType)
    }
    let outputs = node.outputs.map { makeTensor($0) }
    let call = ReferenceCall(
      operation: operation, quantization: node.quantization,
      place: node.source.place(position), inputs: inputs, outputs: outputs)
    add(.reference(call), using: call.storages)
  }
}

/// An operator that this engine computes in a faster way than its reference kernel.
protocol EngineOperator: CatalogOperator {
  /// Adds the steps that compute a group which begins with this operator.
  ///
  /// - Returns: Whether they were added; otherwise nothing was, and the reference kernel computes it.
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool
}
