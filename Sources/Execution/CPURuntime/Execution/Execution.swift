import Bytes
import CKernels
import GraphIR

/// A plan with its own memory, for one run at a time.
///
/// A run allocates only the outputs and what reference kernels need.
///
/// Sendable although not thread-safe: whoever checks one out of the ``PlanCache`` has exclusive use
/// of it.
@safe final class Execution: @unchecked Sendable {
  let plan: Plan
  private let workers: Workers
  private let arena: Arena
  private(set) var memory: KernelMemory
  /// For each step that is a primitive, its arguments with their memory.
  private var arguments: [[kernels_argument]] = unsafe []
  /// For each region that can be in the caller's memory, the arguments that lie in it.
  private var uses: [Int: [(step: Int, argument: Int, offset: Int)]] = [:]

  /// Allocates memory for a plan.
  ///
  /// - Throws: ``WeighbridgeError/Code/limitExceeded`` when there is not enough.
  init(_ plan: Plan, workers: Workers) throws(WeighbridgeError) {
    self.plan = plan
    self.workers = workers
    let arena = try Arena(byteCount: plan.arena.byteCount)
    self.arena = arena
    let memory = unsafe KernelMemory(
      regions: plan.arena.offsets.map { unsafe arena.address + $0 }, constants: plan.constants)
    self.memory = memory
    for step in plan.steps {
      guard case .primitive(_, let arguments) = step.work else {
        unsafe self.arguments.append([])
        continue
      }
      unsafe self.arguments.append(
        arguments.map { argument in
          unsafe kernels_argument(
            role: Int32(argument.role.rawValue), number: Int32(argument.number),
            address: memory[argument.storage])
        })
    }
    recordUses()
  }

  private func recordUses() {
    guard let borrowing = plan.borrowing else { return }
    let regions = Set((borrowing.inputs + borrowing.outputs).joined().map(\.region))
    for (number, step) in plan.steps.enumerated() {
      guard case .primitive(_, let arguments) = step.work else { continue }
      for (position, argument) in arguments.enumerated() {
        guard case .region(let region) = argument.storage.memory, regions.contains(region) else {
          continue
        }
        uses[region, default: []].append((number, position, argument.storage.offset))
      }
    }
  }

  /// Runs the plan on the inputs that were written, which it may overwrite.
  ///
  /// - Parameters:
  ///   - cancellation: Checked before each step.
  ///   - observe: Called after each group with the outputs of its last node.
  /// - Throws: What reference kernels throw; ``WeighbridgeError/Code/cancelled``; what `observe`
  ///   throws.
  func run(
    cancellation: Cancellation?, observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    Threads.use(workers.count)
    var next = 0
    for (number, group) in plan.groups.enumerated() {
      let start = ContinuousClock.now
      while next < plan.steps.count, plan.steps[next].group == number {
        try checkCancellation(cancellation)
        try run(next)
        next += 1
      }
      try observe(result(of: group, kernel: plan.kernels[number], since: start))
    }
    // The remaining steps reorder the outputs to row-major order.
    while next < plan.steps.count {
      try run(next)
      next += 1
    }
    try checkCancellation(cancellation)
  }

  private func checkCancellation(_ cancellation: Cancellation?) throws(WeighbridgeError) {
    if let cancellation, cancellation.isCancelled {
      throw .cancelled("cancelled")
    }
  }

  private func run(_ position: Int) throws(WeighbridgeError) {
    switch plan.steps[position].work {
    case .primitive(let primitive, _):
      let arguments = unsafe arguments[position]
      unsafe kernels_run(primitive.handle, arguments, Int32(arguments.count))
    case .kernel(_, let body): try body(memory)
    case .reference(let call): try call.run(memory, workers: workers)
    }
  }

  private func result(
    of group: NodeGroup, kernel: KernelKind, since start: ContinuousClock.Instant
  ) -> NodeResult {
    let position = group.positions[group.positions.count - 1]
    return NodeResult(
      position: position, node: plan.graph.nodes[position],
      fused: Array(group.positions.dropLast()), kernel: kernel,
      nanoseconds: start.nanosecondsSince
    ) {
      group.outputs.compactMap { id in
        self.tensor(id)?.held(as: self.plan.graph[id].type.elementType)
      }
    }
  }

  /// A value that currently exists, in row-major order.
  private func tensor(_ id: ValueID) -> Tensor? {
    guard let stored = plan.tensors[id] else { return plan.graph[id].constant }
    guard !stored.isRowMajor, let layout = stored.layout,
      let rowMajor = Layout.rowMajor(stored.shape),
      let reorder = Primitive.reorder(from: layout, to: rowMajor)
    else { return memory.tensor(stored) }
    let copy = unsafe ConstantMemory(byteCount: rowMajor.byteCount) { address in
      unsafe reorder.run(from: memory[stored.storage], to: address)
    }
    let bytes = unsafe [UInt8](
      UnsafeRawBufferPointer(start: copy.address, count: rowMajor.byteCount))
    return Tensor(stored.elementType, shape: stored.shape, bytes: bytes)
  }
}

// MARK: - Inputs and outputs

extension Execution {
  func input(_ position: Int) -> StoredTensor? {
    plan.tensors[plan.graph.inputs[position].value]
  }

  /// Places the regions of an array in the caller's memory or in the arena.
  ///
  /// - Parameter address: The array's start; `nil` for the arena.
  func place(_ parts: [BorrowedMemory.Part], at address: UnsafeMutableRawPointer?) {
    for part in parts {
      let start =
        unsafe address.map { unsafe $0 + part.offset } ?? arena.address
        + plan.arena.offsets[part.region]
      unsafe memory.move(part.region, to: start)
      for use in uses[part.region] ?? [] {
        unsafe arguments[use.step][use.argument].address = unsafe start + use.offset
      }
    }
  }

  /// Copies a tensor of the input's type into the arena.
  func write(_ tensor: Tensor, toInput position: Int) {
    guard let input = input(position) else { return }
    memory.write(tensor.held(as: input.elementType), to: input.storage)
  }

  /// Calls `body` with the elements of a float32 input, row-major.
  func withInput(_ position: Int, _ body: (inout MutableSpan<Float>) -> Void) {
    guard let input = input(position) else { return }
    // The storage was allocated for the input, and no other run uses this arena.
    let elements = unsafe memory.floats(input)
    var span = unsafe elements.mutableSpan
    body(&span)
  }

  /// Calls `body` with the elements of a float32 output, row-major.
  func withOutput(_ position: Int, _ body: (Span<Float>) -> Void) {
    // The storage was allocated for the output, which stays there until the next run.
    let elements = unsafe UnsafeBufferPointer(memory.floats(plan.outputs[position]))
    unsafe body(elements.span)
  }

  /// A copy of an output.
  func output(_ position: Int) -> Tensor {
    memory.tensor(plan.outputs[position])
      .held(as: plan.graph[plan.graph.outputs[position].value].type.elementType)
  }
}
