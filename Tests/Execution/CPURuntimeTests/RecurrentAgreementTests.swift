import Bytes
import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Verifier
import _CatalogTesting

/// Recurrent layers of the CPU engine, which computes 16 units and up to 4 rows at a time.
@Suite struct RecurrentAgreementTests {
  private static let recurrences = [
    Recurrence(isReversed: false, returnsSequences: true, hasInitialStates: false, mask: .none),
    Recurrence(isReversed: true, returnsSequences: true, hasInitialStates: true, mask: .previous),
    Recurrence(isReversed: false, returnsSequences: false, hasInitialStates: true, mask: .state),
    Recurrence(isReversed: true, returnsSequences: false, hasInitialStates: false, mask: .zero),
  ]

  @Test(
    "A cell of any size agrees with its reference kernel, whatever the batch and the threads",
    arguments: [1, 3, 16, 17, 33, 67], [1, 2, 3, 7])
  func sizes(units: Int, batch: Int) throws {
    for recurrence in Self.recurrences {
      for operation in cells(recurrence, activation: .tanh, gates: .sigmoid) {
        try expectAgreement(operation, units: units, batch: batch)
      }
    }
  }

  @Test(
    "A cell agrees with its reference kernel with other activations",
    arguments: [
      Identity(), HardSigmoid(slope: 0.2, offset: 0.5), LeakyReLU(slope: 0.1), ELU(alpha: 0.5),
      Softmax(axes: [1]),
    ] as [any CatalogOperator])
  func activations(_ operation: any CatalogOperator) throws {
    let activation = try #require(CellActivation(operation))
    for recurrence in Self.recurrences {
      let kinds =
        cells(recurrence, activation: activation, gates: .sigmoid)
        + cells(recurrence, activation: .tanh, gates: activation)
      for operation in kinds { try expectAgreement(operation, units: 18, batch: 3) }
    }
  }

  private func cells(
    _ recurrence: Recurrence, activation: CellActivation, gates: CellActivation
  ) -> [any RecurrentOperator] {
    let grus = [true, false].flatMap { resetsAfter in
      [RecurrentBias.separate, .input].map { bias in
        GRU(
          recurrence: recurrence, bias: bias, activation: activation, recurrentActivation: gates,
          resetsAfter: resetsAfter)
      }
    }
    return [
      SimpleRNN(recurrence: recurrence, bias: .input, activation: activation),
      LSTM(
        recurrence: recurrence, bias: .separate, activation: activation,
        recurrentActivation: gates),
    ] + grus
  }

  private func expectAgreement(
    _ operation: some RecurrentOperator, units: Int, batch: Int
  ) throws {
    let sums = units * type(of: operation).gateCount
    let steps = 5
    let inputs = operation.inputs.enumerated().map { position, slot -> Tensor in
      let shape =
        switch slot.name {
        case "input": [batch, steps, 4]
        case "mask": [batch, steps]
        case "kernel": [sums, 4]
        case "recurrent_kernel": [sums, units]
        case "bias": operation.bias == .separate ? [2, sums] : [sums]
        default: [batch, units]
        }
      // Leaves out every third step, the first one of some samples.
      let maskValues = (0..<batch * steps).map { $0 % 3 == 2 ? 0.0 : 1 }
      return slot.name == "mask"
        ? Tensor(.bool, shape: shape, maskValues)
        : .random(.float32, shape: shape, in: -0.5...0.5, seed: UInt64(position + 1))
    }
    let example = OperatorExample(operation, inputs: inputs)
    let graph = try example.graph()
    let data = example.dataPositions.map { inputs[$0] }
    let expected = try ReferenceRuntime(workers: Workers(count: 2))
      .run(graph, inputs: data) { _ in }
    var first: [[UInt8]]?
    for threads in 1...3 {
      let runtime = CPURuntime(CPURuntime.Options(workers: Workers(count: threads)))
      let actual = try runtime.run(graph, inputs: data) { _ in }
      #expect(actual.count == expected.count)
      for (actual, expected) in zip(actual, expected) {
        let difference = TensorDifference(actual: actual, expected: expected)
        #expect(difference.isWithin(operation.tolerance), "\(operation): \(difference)")
      }
      let bytes = actual.map { $0.contiguousBytes() }
      #expect(bytes == first ?? bytes, "\(operation): \(threads) threads")
      first = first ?? bytes
    }
  }
}
