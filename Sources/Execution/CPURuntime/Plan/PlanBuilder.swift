import Bytes
import CKernels
import GraphIR

/// Builds the steps and the memory layout of a plan.
struct PlanBuilder {
  /// The graph, with the values inside of decomposed operators after its own.
  private(set) var graph: Graph
  /// The types of all values for the inputs at hand, as the engine holds them.
  private(set) var types: [TensorType]
  /// How many threads compute.
  let threads: Int
  let weights: PreparedWeights
  /// The number of the graph's own values.
  private let valueCount: Int

  private(set) var steps: [Step] = []
  private(set) var regions: [ArenaLayout.Region] = []
  private(set) var constants: [ConstantMemory] = []
  /// The graph's constants that kernels read themselves when they run.
  private(set) var constantsReadInPlace: Set<ValueID> = []
  /// For each value, its tensor in all forms that there are; the original one first.
  private var forms: [ValueID: [StoredTensor]] = [:]
  /// The values that exist as 8-bit integers or bfloat16.
  private(set) var quantized = QuantizedValues()
  /// The values that are rounded to integers, of which floats are made for the first reader of these.
  let roundings: [ValueID: FakeQuantization]
  /// The values that live in a region.
  private var residents: [Int: Set<ValueID>] = [:]
  /// The regions that are parts of others or have parts, which must not be overwritten.
  private var joined: Set<Int> = []
  /// The regions of inputs that are only read, because they may be the caller's memory.
  private var borrowed: Set<Int> = []
  /// The group that is being planned.
  private(set) var group = 0
  /// Where the plan is: the group, the node that it is at, then inside of a decomposed operator the
  /// positions in its decompositions.
  private var position = [0, 0]
  /// For each value, the position that reads it last.
  private var lastReaders: [ValueID: [Int]] = [:]

  /// Begins a plan.
  init(
    graph: Graph, types: [TensorType], groups: [NodeGroup],
    roundings: [ValueID: FakeQuantization], weights: PreparedWeights, options: Plan.Options
  ) {
    self.graph = graph
    self.types = types
    self.roundings = roundings
    self.weights = weights
    threads = options.threads
    valueCount = graph.values.count
    for (number, group) in groups.enumerated() {
      for position in group.positions {
        for id in graph.nodes[position].inputs { read(id, at: [number, position]) }
      }
    }
    for port in graph.outputs { read(port.value, at: [groups.count, graph.nodes.count]) }
    for port in graph.inputs where forms[port.value] == nil {
      let input = makeTensor(port.value, layout: rowMajorLayout(of: port.value))
      if case .region(let region) = input.storage.memory {
        regions[region].use(at: -1)
        if options.borrowsMemory { borrowed.insert(region) }
      }
    }
  }

  /// Notes that a value is read, and so whatever it may be made from at that time.
  private mutating func read(_ id: ValueID, at position: [Int]) {
    var id = id
    lastReaders[id] = position
    while let rounding = roundings[id] {
      id = rounding.input
      lastReaders[id] = position
    }
  }

  /// Notes that a kernel reads a constant itself when it runs.
  mutating func readInPlace(_ id: ValueID) { constantsReadInPlace.insert(id) }

  /// Starts planning a group, or one of its nodes if they are planned individually.
  mutating func begin(group: Int, at node: Int) {
    (self.group, position) = (group, [group, node])
  }

  /// Keeps a group's outputs alive until its last step even if they are unread: they may be
  /// observed.
  mutating func keep(_ outputs: [ValueID]) {
    guard !steps.isEmpty else { return }
    for case .region(let region) in outputs.compactMap({ forms[$0]?.first?.storage.memory }) {
      regions[region].use(at: steps.count - 1)
    }
  }

  /// Releases values that no later node needs.
  mutating func end(_ values: [ValueID]) {
    for id in values where !isNeededLater(id) && graph[id].constant == nil {
      for form in forms[id] ?? [] {
        if case .region(let region) = form.storage.memory { residents[region]?.remove(id) }
      }
      forms[id] = nil
    }
  }

  private func isNeededLater(_ id: ValueID) -> Bool {
    guard let last = lastReaders[id] else { return false }
    return position.lexicographicallyPrecedes(last)
  }
}

// MARK: - Decompositions

extension PlanBuilder {
  /// Adds the values of a decomposition.
  ///
  /// - Parameters:
  ///   - decomposition: With sizes that are all known; its first values are the operator's inputs.
  ///   - inputs: The operator's inputs.
  /// - Returns: The value of each of its values.
  mutating func insert(_ decomposition: Graph, inputs: [ValueID]) -> [ValueID] {
    var ids = decomposition.values.indices.map { ValueID(graph.values.count + $0) }
    graph = graph.addingValues(decomposition.values)
    types += decomposition.values.map(\.type.held)
    ids.replaceSubrange(inputs.indices, with: inputs)
    let (outer, last) = (position, decomposition.nodes.count)
    func read(_ id: ValueID, at inner: Int) {
      let reader = outer + [inner]
      if lastReaders[id].map({ $0.lexicographicallyPrecedes(reader) }) ?? true {
        lastReaders[id] = reader
      }
    }
    for (inner, node) in decomposition.nodes.enumerated() {
      for id in node.inputs { read(ids[id.index], at: inner) }
    }
    for port in decomposition.outputs { read(ids[port.value.index], at: last) }
    return ids
  }

  /// Ends a decomposition: nothing inside of the operator at hand reads its inputs any more.
  mutating func leave(_ inputs: [ValueID]) {
    for id in inputs where lastReaders[id]?.starts(with: position) ?? false {
      lastReaders[id] = position
    }
  }

  /// Plans a step inside of the decomposition of the operator at hand.
  mutating func inside(_ inner: Int, _ plan: (inout PlanBuilder) -> Void) {
    position.append(inner)
    plan(&self)
    position.removeLast()
  }
}

// MARK: - Tensors

extension PlanBuilder {
  /// The sizes of a value.
  func shape(of id: ValueID) -> [Int] { types[id.index].fixedShape ?? [] }

  /// The row-major layout of a float32 value; `nil` for what has none.
  func rowMajorLayout(of id: ValueID) -> Layout? {
    types[id.index].elementType == .float32 ? .rowMajor(shape(of: id)) : nil
  }

  /// The layout that a value was made in.
  func storedLayout(of id: ValueID) -> Layout? { forms[id]?.first?.layout }

  /// Whether values are float32 and of a shape that has a layout.
  func areFloats(_ ids: some Sequence<ValueID>) -> Bool {
    ids.allSatisfy { rowMajorLayout(of: $0) != nil }
  }

  /// Whether a value exists as the graph has it, or is a weight.
  func isStored(_ id: ValueID) -> Bool { forms[id] != nil || graph[id].constant != nil }

  /// Decides which values exist as integers or bfloat16.
  mutating func decideQuantized(for groups: [NodeGroup], keepsFloats: Bool) {
    quantized = QuantizedValues(groups, self, keepsFloats: keepsFloats)
  }

  /// Records the storage of a value in a reduced form.
  mutating func recordReduced(_ storage: Storage, of id: ValueID, _ form: ReducedForm) {
    quantized.record(storage, of: id, form)
  }

  /// A value in its original form.
  mutating func tensor(_ id: ValueID) -> StoredTensor {
    if let form = forms[id]?.first { return form }
    if let rounding = roundings[id], let form = addFloats(of: id, rounding) { return form }
    guard let constant = graph[id].constant else {
      preconditionFailure("value \(id.index) is read before it is made")
    }
    let held = constant.held(as: types[id.index].elementType)
    constants.append(ConstantMemory(held))
    let form = StoredTensor(
      storage: Storage(memory: .constant(constants.count - 1)),
      elementType: held.elementType, shape: constant.shape, layout: rowMajorLayout(of: id))
    forms[id] = [form]
    return form
  }

  /// A value in a layout: as it is, or as a copy that later readers share.
  ///
  /// - Parameter layout: With the graph's order of axes.
  /// - Returns: `nil` if there is no conversion.
  mutating func tensor(_ id: ValueID, as layout: Layout) -> StoredTensor? {
    let original = tensor(id)
    if let form = forms[id]?.first(where: { $0.layout?.isSame(as: layout) ?? false }) {
      return form
    }
    if let constant = graph[id].constant {
      guard let storage = weight(constant, id, as: layout) else { return nil }
      let form = StoredTensor(
        storage: storage, elementType: .float32, shape: constant.shape, layout: layout)
      forms[id, default: []].append(form)
      return form
    }
    guard let from = original.layout, let reorder = Primitive.reorder(from: from, to: layout) else {
      return nil
    }
    let copy = makeTensor(id, layout: layout)
    add(reorder, [(kernels_role_source, original.storage), (kernels_role_target, copy.storage)])
    return copy
  }

  /// A value in row-major order.
  mutating func rowMajor(_ id: ValueID) -> StoredTensor {
    let original = tensor(id)
    guard !original.isRowMajor, let layout = rowMajorLayout(of: id),
      let copy = tensor(id, as: layout)
    else { return original }
    return copy
  }

  /// A value whose memory holds nothing else.
  mutating func dense(_ id: ValueID) -> StoredTensor {
    let original = tensor(id)
    return original.layout?.isDense ?? true ? original : rowMajor(id)
  }

  /// New memory for a value.
  ///
  /// - Parameter layout: With the graph's order of axes; `nil` for row-major tensors that have no
  ///   layout.
  mutating func makeTensor(_ id: ValueID, layout: Layout?) -> StoredTensor {
    let shape = shape(of: id)
    let tensor = StoredTensor(
      storage: Storage(memory: .region(regions.count)),
      elementType: types[id.index].elementType, shape: shape, layout: layout)
    regions.append(ArenaLayout.Region(byteCount: tensor.byteCount))
    record(tensor, of: id)
    return tensor
  }

  /// New memory for a value in row-major order.
  mutating func makeTensor(_ id: ValueID) -> StoredTensor {
    makeTensor(id, layout: rowMajorLayout(of: id))
  }

  /// Reuses a tensor's memory for another value with its own shape.
  mutating func share(
    _ tensor: StoredTensor, as id: ValueID, layout: Layout?, offset: Int = 0
  ) -> StoredTensor {
    var storage = tensor.storage
    storage.offset += offset
    let shared = StoredTensor(
      storage: storage, elementType: tensor.elementType, shape: shape(of: id), layout: layout)
    record(shared, of: id)
    return shared
  }

  private mutating func record(_ tensor: StoredTensor, of id: ValueID) {
    forms[id, default: []].append(tensor)
    if case .region(let region) = tensor.storage.memory {
      residents[region, default: []].insert(id)
    }
  }

  /// Whether a value's tensor may be overwritten in place.
  func isFree(_ tensor: StoredTensor, of id: ValueID) -> Bool {
    guard case .region(let region) = tensor.storage.memory, !isNeededLater(id) else { return false }
    return residents[region] == [id] && !joined.contains(region) && !borrowed.contains(region)
  }

  /// Whether tensors can become parts of another one: each fills a region of its own.
  func canJoin(_ parts: [StoredTensor]) -> Bool {
    var visited: Set<Int> = []
    return parts.allSatisfy { part in
      guard case .region(let region) = part.storage.memory, part.storage.offset == 0 else {
        return false
      }
      return regions[region].parent == nil && regions[region].byteCount == part.byteCount
        && part.byteCount % ArenaLayout.alignment == 0 && !borrowed.contains(region)
        && visited.insert(region).inserted
    }
  }

  /// Makes the regions of tensors consecutive parts of another tensor's region.
  mutating func join(_ parts: [StoredTensor], into whole: StoredTensor) {
    guard case .region(let target) = whole.storage.memory else { return }
    var offset = 0
    for part in parts {
      guard case .region(let region) = part.storage.memory else { return }
      regions[region].parent = (target, offset)
      joined.formUnion([region, target])
      offset += part.byteCount
    }
  }
}

// MARK: - Steps

extension PlanBuilder {
  /// Adds a step, and records its use of memory.
  mutating func add(_ work: Step.Work, using storages: [Storage]) {
    for case .region(let region) in storages.map(\.memory) { regions[region].use(at: steps.count) }
    steps.append(Step(group: group, work: work, storages: storages))
  }

  /// Memory that only the next step uses.
  mutating func addScratch(byteCount: Int) -> Storage {
    regions.append(ArenaLayout.Region(byteCount: byteCount))
    return Storage(memory: .region(regions.count - 1))
  }

  /// Adds a primitive, with the working memory that it needs.
  mutating func add(_ primitive: Primitive, _ arguments: [PrimitiveArgument]) {
    var arguments = arguments
    if let scratchpad = primitive.layout(kernels_role_scratchpad) {
      arguments.append(
        PrimitiveArgument(
          role: kernels_role_scratchpad, storage: addScratch(byteCount: scratchpad.byteCount)))
    }
    add(.primitive(primitive, arguments), using: arguments.map(\.storage))
  }

  /// Adds a primitive with an argument of each role.
  mutating func add(_ primitive: Primitive, _ storages: [(kernels_role, Storage)]) {
    add(primitive, storages.map { PrimitiveArgument(role: $0, storage: $1) })
  }

  /// Adds a constant of the plan, such as a folded bias.
  mutating func addConstant(_ numbers: [Float]) -> Storage {
    addConstant(Tensor(.float32, shape: [numbers.count], numbers.map(Double.init)))
  }

  /// Adds memory shared with other plans.
  mutating func addConstant(_ memory: ConstantMemory) -> Storage {
    constants.append(memory)
    return Storage(memory: .constant(constants.count - 1))
  }

  /// Adds a constant of any type.
  mutating func addConstant(_ tensor: Tensor) -> Storage {
    addConstant(ConstantMemory(tensor))
  }

  /// A weight in the layout that a kernel requires.
  ///
  /// - Parameters:
  ///   - tensor: The weight, with the axes of the layout.
  ///   - id: Its number in the graph.
  ///   - scales: A factor for each element along the first axis, or along the first two.
  mutating func weight(
    _ tensor: Tensor, _ id: ValueID, as layout: Layout, scales: [Float] = []
  ) -> Storage? {
    // The values of a decomposition are those of one plan only.
    let store = id.index < valueCount ? weights : PreparedWeights()
    guard let memory = store.memory(of: tensor, id, as: layout, scales: scales) else {
      return nil
    }
    constants.append(memory)
    return Storage(memory: .constant(constants.count - 1))
  }
}
