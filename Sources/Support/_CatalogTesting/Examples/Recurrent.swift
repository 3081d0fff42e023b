import Bytes
import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Operators on sequences: every cell, with and without masks, initial states and biases.
  static let recurrent: [OperatorExample] =
    recurrences.flatMap { recurrence in
      biases.flatMap { cells(recurrence, bias: $0) } + [convolutional(recurrence)]
    } + [
      cell(
        SimpleRNN(
          recurrence: recurrences[1], bias: .input,
          activation: activation(Softmax(axes: [1])))),
      OperatorExample(FlattenTime(), shapes: [[2, 3, 4]]),
      OperatorExample(UnflattenTime(), shapes: [[6, 4, 5], [2, 3, 7]]),
      OperatorExample(
        Masking(value: 0.5),
        inputs: [
          Tensor(.float32, shape: [2, 3, 2], [1, 0.5, 0.5, 0.5, 2, 3, 0.5, 0.5, 1, 1, 0, 0])
        ]),
    ]

  private static let biases: [RecurrentBias] = [.none, .input, .separate]

  private static let recurrences = [
    Recurrence(isReversed: false, returnsSequences: false, hasInitialStates: false, mask: .none),
    Recurrence(
      isReversed: true, returnsSequences: true, hasInitialStates: true, mask: .previous,
      dropout: 0.25, stateDropout: 0.5),
    Recurrence(isReversed: false, returnsSequences: true, hasInitialStates: true, mask: .state),
    Recurrence(isReversed: true, returnsSequences: false, hasInitialStates: false, mask: .zero),
  ]

  private static func activation(_ operation: any CatalogOperator) -> CellActivation {
    CellActivation(operation) ?? .tanh
  }

  private static func cells(_ recurrence: Recurrence, bias: RecurrentBias) -> [OperatorExample] {
    let gate = activation(HardSigmoid(slope: 0.2, offset: 0.5))
    return [
      cell(SimpleRNN(recurrence: recurrence, bias: bias, activation: .tanh)),
      cell(
        LSTM(
          recurrence: recurrence, bias: bias, activation: activation(ELU(alpha: 0.7)),
          recurrentActivation: gate)),
      cell(
        GRU(
          recurrence: recurrence, bias: bias, activation: .tanh, recurrentActivation: gate,
          resetsAfter: bias == .separate)),
    ]
  }

  /// Creates an example with two sequences of three steps, four features and five units.
  private static func cell(_ operation: some RecurrentOperator) -> OperatorExample {
    let sumCount = 5 * type(of: operation).gateCount
    return example(operation) { name in
      switch name {
      case "input": [2, 3, 4]
      case "kernel": [sumCount, 4]
      case "recurrent_kernel": [sumCount, 5]
      case "bias": operation.bias == .separate ? [2, sumCount] : [sumCount]
      default: [2, 5]
      }
    }
  }

  private static func convolutional(_ recurrence: Recurrence) -> OperatorExample {
    let layout: DataLayout = recurrence.isReversed ? .channelsFirst : .channelsLast
    let isReversed = recurrence.isReversed
    return example(
      ConvLSTM(
        window: Window(size: [3, 2], strides: [1, 2], dilation: [1, 1], padding: .same),
        layout: layout, recurrence: recurrence, hasBias: recurrence.returnsSequences,
        activation: .tanh, recurrentActivation: .sigmoid)
    ) { name in
      switch name {
      case "input": isReversed ? [2, 3, 2, 4, 7] : [2, 3, 4, 7, 2]
      case "kernel": [12, 2, 3, 2]
      case "recurrent_kernel": [12, 3, 3, 2]
      case "bias": [12]
      default: isReversed ? [2, 3, 4, 4] : [2, 4, 4, 3]
      }
    }
  }

  /// Creates an example with random tensors for each slot, and a mask that hides the first step of
  /// one sequence and the last two of the other.
  private static func example(
    _ operation: some CatalogOperator, _ shape: (String) -> [Int]
  ) -> OperatorExample {
    let inputs = operation.inputs.enumerated().map { position, slot in
      slot.name == "mask"
        ? Tensor(.bool, shape: [2, 3], [0, 1, 1, 1, 0, 0])
        : Tensor.random(
          .float32, shape: shape(slot.name), in: -1...1, seed: UInt64(position + 1))
    }
    return OperatorExample(operation, inputs: inputs)
  }
}
