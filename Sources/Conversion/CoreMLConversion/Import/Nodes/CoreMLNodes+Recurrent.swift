import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Layers that walk over the sequence axis. Their tensors are `[sequence, batch, features, 1, 1]`.
extension CoreMLNodes {
  static let recurrent: [String: CoreMLCall.Build] = [
    "simpleRecurrent": { (call) throws(WeighbridgeError) in try call.simpleRecurrent() },
    "gru": { (call) throws(WeighbridgeError) in try call.gatedRecurrent() },
    "uniDirectionalLSTM": { (call) throws(WeighbridgeError) in
      try call.oneWay()
    },
    "biDirectionalLSTM": { (call) throws(WeighbridgeError) in try call.bothWays() },
  ]
}

/// What the weights of a recurrent layer are called, gate after gate.
private struct RecurrentNames {
  let kernels: [String]
  let recurrentKernels: [String]
  let biases: [String]

  static let simple = RecurrentNames(
    kernels: ["weightMatrix"], recurrentKernels: ["recursionMatrix"], biases: ["biasVector"])
  static let gru = RecurrentNames(gates: ["updateGate", "resetGate", "outputGate"])
  static let lstm = RecurrentNames(gates: ["inputGate", "forgetGate", "blockInput", "outputGate"])

  init(gates: [String]) {
    self.init(
      kernels: gates.map { "\($0)WeightMatrix" },
      recurrentKernels: gates.map { "\($0)RecursionMatrix" },
      biases: gates.map { "\($0)BiasVector" })
  }

  init(kernels: [String], recurrentKernels: [String], biases: [String]) {
    self.kernels = kernels
    self.recurrentKernels = recurrentKernels
    self.biases = biases
  }
}

extension CoreMLCall {
  // MARK: Layers

  fileprivate mutating func simpleRecurrent() throws(WeighbridgeError) -> [CoreMLBlob] {
    let hasBias = flag("hasBiasVector")
    let activation = try cellActivation(record("activation"))
    let data = try data(states: 1)
    let operation = SimpleRNN(
      recurrence: try recurrence(), bias: hasBias ? .input : .none, activation: activation)
    let weights = try cellWeights(.simple, in: nil, hasBias: hasBias)
    return try results(operation, data + weights, operation.recurrence)
  }

  fileprivate mutating func gatedRecurrent() throws(WeighbridgeError) -> [CoreMLBlob] {
    let hasBias = flag("hasBiasVectors")
    let activations = try cellActivations("activations", count: 2)
    let data = try data(states: 1)
    let operation = GRU(
      recurrence: try recurrence(), bias: hasBias ? .input : .none, activation: activations[1],
      recurrentActivation: activations[0], resetsAfter: false)
    let weights = try cellWeights(.gru, in: nil, hasBias: hasBias)
    return try results(operation, data + weights, operation.recurrence)
  }

  fileprivate mutating func oneWay() throws(WeighbridgeError) -> [CoreMLBlob] {
    let activations = try cellActivations("activations", count: 3)
    let isReversed = flag("reverseInput")
    let cell = try cell()
    let data = try data(states: 2)
    try check(cell, activations, data)
    guard let record = record("weightParams") else { throw malformed("has no weights") }
    let (operation, weights) = try lstm(
      record, cell, activations, isReversed: isReversed, prefix: "")
    return try results(operation, data + weights, operation.recurrence)
  }

  /// Both ways over the sequence, put together along the features.
  fileprivate mutating func bothWays() throws(WeighbridgeError) -> [CoreMLBlob] {
    let ways = ["activationsForwardLSTM", "activationsBackwardLSTM"]
    let cell = try cell()
    guard inputs.count == 1 else { throw unsupported("takes states to begin with both ways") }
    let data = try data(states: 0)
    let records = records("weightParams")
    guard records.count == 2 else { throw malformed("has weights for \(records.count) ways") }
    var outputs: [[ValueID]] = []
    for (way, record) in records.enumerated() {
      let activations = try cellActivations(ways[way], count: 3)
      try check(cell, activations, data)
      let name = way == 0 ? "forward" : "backward"
      let (operation, weights) = try lstm(
        record, cell, activations, isReversed: way == 1, prefix: "\(name)_")
      outputs.append(try addAll(operation, data + weights, role: name))
    }
    let axis = cell.returnsSequences ? 2 : 1
    let both = try add(Concatenate(axis: axis), outputs.map { $0[0] })
    let axes: [CoreMLAxis] =
      cell.returnsSequences ? [.batch, .sequence, .channel] : [.batch, .channel]
    return [CoreMLBlob(both, axes, rank: 5)]
      + outputs.flatMap { $0.dropFirst() }.map { CoreMLBlob($0, [.batch, .channel], rank: 5) }
  }

  // MARK: Parts

  /// The settings of `LSTMParams`.
  private struct Cell {
    let returnsSequences: Bool
    let hasBias: Bool
    let forgetsLess: Bool
    /// Its state stays within this to both sides of 0.
    let limit: Double
  }

  /// The limit that stands for none given: `cellClipThreshold` of `NeuralNetwork.proto`.
  private static let usualLimit = 50.0
  /// What coremltools writes as a limit that nothing reaches.
  private static let farLimit = 50_000.0

  private mutating func cell() throws(WeighbridgeError) -> Cell {
    let record = record("params") ?? [:]
    guard !record.boolean("coupledInputAndForgetGate") else {
      throw unsupported("couples its input and forget gates")
    }
    guard !record.boolean("hasPeepholeVectors") else { throw unsupported("has peepholes") }
    let limit = record.real("cellClipThreshold")
    return Cell(
      returnsSequences: record.boolean("sequenceOutput"),
      hasBias: record.boolean("hasBiasVectors"), forgetsLess: record.boolean("forgetBias"),
      limit: limit == 0 ? Self.usualLimit : limit)
  }

  /// Refuses a limit to the cell's state that it may reach. It begins with 0, and a step adds 1 at
  /// most where all activations are between -1 and 1.
  private mutating func check(
    _ cell: Cell, _ activations: [CellActivation], _ data: [ValueID]
  ) throws(WeighbridgeError) {
    let isBounded = activations.dropLast().allSatisfy {
      $0.operation is Tanh || $0.operation is Sigmoid || $0.operation is HardSigmoid
    }
    if isBounded, data.count == 1, let steps = type(data[0]).shape[1].value,
      Double(steps) <= cell.limit
    {
      return
    }
    guard cell.limit >= Self.farLimit else {
      throw unsupported(
        "keeps its cell's state within \(cell.limit) to both sides of 0, which is not done here, and "
          + "it may get there")
    }
    if cell.limit < Double(Float.greatestFiniteMagnitude) {
      decide("keeps its cell's state within \(cell.limit), which it is taken not to reach")
    }
  }

  private mutating func lstm(
    _ record: ProtobufRecord, _ cell: Cell, _ activations: [CellActivation], isReversed: Bool,
    prefix: String
  ) throws(WeighbridgeError) -> (LSTM, [ValueID]) {
    guard activations[1] == activations[2] else {
      throw unsupported("has another activation for its cell state than for its input")
    }
    let hasBias = cell.hasBias || cell.forgetsLess
    let operation = LSTM(
      recurrence: Recurrence(
        isReversed: isReversed, returnsSequences: cell.returnsSequences,
        hasInitialStates: inputs.count > 1, mask: .none),
      bias: hasBias ? .input : .none, activation: activations[1],
      recurrentActivation: activations[0])
    let weights = try cellWeights(
      .lstm, in: record, hasBias: cell.hasBias, addsToForgetGate: cell.forgetsLess, prefix: prefix)
    return (operation, weights)
  }

  /// The layer's sequence as `[batch, time, features]`, then the states to begin with, `[batch,
  /// units]` each; none where they are 0.
  private mutating func data(states count: Int) throws(WeighbridgeError) -> [ValueID] {
    guard let first = inputs.first, [0, count].contains(inputs.count - 1) else {
      throw malformed(
        "takes \(inputs.count) inputs; a sequence, and all states or none, belong there")
    }
    var values = [try value(first, [.batch, .sequence, .channel])]
    for state in inputs.dropFirst() { values.append(try value(state, [.batch, .channel])) }
    return values
  }

  private mutating func recurrence() throws(WeighbridgeError) -> Recurrence {
    Recurrence(
      isReversed: flag("reverseInput"), returnsSequences: flag("sequenceOutput"),
      hasInitialStates: inputs.count > 1, mask: .none)
  }

  private mutating func results(
    _ operation: some CatalogOperator, _ inputs: [ValueID], _ recurrence: Recurrence
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    if recurrence.isReversed, recurrence.returnsSequences {
      decide("walks from the last step on; each output is taken to stand at its own step")
    }
    let axes: [CoreMLAxis] =
      recurrence.returnsSequences ? [.batch, .sequence, .channel] : [.batch, .channel]
    let outputs = try addAll(operation, inputs)
    return [CoreMLBlob(outputs[0], axes, rank: 5)]
      + outputs.dropFirst().map { CoreMLBlob($0, [.batch, .channel], rank: 5) }
  }

  // MARK: Activations and weights

  private mutating func cellActivations(
    _ name: String, count: Int
  ) throws(WeighbridgeError) -> [CellActivation] {
    let records = records(name)
    guard records.count == count else {
      throw malformed("has \(records.count) activations, and \(count) belong there")
    }
    var result: [CellActivation] = []
    for record in records { result.append(try cellActivation(record)) }
    return result
  }

  private func cellActivation(
    _ record: ProtobufRecord?
  ) throws(WeighbridgeError) -> CellActivation {
    guard let record, let operation = CoreMLNodes.operation(record) else {
      throw unsupported("has an activation that is not understood inside of a cell")
    }
    // Core ML has no operator of its own for what leaves everything as it is.
    let isIdentity = (operation as? Rescaling).map { $0.scale == [1] && $0.offset == [0] }
    guard let activation = CellActivation(isIdentity == true ? Identity() : operation) else {
      throw unsupported("has an activation that is not understood inside of a cell")
    }
    return activation
  }

  /// The kernels `[gates * units, features]` and `[gates * units, units]`, and the bias.
  ///
  /// - Parameter addsToForgetGate: Whether 1 is added to the bias of an LSTM's second gate.
  private mutating func cellWeights(
    _ names: RecurrentNames, in record: ProtobufRecord?, hasBias: Bool,
    addsToForgetGate: Bool = false, prefix: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    let (features, units) = (integer("inputVectorSize"), integer("outputVectorSize"))
    var tensors = [
      ("kernel", try joined(names.kernels, in: record, shape: [units, features])),
      ("recurrent_kernel", try joined(names.recurrentKernels, in: record, shape: [units, units])),
    ]
    if hasBias { tensors.append(("bias", try joined(names.biases, in: record, shape: [units]))) }
    for name in names.biases { ignore(name) }
    if addsToForgetGate {
      let count = try Checked.product([units, 4], of: "the size of its bias")
      var numbers = hasBias ? tensors.removeLast().1.doubles : [Double](repeating: 0, count: count)
      for index in units..<2 * units { numbers[index] += 1 }
      tensors.append(("bias", Tensor(.float32, shape: [count], numbers)))
    }
    var weights: [ValueID] = []
    for (role, tensor) in tensors { weights.append(try addWeight(prefix + role, tensor)) }
    return weights
  }

  /// Weights one behind the other along their first axis.
  private mutating func joined(
    _ names: [String], in record: ProtobufRecord?, shape: [Int]
  ) throws(WeighbridgeError) -> Tensor {
    var bytes: [UInt8] = []
    for name in names { bytes += try tensor(name, in: record, shape: shape).contiguousBytes() }
    return Tensor(.float32, shape: [shape[0] * names.count] + shape.dropFirst(), bytes: bytes)
  }
}
