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

/// A recurrent layer step by step, its cells computed by kernels of ours.
struct RecurrentLoop: Sendable {
  let dimensions: RecurrentDimensions
  let recurrence: Recurrence
  /// The sums of all gates that the input makes, `[time, batch, places, gates * units]`.
  let sums: Storage
  /// The states, `[batch, places, units]`: h, and c where there is one.
  let states: [Storage]
  /// The output of the last step that was computed.
  let last: Storage
  /// The outputs of all steps, `[batch, time, places, units]`, where they are wanted.
  let outputs: Storage?
  /// The mask, `[batch, time]`.
  let mask: Storage?

  /// The memory that all steps use.
  private var storages: [Storage] {
    [sums, last] + states + [outputs, mask].compactMap { $0 }
  }

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
    let (states, last, count) = (states, last, dimensions.rows * dimensions.units)
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
        memory[last].assumingMemoryBound(to: Float.self).update(repeating: 0, count: count)
      }, using: states + [last] + initial)
  }

  /// Adds the part of a step that turns sums into states, and writes the output.
  ///
  /// - Parameters:
  ///   - others: Further memory that `apply` uses.
  ///   - apply: Computes a row, by its number; called for those only that the mask does not leave out.
  func addStep(
    to builder: inout PlanBuilder, at time: Int, name: String, using others: [Storage] = [],
    _ apply: @escaping @Sendable (RecurrentRow, Int, KernelMemory) -> Void
  ) {
    let sums = sums(at: time)
    builder.add(
      .kernel(name: name) { memory in
        // The sums and the states have so many rows, and no two rows overlap.
        nonisolated(unsafe) let memory = memory
        nonisolated(unsafe) let sums = memory[sums].assumingMemoryBound(to: Float.self)
        nonisolated(unsafe) let state = memory[states[0]].assumingMemoryBound(to: Float.self)
        nonisolated(unsafe) let cellState = states.dropFirst().first.map {
          memory[$0].assumingMemoryBound(to: Float.self)
        }
        nonisolated(unsafe) let truths = mask.map {
          memory[$0].assumingMemoryBound(to: UInt8.self)
        }
        Threads.parallel(rows: dimensions.rows, length: dimensions.width) { row in
          let isLeftOut = truths.map { $0[row / dimensions.places * dimensions.time + time] == 0 }
          if isLeftOut != true {
            apply(
              RecurrentRow(
                sums: sums + row * dimensions.width, state: state + row * dimensions.units,
                cellState: cellState.map { $0 + row * dimensions.units },
                units: dimensions.units), row, memory)
          }
          write(row, at: time, isLeftOut: isLeftOut ?? false, memory)
        }
      }, using: storages + others)
  }

  /// Writes a row's output of a step.
  private func write(_ row: Int, at time: Int, isLeftOut: Bool, _ memory: KernelMemory) {
    let units = dimensions.units
    let state = memory[states[0]].assumingMemoryBound(to: Float.self) + row * units
    let last = memory[last].assumingMemoryBound(to: Float.self) + row * units
    if isLeftOut, recurrence.mask == .zero {
      last.update(repeating: 0, count: units)
    } else if !isLeftOut || recurrence.mask == .state {
      last.update(from: state, count: units)
    }
    guard let outputs else { return }
    let (sample, place) = (row / dimensions.places, row % dimensions.places)
    let target = (sample * dimensions.time + time) * dimensions.places + place
    (memory[outputs].assumingMemoryBound(to: Float.self) + target * units)
      .update(from: last, count: units)
  }
}

extension PlanBuilder {
  /// Makes the memory of a recurrent layer.
  ///
  /// - Parameters:
  ///   - state: The layout of the states, with the graph's axes.
  ///   - sequence: That of the outputs of all steps.
  mutating func makeLoop(
    _ recurrence: Recurrence, _ dimensions: RecurrentDimensions, mask: ValueID?, state: Layout,
    sequence: Layout, for group: NodeGroup
  ) -> RecurrentLoop {
    let float = MemoryLayout<Float>.stride
    let sums = addScratch(byteCount: dimensions.time * dimensions.rows * dimensions.width * float)
    let isWhole = recurrence.returnsSequences
    let output = makeTensor(group.outputs[0], layout: isWhole ? sequence : state).storage
    return RecurrentLoop(
      dimensions: dimensions, recurrence: recurrence, sums: sums,
      states: group.outputs.dropFirst().map { makeTensor($0, layout: state).storage },
      last: isWhole ? addScratch(byteCount: dimensions.rows * dimensions.units * float) : output,
      outputs: isWhole ? output : nil, mask: mask.map { rowMajor($0).storage })
  }
}
