import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteRecurrent {
  static let nodes: [String: TFLiteReading] = [
    "UNIDIRECTIONAL_SEQUENCE_LSTM": TFLiteReading(options: 71) {
      (layer) throws(WeighbridgeError) in
      let options = TFLiteLayer.SequenceOptions(
        activation: try layer.choice(0), isTimeMajor: try layer.flag(3),
        bound: try layer.float(1))
      layer.ignore(4)  // how inputs of quantized weights are rounded
      guard try layer.float(2) == 0, try !layer.flag(5) else {
        throw layer.unsupported(
          "bounds a projection or has diagonal kernels, and only an LSTM without both can be read")
      }
      let sequence = try layer.batchFirst(options)
      let output = try layer.lstm(sequence, .forwardLSTM, options, isReversed: false)
      return [try layer.timeMajor(output, options)]
    },
    "UNIDIRECTIONAL_SEQUENCE_RNN": TFLiteReading(options: 31) { (layer) throws(WeighbridgeError) in
      let options = TFLiteLayer.SequenceOptions(
        activation: try layer.choice(1), isTimeMajor: try layer.flag(0))
      layer.ignore(2)  // how inputs of quantized weights are rounded
      let sequence = try layer.batchFirst(options)
      let output = try layer.rnn(sequence, options)
      return [try layer.timeMajor(output, options)]
    },
    "BIDIRECTIONAL_SEQUENCE_LSTM": TFLiteReading(options: 69) { (layer) throws(WeighbridgeError) in
      let options = TFLiteLayer.SequenceOptions(
        activation: try layer.choice(0), isTimeMajor: try layer.flag(4),
        bound: try layer.float(1))
      layer.ignore(5)  // how inputs of quantized weights are rounded
      guard try layer.float(2) == 0, layer.tensor(39) == nil else {
        throw layer.unsupported(
          "bounds a projection or has a second input, and only an LSTM without both can be read")
      }
      let isMerged = try layer.flag(3)
      let sequence = try layer.batchFirst(options)
      var outputs: [SourceValue] = []
      for (index, inputs) in [TFLiteLayer.LSTMInputs.forward, .backward].enumerated() {
        outputs.append(
          try layer.lstm(
            sequence, inputs, options, isReversed: index == 1, role: "direction_\(index)"))
      }
      if isMerged {
        outputs = try layer.apply(Concatenate(axis: 2), outputs, role: options.role("merged"))
      }
      var results: [SourceValue] = []
      for output in outputs { results.append(try layer.timeMajor(output, options)) }
      return results
    },
  ]
}

extension TFLiteLayer {
  /// The settings of an operator that iterates over a sequence.
  fileprivate struct SequenceOptions {
    /// The number of the activation in the schema.
    let activation: Int
    /// Whether the first axis is the time.
    let isTimeMajor: Bool
    /// The largest magnitude of the cell state; 0 for no bounds.
    var bound = 0.0

    /// The role of a result; empty for the last one.
    func role(_ name: String) -> String { isTimeMajor ? name : "" }
  }

  /// The positions of an LSTM's inputs, in the order of the gates: input, forget, cell, output.
  fileprivate struct LSTMInputs {
    let kernels: [Int]
    let recurrentKernels: [Int]
    let biases: [Int]
    /// Inputs that must be absent: weights for peepholes, projections and normalizations.
    let absent: [Int]

    static let forwardLSTM = LSTMInputs(
      kernels: [1, 2, 3, 4], recurrentKernels: [5, 6, 7, 8], biases: [12, 13, 14, 15],
      absent: [9, 10, 11, 16, 17, 20, 21, 22, 23])
    static let forward = LSTMInputs(
      kernels: [1, 2, 3, 4], recurrentKernels: [5, 6, 7, 8], biases: [12, 13, 14, 15],
      absent: [9, 10, 11, 16, 17])
    static let backward = LSTMInputs(
      kernels: [18, 19, 20, 21], recurrentKernels: [22, 23, 24, 25], biases: [29, 30, 31, 32],
      absent: [26, 27, 28, 33, 34])
  }

  fileprivate mutating func batchFirst(
    _ options: SequenceOptions
  ) throws(WeighbridgeError) -> SourceValue {
    guard tensor(0).map(isQuantized) != true else {
      throw unsupported(
        "computes its states with integers, and only states of floating-point numbers can be read")
    }
    let sequence = try input(0)
    guard type(sequence).rank == 3 else {
      throw malformed("takes [batch, time, features], and has \(type(sequence))")
    }
    return options.isTimeMajor
      ? try transposed(sequence, [1, 0, 2], role: "batch_first") : sequence
  }

  fileprivate mutating func timeMajor(
    _ value: SourceValue, _ options: SequenceOptions
  ) throws(WeighbridgeError) -> SourceValue {
    options.isTimeMajor ? try transposed(value, [1, 0, 2]) : value
  }

  private func cellActivation(
    _ number: Int
  ) throws(WeighbridgeError) -> (any CatalogOperator, CellActivation) {
    let operations: [Int: any CatalogOperator] = [
      0: Identity(), 1: ReLU(slope: 0, threshold: 0, maximum: nil),
      3: ReLU(slope: 0, threshold: 0, maximum: 6), 4: Tanh(), 6: Sigmoid(),
    ]
    guard let operation = operations[number], let activation = CellActivation(operation) else {
      throw unsupported(
        "has the activation number \(number), and only linear, ReLU, ReLU6, tanh and sigmoid ones "
          + "can be read here")
    }
    return (operation, activation)
  }

  private static let recurrence = (
    forward: Recurrence(
      isReversed: false, returnsSequences: true, hasInitialStates: false, mask: .none),
    backward: Recurrence(
      isReversed: true, returnsSequences: true, hasInitialStates: false, mask: .none)
  )

  /// Joins the weights of all gates along their first axis.
  private mutating func joined(
    _ positions: [Int], _ role: String
  ) throws(WeighbridgeError) -> SourceValue {
    var parts: [SourceValue] = []
    for position in positions {
      guard let part = try optionalReal(position) else {
        throw unsupported(
          "lacks the input \(position): its gates are coupled, and only those with weights of "
            + "their own can be read")
      }
      parts.append(part)
    }
    if parts.count == 1 { return parts[0] }
    let tensors = parts.compactMap(\.tensor)
    if tensors.count == parts.count, let integers = Tensor(joiningRowsOf: tensors) {
      return newConstant(integers, role)
    }
    return try apply(Concatenate(axis: 0), parts, role: role)[0]
  }

  fileprivate mutating func lstm(
    _ sequence: SourceValue, _ inputs: LSTMInputs, _ options: SequenceOptions, isReversed: Bool,
    role: String? = nil
  ) throws(WeighbridgeError) -> SourceValue {
    if let position = inputs.absent.first(where: { tensor($0) != nil }) {
      throw unsupported(
        "has the input \(position), for peepholes, projections or normalizations, and only an LSTM "
          + "without them can be read")
    }
    let (function, activation) = try cellActivation(options.activation)
    guard let gate = CellActivation(Sigmoid()) else { throw unsupported("has no gates") }
    let operation = LSTM(
      recurrence: isReversed ? Self.recurrence.backward : Self.recurrence.forward, bias: .input,
      activation: activation, recurrentActivation: gate)
    let prefix = role.map { "\($0)/" } ?? ""
    let weights = [
      try joined(inputs.kernels, "\(prefix)kernel"),
      try joined(inputs.recurrentKernels, "\(prefix)recurrent_kernel"),
      try joined(inputs.biases, "\(prefix)bias"),
    ]
    let bounded = TFLiteBoundedLSTM(
      bound: options.bound, activation: function, isReversed: isReversed)
    let outputRole = role ?? options.role("batch_first/output")
    guard bounded.isUnbounded(steps: type(sequence).shape[1].value) else {
      return try unrolled(bounded, sequence, weights: weights, role: outputRole)
    }
    return try apply(operation, [sequence] + weights, role: outputRole)[0]
  }

  fileprivate mutating func rnn(
    _ sequence: SourceValue, _ options: SequenceOptions
  ) throws(WeighbridgeError) -> SourceValue {
    let operation = SimpleRNN(
      recurrence: Self.recurrence.forward, bias: .input,
      activation: try cellActivation(options.activation).1)
    let weights = [
      try joined([1], "kernel"), try joined([2], "recurrent_kernel"), try joined([3], "bias"),
    ]
    return try apply(
      operation, [sequence] + weights, role: options.role("batch_first/output"))[0]
  }
}

extension Tensor {
  /// Joins matrices of 8-bit integers, whose rows then have a scale each; `nil` for others.
  fileprivate init?(joiningRowsOf parts: [Tensor]) {
    var (bytes, scales) = ([UInt8](), [Float]())
    for part in parts {
      guard part.shape.count == 2, part.shape[1] == parts[0].shape[1], let stored = part.quantized,
        stored.integers.elementType == .int8, case .linear(let parameters) = stored.dequantization,
        parameters.zeroPoints.isEmpty, parameters.offsets.isEmpty, parameters.axis ?? 0 == 0
      else { return nil }
      bytes += stored.integers.contiguousBytes()
      scales +=
        parameters.axis == nil
        ? [Float](repeating: parameters.scales[0], count: part.shape[0]) : parameters.scales
    }
    let integers = Tensor(.int8, shape: [scales.count, parts[0].shape[1]], bytes: bytes)
    let weight = QuantizedWeight(integers, bits: 8, .linear(.init(scales: scales, axis: 0)))
    guard let encoded = weight.encoded, let tensor = try? Tensor(encoded) else { return nil }
    self = tensor
  }
}
