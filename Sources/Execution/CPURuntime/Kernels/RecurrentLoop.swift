import CKernels
import GraphIR
import LayerCatalog

/// The sizes of a recurrent layer's tensors.
struct RecurrentDimensions: Sendable {
  let batch: Int
  let time: Int
  /// How many vectors a step has: the places of an image, or 1.
  let places: Int
  /// The length of a state's vectors.
  let units: Int
  let gates: Int

  /// How many vectors the states have.
  var rows: Int { batch * places }
  /// The length of a vector of sums.
  var width: Int { gates * units }
}

/// A recurrent layer step by step.
struct RecurrentLoop: Sendable {
  let cell: RecurrentCell
  let dimensions: RecurrentDimensions
  let recurrence: Recurrence
  /// The sums of all gates that the input makes, `[time, batch, places, gates * units]`.
  let sums: Storage
  /// The states, `[batch, places, units]`: h, and c where there is one.
  let states: [Storage]
  /// The outputs of all steps, `[batch, time, places, units]`, or of the last step that was computed.
  let output: Storage
  /// The mask, `[batch, time]`.
  let mask: Storage?

  /// The memory that all steps use.
  private var storages: [Storage] { [sums, output] + states + [mask].compactMap { $0 } }

  /// The steps' numbers, in the order in which they are computed.
  var times: [Int] {
    recurrence.isReversed ? (0..<dimensions.time).reversed() : Array(0..<dimensions.time)
  }

  /// The sums of one step.
  func sums(at time: Int) -> Storage {
    var storage = sums
    storage.offset += time * dimensions.rows * dimensions.width * MemoryLayout<Float>.stride
    return storage
  }

  /// Adds what sets the states to those that are given, or to 0.
  func addStart(to builder: inout PlanBuilder, _ initial: [Storage]) {
    let (states, count) = (states, dimensions.rows * dimensions.units)
    builder.add(
      .kernel(name: "states") { memory in
        // All of them have so many elements.
        for (number, state) in states.enumerated() {
          let target = memory[state].assumingMemoryBound(to: Float.self)
          if initial.isEmpty {
            target.update(repeating: 0, count: count)
          } else {
            let source = memory[initial[number]].assumingMemoryBound(to: Float.self)
            target.update(from: source, count: count)
          }
        }
      }, using: states + initial)
  }

  /// Adds the part of a step that turns sums of both parts into states, and writes the output.
  ///
  /// - Parameter number: The step's, in the order in which they are computed.
  func addStep(to builder: inout PlanBuilder, number: Int, name: String) {
    builder.add(
      .kernel(name: name) { memory in
        withKernel { kernel in
          withUnsafePointer(to: addresses(memory)) {
            kernels_recurrence_step(&kernel, $0, Int64(number))
          }
        }
      }, using: storages)
  }

  /// Adds all steps, each with its product of the state and of weights.
  func addSteps(to builder: inout PlanBuilder, _ weights: StateWeights, name: String) {
    let size = withKernel { Int(kernels_recurrence_work(&$0)) * MemoryLayout<Float>.stride }
    let work = builder.addScratch(byteCount: size)
    builder.add(
      .kernel(name: name) { memory in
        var addresses = addresses(memory)
        addresses.weights = UnsafePointer(weights.state.address(in: memory))
        addresses.candidate_weights = weights.candidate.map {
          UnsafePointer($0.address(in: memory))
        }
        addresses.candidate_bias = weights.candidateBias.map {
          UnsafePointer($0.address(in: memory))
        }
        addresses.work = work.address(in: memory)
        withKernel { kernels_recurrence_run(&$0, &addresses) }
      }, using: storages + weights.storages + [work])
  }

  /// Where the tensors lie that all steps use; they have the sizes of `dimensions`.
  private func addresses(_ memory: KernelMemory) -> kernels_recurrence_memory {
    kernels_recurrence_memory(
      sums: sums.address(in: memory), weights: nil, candidate_weights: nil, candidate_bias: nil,
      mask: mask.map { memory[$0].assumingMemoryBound(to: UInt8.self) },
      state: states[0].address(in: memory),
      cell_state: states.dropFirst().first?.address(in: memory),
      output: output.address(in: memory), work: nil)
  }

  /// Calls `use` with what kernels take, which is valid during the call.
  private func withKernel<Result>(_ use: (inout kernels_recurrence) -> Result) -> Result {
    cell.activation.withKernel { activation in
      cell.gates.withKernel { gates in
        var kernel = kernels_recurrence(
          cell: cell.kind, batch: Int64(dimensions.batch), time: Int64(dimensions.time),
          places: Int64(dimensions.places), units: Int64(dimensions.units),
          is_reversed: recurrence.isReversed, returns_sequences: recurrence.returnsSequences,
          left_out: recurrence.mask.kernel, activation: activation, gates: gates)
        return use(&kernel)
      }
    }
  }
}

/// The weights of a recurrent layer's states.
struct StateWeights: Sendable {
  /// Those of all gates; of a GRU whose reset comes first, of the gates z and r.
  let state: Storage
  /// Those of such a GRU's n.
  let candidate: Storage?
  /// The bias of n's product, where the reset comes behind it.
  let candidateBias: Storage?

  var storages: [Storage] { [state] + [candidate, candidateBias].compactMap { $0 } }
}

extension Storage {
  /// The float32 elements there.
  fileprivate func address(in memory: KernelMemory) -> UnsafeMutablePointer<Float> {
    memory[self].assumingMemoryBound(to: Float.self)
  }
}

extension StepMask {
  /// As kernels name it; without a mask, any.
  fileprivate var kernel: kernels_left_out {
    switch self {
    case .none, .state: kernels_left_out_state
    case .zero: kernels_left_out_zero
    case .previous: kernels_left_out_previous
    }
  }
}

extension PlanBuilder {
  /// Creates the memory of a recurrent layer.
  ///
  /// - Parameters:
  ///   - state: The layout of the states, with the graph's axes.
  ///   - sequence: That of the outputs of all steps.
  mutating func makeLoop(
    _ cell: RecurrentCell, _ recurrence: Recurrence, _ dimensions: RecurrentDimensions,
    mask: ValueID?, state: Layout, sequence: Layout, for group: NodeGroup
  ) -> RecurrentLoop {
    let count = dimensions.time * dimensions.rows * dimensions.width
    // Kernels may read a block of 16 behind the last.
    let sums = addScratch(byteCount: (count + 16) * MemoryLayout<Float>.stride)
    let layout = recurrence.returnsSequences ? sequence : state
    let output = makeTensor(group.outputs[0], layout: layout).storage
    return RecurrentLoop(
      cell: cell, dimensions: dimensions, recurrence: recurrence, sums: sums,
      states: group.outputs.dropFirst().map { makeTensor($0, layout: state).storage },
      output: output, mask: mask.map { rowMajor($0).storage })
  }
}
