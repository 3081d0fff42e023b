import CKernels
import GraphIR
import LayerCatalog

/// The sizes of a recurrent layer's tensors.
struct RecurrentDimensions: Sendable {
  let batch: Int
  let time: Int
  /// The number of vectors per time step: the spatial positions of an image, or 1.
  let positions: Int
  /// The length of a state's vectors.
  let units: Int
  let gates: Int

  /// The number of vectors in each state.
  var rows: Int { batch * positions }
  /// The length of a vector of sums.
  var width: Int { gates * units }
}

/// The loop over the time steps of a recurrent layer.
struct RecurrentLoop: Sendable {
  let cell: RecurrentCell
  let dimensions: RecurrentDimensions
  let recurrence: Recurrence
  /// The input's contribution to the sums of all gates, `[time, batch, positions, gates * units]`.
  let sums: Storage
  /// The states, `[batch, positions, units]`: h, and c if there is one.
  let states: [Storage]
  /// The outputs of all steps, `[batch, time, positions, units]`, or of the last computed step.
  let output: Storage
  /// The mask, `[batch, time]`.
  let mask: Storage?

  /// The memory that all steps use.
  private var storages: [Storage] { [sums, output] + states + [mask].compactMap { $0 } }

  /// The time steps in the order of computation.
  var times: [Int] {
    recurrence.isReversed ? (0..<dimensions.time).reversed() : Array(0..<dimensions.time)
  }

  /// The sums of one step.
  func sums(at time: Int) -> Storage {
    var storage = sums
    storage.offset += time * dimensions.rows * dimensions.width * MemoryLayout<Float>.stride
    return storage
  }

  /// Adds the initialization of the states, with 0 if none are given.
  func addStart(to builder: inout PlanBuilder, _ initial: [Storage]) {
    let (states, count) = (states, dimensions.rows * dimensions.units)
    builder.add(
      .kernel(name: "states") { memory in
        // All of them have `count` elements.
        for (number, state) in states.enumerated() {
          let target = unsafe memory[state].assumingMemoryBound(to: Float.self)
          if initial.isEmpty {
            unsafe target.update(repeating: 0, count: count)
          } else {
            let source = unsafe memory[initial[number]].assumingMemoryBound(to: Float.self)
            unsafe target.update(from: source, count: count)
          }
        }
      }, using: states + initial)
  }

  /// Adds the part of a step that computes states from the complete sums, and writes the output.
  ///
  /// - Parameter number: The step's index in the order of computation.
  func addStep(to builder: inout PlanBuilder, number: Int, name: String) {
    builder.add(
      .kernel(name: name) { memory in
        unsafe withKernel { kernel in
          unsafe withUnsafePointer(to: addresses(memory)) {
            unsafe kernels_recurrence_step(&kernel, $0, Int64(number))
          }
        }
      }, using: storages)
  }

  /// Adds all steps, each with its product of state and weights.
  func addSteps(to builder: inout PlanBuilder, _ weights: StateWeights, name: String) {
    let size = unsafe withKernel {
      unsafe Int(kernels_recurrence_work(&$0)) * MemoryLayout<Float>.stride
    }
    let work = builder.addScratch(byteCount: size)
    builder.add(
      .kernel(name: name) { memory in
        var addresses = unsafe addresses(memory)
        unsafe addresses.weights = unsafe UnsafePointer(weights.state.address(in: memory))
        unsafe addresses.candidate_weights = unsafe weights.candidate.map {
          unsafe UnsafePointer($0.address(in: memory))
        }
        unsafe addresses.candidate_bias = unsafe weights.candidateBias.map {
          unsafe UnsafePointer($0.address(in: memory))
        }
        unsafe addresses.work = unsafe work.address(in: memory)
        unsafe withKernel { unsafe kernels_recurrence_run(&$0, &addresses) }
      }, using: storages + weights.storages + [work])
  }

  /// The addresses of the tensors that all steps use; they have the sizes of `dimensions`.
  private func addresses(_ memory: KernelMemory) -> kernels_recurrence_memory {
    unsafe kernels_recurrence_memory(
      sums: sums.address(in: memory), weights: nil, candidate_weights: nil, candidate_bias: nil,
      mask: mask.map { unsafe memory[$0].assumingMemoryBound(to: UInt8.self) },
      state: unsafe states[0].address(in: memory),
      cell_state: unsafe states.dropFirst().first?.address(in: memory),
      output: unsafe output.address(in: memory), work: nil)
  }

  /// Calls `use` with what kernels take, which is valid during the call.
  private func withKernel<Result>(_ use: (inout kernels_recurrence) -> Result) -> Result {
    unsafe cell.activation.withKernel { activation in
      unsafe cell.gates.withKernel { gates in
        var kernel = unsafe kernels_recurrence(
          cell: cell.kind, batch: Int64(dimensions.batch), time: Int64(dimensions.time),
          positions: Int64(dimensions.positions), units: Int64(dimensions.units),
          is_reversed: recurrence.isReversed, returns_sequences: recurrence.returnsSequences,
          skipped_step: recurrence.mask.kernel, activation: activation, gates: gates)
        return unsafe use(&kernel)
      }
    }
  }
}

/// The weights of a recurrent layer's states.
struct StateWeights: Sendable {
  /// The weights of all gates; only of z and r for a GRU that resets before the product.
  let state: Storage
  /// The candidate weights of such a GRU.
  let candidate: Storage?
  /// The bias of the candidate's product for a GRU that resets after it.
  let candidateBias: Storage?

  var storages: [Storage] { [state] + [candidate, candidateBias].compactMap { $0 } }
}

extension Storage {
  /// The float32 elements there.
  fileprivate func address(in memory: KernelMemory) -> UnsafeMutablePointer<Float> {
    unsafe memory[self].assumingMemoryBound(to: Float.self)
  }
}

extension StepMask {
  /// The kernels' value; arbitrary without a mask.
  fileprivate var kernel: kernels_skipped_step {
    switch self {
    case .none, .state: kernels_skipped_step_state
    case .zero: kernels_skipped_step_zero
    case .previous: kernels_skipped_step_previous
    }
  }
}

extension PlanBuilder {
  /// Allocates the memory of a recurrent layer.
  ///
  /// - Parameters:
  ///   - state: The layout of the states, with the graph's axes.
  ///   - sequence: That of the outputs of all steps.
  mutating func makeLoop(
    _ cell: RecurrentCell, _ recurrence: Recurrence, _ dimensions: RecurrentDimensions,
    mask: ValueID?, state: Layout, sequence: Layout, for group: NodeGroup
  ) -> RecurrentLoop {
    let count = dimensions.time * dimensions.rows * dimensions.width
    // Kernels may read up to 16 elements beyond the end.
    let sums = addScratch(byteCount: (count + 16) * MemoryLayout<Float>.stride)
    let layout = recurrence.returnsSequences ? sequence : state
    let output = makeTensor(group.outputs[0], layout: layout).storage
    return RecurrentLoop(
      cell: cell, dimensions: dimensions, recurrence: recurrence, sums: sums,
      states: group.outputs.dropFirst().map { makeTensor($0, layout: state).storage },
      output: output, mask: mask.map { rowMajor($0).storage })
  }
}
