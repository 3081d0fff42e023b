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
  /// What a step does, with its memory.
  private enum Work {
    /// A primitive, and where its arguments are in ``arguments``.
    case primitive(Primitive, first: Int, count: Int)
    /// A kernel in Swift, or of the reference.
    case other
  }

  let plan: Plan
  private let workers: Workers
  private let arena: Arena
  private(set) var memory: KernelMemory
  private let work: [Work]
  /// For each group, the position behind its last step.
  private let ends: [Int]
  /// The arguments of all primitives, with their memory.
  private var arguments: [kernels_argument] = unsafe []
  /// For each region that can be in the caller's memory, the arguments that lie in it.
  private var uses: [Int: [(argument: Int, offset: Int)]] = [:]

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
    let borrowed = Set(
      plan.borrowing.map { ($0.inputs + $0.outputs).joined().map(\.region) } ?? [])
    var (work, ends) = ([Work](), plan.groups.map { _ in 0 })
    for (number, step) in plan.steps.enumerated() {
      if step.group < ends.count { ends[step.group] = number + 1 }
      guard case .primitive(let primitive, let arguments) = step.work else {
        work.append(.other)
        continue
      }
      unsafe work.append(
        .primitive(primitive, first: self.arguments.count, count: arguments.count))
      for argument in arguments {
        if case .region(let region) = argument.storage.memory, borrowed.contains(region) {
          unsafe uses[region, default: []].append((self.arguments.count, argument.storage.offset))
        }
        unsafe self.arguments.append(
          kernels_argument(
            role: Int32(argument.role.rawValue), number: Int32(argument.number),
            address: memory[argument.storage]))
      }
    }
    self.work = work
    self.ends = ends
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
    for (group, end) in ends.enumerated() {
      let computed = plan.computed[group]
      let start = ContinuousClock.now
      try run(from: &next, to: end, cancellation)
      let result = NodeResult(computed, nanoseconds: start.nanosecondsSince) {
        computed.node.outputs.compactMap { id in
          self.tensor(id)?.held(as: self.plan.graph[id].type.elementType)
        }
      }
      try observe(result)
    }
    // The remaining steps reorder the outputs to row-major order.
    try run(from: &next, to: work.count, cancellation)
    try checkCancellation(cancellation)
  }

  private func checkCancellation(_ cancellation: Cancellation?) throws(WeighbridgeError) {
    if let cancellation, cancellation.isCancelled {
      throw .cancelled("cancelled")
    }
  }

  private func run(
    from next: inout Int, to end: Int, _ cancellation: Cancellation?
  ) throws(WeighbridgeError) {
    while next < end {
      try checkCancellation(cancellation)
      switch work[next] {
      case .primitive(let primitive, let first, let count):
        unsafe arguments.withUnsafeBufferPointer { arguments in
          let own = arguments.extracting(first..<first + count)
          unsafe kernels_run(primitive.handle, own.baseAddress, Int32(count))
        }
      case .other:
        switch plan.steps[next].work {
        case .primitive: break
        case .kernel(_, let body): try body(memory)
        case .reference(let call): try call.run(memory, workers: workers)
        }
      }
      next += 1
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
        unsafe arguments[use.argument].address = unsafe start + use.offset
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
