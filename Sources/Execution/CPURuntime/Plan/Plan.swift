import Bytes
import GraphIR
import LayerCatalog

/// A graph compiled for inputs of given shapes: the kernels, layouts and memory of all values.
struct Plan: Sendable {
  let graph: Graph
  let groups: [NodeGroup]
  /// For each group, its last node, with those that are computed together with it.
  let computed: [ComputedNode]
  let steps: [Step]
  let arena: ArenaLayout
  let constants: [ConstantMemory]
  /// For each value that exists while the plan runs, how it lies in memory.
  let tensors: [ValueID: StoredTensor]
  /// The outputs, in row-major order.
  let outputs: [StoredTensor]
  /// The values that may be in the caller's memory; `nil` if none may.
  let borrowing: BorrowedMemory?

  /// The options of a plan.
  struct Options: Hashable, Sendable {
    /// The number of threads.
    var threads: Int
    /// Whether every node's outputs exist when it has run, so that they can be observed.
    var keepsNodes = false
    /// Whether a group's outputs exist as floats even if integers or bfloat16 suffice.
    var keepsFloats = false
    /// Whether inputs and outputs may be in the caller's memory; inputs are then read-only.
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
    let isNarrow = graph.values.contains { NarrowFloat($0.type.elementType) != nil }
    let isFused = !options.keepsNodes && !isNarrow
    let roundings = isFused ? FakeQuantization.all(in: graph, types: types) : [:]
    let groups = Fusion.groups(of: graph, types: types, isFused: isFused, roundings: roundings)
    var builder = PlanBuilder(
      graph: graph, types: types, groups: groups, roundings: roundings, weights: weights,
      options: options)
    var tensors: [ValueID: StoredTensor] = [:]
    builder.decideQuantized(for: groups, keepsFloats: options.keepsFloats)
    for port in graph.inputs { tensors[port.value] = builder.tensor(port.value) }
    for (number, group) in groups.enumerated() {
      builder.begin(group: number, at: group.positions.last ?? 0)
      if !graph.isConstant(group) {
        builder.add(group)
        builder.addRounding(of: group)
        builder.keep(group.outputs)
        for id in group.outputs where builder.isStored(id) { tensors[id] = builder.tensor(id) }
      }
      graph.releaseDecodedConstants(of: group, except: builder.constantsReadInPlace)
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
    let kernels = Self.kernels(
      steps, fallbacks: groups.map { .own(graph.isConstant($0) ? "constant" : "view") })
    computed = zip(groups, kernels).map { group, kernel in
      ComputedNode(
        group.positions[group.positions.count - 1], fused: group.positions.dropLast(), of: graph,
        kernel: kernel)
    }
    arena = ArenaLayout(regions)
    borrowing =
      options.borrowsMemory
      ? BorrowedMemory(
        inputs: graph.inputs.map { tensors[$0.value] }, outputs: outputs, regions: regions) : nil
    constants = builder.constants
  }
}

extension Graph {
  /// Frees the decoded constants that a group reads, of which the plan has copies.
  fileprivate func releaseDecodedConstants(of group: NodeGroup, except kept: Set<ValueID>) {
    for id in group.positions.flatMap({ nodes[$0].inputs }) where !kept.contains(id) {
      guard let constant = self[id].constant, constant.store.origin != nil else { continue }
      constant.releaseMemory()
    }
  }
}

extension Plan {
  /// The kernel that is reported for each group: the reference kernel if there is one, else the
  /// last of its most significant steps.
  ///
  /// - Parameter fallbacks: The kernel of each group if it has no steps.
  private static func kernels(_ steps: [Step], fallbacks: [KernelKind]) -> [KernelKind] {
    var kernels = fallbacks
    var contributions = fallbacks.map { _ in Primitive.Contribution?.none }
    for step in steps where step.group < kernels.count && kernels[step.group] != .reference {
      switch step.work {
      case .reference: kernels[step.group] = .reference
      case .kernel(let name, _):
        // Copies and roundings do not identify the kernel that computed a result.
        let isMinor = name == PlanBuilder.copyName || name == PlanBuilder.roundingName
        if isMinor, contributions[step.group] != nil { continue }
        kernels[step.group] = .own(name)
        if !isMinor { contributions[step.group] = .computation }
      case .primitive(let primitive, _):
        let contribution = primitive.contribution
        guard contribution.rawValue >= contributions[step.group]?.rawValue ?? 0 else { continue }
        (kernels[step.group], contributions[step.group]) = (.own(primitive.name), contribution)
      }
    }
    return kernels
  }
}

extension PlanBuilder {
  /// Adds the steps of a group: fused if possible, else node by node.
  fileprivate mutating func add(_ group: NodeGroup) {
    if group.isFakeQuantization {
      addFakeQuantization(group)
      return
    }
    if group.combinesRounded {
      if addCombination(group) { return }
    } else if let operation = group.operation as? any EngineOperator,
      operation.addSteps(to: &self, for: group)
    {
      return
    }
    if group.isWrittenOut, group.additions.isEmpty, addElementwise(group) { return }
    guard group.positions.count > 1 else {
      var group = group
      if group.combinesRounded {
        group.combinesRounded = false
        add(group)
      } else if !addElementwise(group), !addDecomposed(group) {
        addReference(group)
      }
      return
    }
    for position in group.positions {
      begin(group: self.group, at: position)
      let node = graph.nodes[position]
      guard let operation = node.operation as? any CatalogOperator else { continue }
      var single = NodeGroup(
        positions: [position], operation: operation, quantization: node.quantization,
        inputs: node.inputs, outputs: node.outputs)
      if node.inputs == group.inputs { single.rounding = group.rounding }
      add(single)
      end(node.inputs)
    }
  }

  /// Adds the steps of an operator's decomposition.
  ///
  /// - Returns: Whether they were added; otherwise nothing was, because it has a reference kernel of
  ///   its own or its decomposition has no form for these inputs.
  private mutating func addDecomposed(_ group: NodeGroup) -> Bool {
    let inputs = group.inputs.enumerated().map { position, id in
      Value(name: "input \(position)", type: types[id.index], constant: graph[id].constant)
    }
    // What is held in another type is rounded once, by the reference kernel.
    let isHeldAsIs = (group.inputs + group.outputs).allSatisfy {
      graph[$0].type.elementType == types[$0.index].elementType
    }
    guard group.operation is any CompositeOperator, group.quantization == nil, isHeldAsIs,
      let decomposition = try? group.operation.decomposition.graph(
        inputs, source: graph.nodes[group.positions[0]].source),
      decomposition.outputs.map({ decomposition[$0.value].type.held })
        == group.outputs.map({ types[$0.index] })
    else { return false }
    let ids = insert(decomposition, inputs: group.inputs)
    for (inner, node) in decomposition.nodes.enumerated() {
      guard let operation = node.operation as? any CatalogOperator else { continue }
      let (read, made) = (node.inputs.map { ids[$0.index] }, node.outputs.map { ids[$0.index] })
      inside(inner) {
        $0.add(
          NodeGroup(
            positions: group.positions, operation: operation, quantization: nil, inputs: read,
            outputs: made))
        $0.end(read + made)
      }
    }
    for (port, output) in zip(decomposition.outputs, group.outputs) {
      let result = NodeGroup(
        positions: group.positions, operation: Identity(), quantization: nil,
        inputs: [ids[port.value.index]], outputs: [output])
      inside(decomposition.nodes.count) { $0.add(result) }
    }
    leave(group.inputs)
    return true
  }

  /// Adds the reference kernel of an operator.
  private mutating func addReference(_ group: NodeGroup) {
    let (operation, position) = (group.operation, group.positions[0])
    let inputs = group.inputs.map { id in
      guard let constant = graph[id].constant else {
        return ReferenceCall.Input.stored(rowMajor(id), as: graph[id].type.elementType)
      }
      readInPlace(id)
      return .constant(constant)
    }
    let outputs = group.outputs.map { makeTensor($0) }
    let call = ReferenceCall(
      operation: operation, quantization: group.quantization,
      place: graph.nodes[position].source.place(position), inputs: inputs, outputs: outputs)
    add(.reference(call), using: call.storages)
  }
}

/// An operator with an optimized kernel in this engine.
protocol EngineOperator: CatalogOperator {
  /// Adds the steps of a group that begins with this operator.
  ///
  /// - Returns: Whether they were added; otherwise nothing was, and the reference kernel computes
  ///   it.
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool
}
