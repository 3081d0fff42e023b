import Bytes
import GraphIR
import LayerCatalog
import Testing
import _CatalogTesting

/// Properties of recurrent operators that hold whatever the numbers.
@Suite struct RecurrentTests {
  private static let weights = [
    Tensor.random(.float64, shape: [8, 3], in: -1...1, seed: 1),
    Tensor.random(.float64, shape: [8, 2], in: -1...1, seed: 2),
    Tensor.random(.float64, shape: [8], in: -1...1, seed: 3),
  ]

  private func sequence(_ steps: Int) -> Tensor {
    Tensor.random(.float64, shape: [2, steps, 3], in: -1...1, seed: 4)
  }

  /// Runs an LSTM of two units.
  private func run(
    _ data: [Tensor], isReversed: Bool = false, returnsSequences: Bool = true,
    hasStates: Bool = false, mask: StepMask = .none
  ) throws -> [Tensor] {
    let recurrence = Recurrence(
      isReversed: isReversed, returnsSequences: returnsSequences, hasInitialStates: hasStates,
      mask: mask)
    return try LSTM(
      recurrence: recurrence, bias: .input, activation: .tanh, recurrentActivation: .sigmoid
    ).evaluate(data + Self.weights, workers: Workers(count: 1))
  }

  @Test("A sequence in two parts, with the state passed on, gives the same as the whole")
  func parts() throws {
    let whole = sequence(7)
    let first = try run([whole.slice(0..<3, along: 1)])
    let second = try run([whole.slice(3..<7, along: 1), first[1], first[2]], hasStates: true)
    let outputs = try run([whole])
    #expect(outputs[0].slice(0..<3, along: 1).doubles == first[0].doubles)
    #expect(outputs[0].slice(3..<7, along: 1).doubles == second[0].doubles)
    #expect(outputs[1...].map(\.doubles) == second[1...].map(\.doubles))
  }

  @Test(
    "Going backwards equals processing the reversed sequence, with outputs in the original order")
  func reversed() throws {
    let backwards = try run([sequence(5)], isReversed: true)
    let reversed = try run([sequence(5).reversed(along: [1])])
    #expect(backwards[0].doubles == reversed[0].reversed(along: [1]).doubles)
    #expect(backwards[2].doubles == reversed[2].doubles)
  }

  @Test("Masked steps affect only the outputs at their positions")
  func padding() throws {
    let padded = sequence(6)
    let mask = Tensor(.bool, shape: [2, 6], [0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    let short = try run([padded.slice(2..<5, along: 1)])
    for kind in [StepMask.previous, .zero] {
      let outputs = try run([padded, mask], mask: kind)
      #expect(outputs[0].slice(2..<5, along: 1).doubles == short[0].doubles)
      #expect(outputs[0].slice(0..<2, along: 1).doubles.allSatisfy { $0 == 0 })
      #expect(outputs[1...].map(\.doubles) == short[1...].map(\.doubles))
      let last = try run([padded, mask], returnsSequences: false, mask: kind)[0].doubles
      #expect(last == (kind == .zero ? [0, 0, 0, 0] : short[1].doubles))
    }
  }

  @Test("A convolutional layer does not depend on the order of the axes")
  func layouts() throws {
    let input = Tensor.random(.float64, shape: [2, 3, 4, 5, 2], in: -1...1, seed: 1)
    let weights = [
      Tensor.random(.float64, shape: [12, 2, 2, 3], in: -1...1, seed: 2),
      Tensor.random(.float64, shape: [12, 3, 2, 3], in: -1...1, seed: 3),
    ]
    func run(_ layout: DataLayout, _ data: [Tensor]) throws -> [Tensor] {
      try ConvLSTM(
        window: Window(size: [2, 3], strides: [1, 2], dilation: [1, 1], padding: .valid),
        layout: layout,
        recurrence: Recurrence(
          isReversed: true, returnsSequences: true, hasInitialStates: true, mask: .none),
        hasBias: false, activation: .tanh, recurrentActivation: .sigmoid
      ).evaluate(data + weights, workers: Workers(count: 1))
    }
    let state = Tensor.random(.float64, shape: [2, 3, 2, 3], in: -1...1, seed: 4)
    let channelsLast = try run(.channelsLast, [input, state, state])
    let channelsFirst = try run(
      .channelsFirst,
      [
        input.permuted([0, 1, 4, 2, 3]), state.permuted([0, 3, 1, 2]),
        state.permuted([0, 3, 1, 2]),
      ])
    #expect(channelsFirst[0].doubles == channelsLast[0].permuted([0, 1, 4, 2, 3]).doubles)
    #expect(channelsFirst[2].doubles == channelsLast[2].permuted([0, 3, 1, 2]).doubles)
  }

  @Test("A sequence of 10,000 steps is processed")
  func longSequence() throws {
    let outputs = try run([sequence(10_000)], isReversed: true)
    #expect(outputs[0].shape == [2, 10_000, 2])
  }
}
