import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

extension CoreMLLayerImport {
  // MARK: Layers

  mutating func simpleRecurrent() throws(WeighbridgeError) -> [CoreMLBlob] {
    let hasBias = flag(CoreMLCell.simple.hasBias)
    let activation = try cellActivation(record("activation"))
    let data = try dataInputs(stateCount: 1)
    let operation = SimpleRNN(
      recurrence: try recurrence(), bias: hasBias ? .input : .none, activation: activation)
    let weights = try cellWeights(.simple, in: nil, hasBias: hasBias)
    return try outputs(of: operation, data + weights, operation.recurrence)
  }

  mutating func gru() throws(WeighbridgeError) -> [CoreMLBlob] {
    let hasBias = flag(CoreMLCell.gru.hasBias)
    let activations = try cellActivations("activations", count: 2)
    let data = try dataInputs(stateCount: 1)
    let operation = GRU(
      recurrence: try recurrence(), bias: hasBias ? .input : .none, activation: activations[1],
      recurrentActivation: activations[0], resetsAfter: false)
    let weights = try cellWeights(.gru, in: nil, hasBias: hasBias)
    return try outputs(of: operation, data + weights, operation.recurrence)
  }

  mutating func unidirectionalLSTM() throws(WeighbridgeError) -> [CoreMLBlob] {
    let activations = try cellActivations("activations", count: 3)
    let isReversed = flag("reverseInput")
    let settings = try lstmSettings()
    let data = try dataInputs(stateCount: 2)
    try checkCellClip(settings, activations, data)
    guard let record = record("weightParams") else {
      throw malformed("has no weights, expected them in weightParams")
    }
    let (operation, weights) = try lstm(
      record, settings, activations, isReversed: isReversed, prefix: "")
    return try outputs(of: operation, data + weights, operation.recurrence)
  }

  /// Adds LSTMs in both directions, concatenated along the features.
  mutating func bidirectionalLSTM() throws(WeighbridgeError) -> [CoreMLBlob] {
    let directions = ["activationsForwardLSTM", "activationsBackwardLSTM"]
    let settings = try lstmSettings()
    guard inputs.count == 1 else {
      throw unsupported(
        "takes \(inputs.count.counted("input")), and only a bidirectional LSTM without initial states "
          + "can be read"
      )
    }
    let data = try dataInputs(stateCount: 0)
    let records = records("weightParams")
    guard records.count == 2 else {
      throw malformed("has weights for \(records.count) directions, expected 2")
    }
    var outputs: [[ValueID]] = []
    for (direction, record) in records.enumerated() {
      let activations = try cellActivations(directions[direction], count: 3)
      try checkCellClip(settings, activations, data)
      let name = direction == 0 ? "forward" : "backward"
      let (operation, weights) = try lstm(
        record, settings, activations, isReversed: direction == 1, prefix: "\(name)_")
      outputs.append(try addAll(operation, data + weights, role: name))
    }
    let axis = settings.returnsSequences ? 2 : 1
    let concatenated = try add(Concatenate(axis: axis), outputs.map { $0[0] })
    let axes: [CoreMLAxis] =
      settings.returnsSequences ? [.batch, .sequence, .channel] : [.batch, .channel]
    return [CoreMLBlob(concatenated, axes, rank: 5)]
      + outputs.flatMap { $0.dropFirst() }.map { CoreMLBlob($0, [.batch, .channel], rank: 5) }
  }

  // MARK: Settings and inputs

  /// The settings of `LSTMParams`.
  private struct LSTMSettings {
    let returnsSequences: Bool
    let hasBias: Bool
    /// Whether 1 is added to the bias of the forget gate.
    let addsUnitForgetBias: Bool
    /// The bound of the absolute value of the cell state.
    let cellClip: Double
  }

  /// The default of `cellClipThreshold` in `NeuralNetwork.proto`.
  private static let defaultCellClip = 50.0
  /// The value that coremltools writes to disable clipping in effect.
  private static let ineffectiveCellClip = 50_000.0

  private mutating func lstmSettings() throws(WeighbridgeError) -> LSTMSettings {
    let record = record("params") ?? [:]
    guard !record.boolean("coupledInputAndForgetGate") else {
      throw unsupported(
        "couples its input and forget gates (coupledInputAndForgetGate), and LSTMs with gates of their "
          + "own can be read")
    }
    guard !record.boolean("hasPeepholeVectors") else {
      throw unsupported(
        "has peepholes (hasPeepholeVectors), and LSTMs without them can be read")
    }
    let cellClip = record.double("cellClipThreshold")
    return LSTMSettings(
      returnsSequences: record.boolean("sequenceOutput"),
      hasBias: record.boolean("hasBiasVectors"),
      addsUnitForgetBias: record.boolean("forgetBias"),
      cellClip: cellClip == 0 ? Self.defaultCellClip : cellClip)
  }

  /// Refuses a clipping threshold that the cell state may reach. The state starts at 0, and each
  /// step adds at most 1 if all activations are between -1 and 1.
  private mutating func checkCellClip(
    _ settings: LSTMSettings, _ activations: [CellActivation], _ data: [ValueID]
  ) throws(WeighbridgeError) {
    if activations.dropLast().allSatisfy(Self.isBounded), data.count == 1,
      let steps = type(data[0]).shape[1].value, Double(steps) <= settings.cellClip
    {
      return
    }
    guard settings.cellClip >= Self.ineffectiveCellClip else {
      throw unsupported(
        "clips its cell state to ±\(settings.cellClip), which is not supported, and the state may "
          + "reach that bound")
    }
    if settings.cellClip < Double(Float.greatestFiniteMagnitude) {
      decide("clips its cell state to ±\(settings.cellClip), which it is assumed not to reach")
    }
  }

  private mutating func lstm(
    _ record: ProtobufRecord, _ settings: LSTMSettings, _ activations: [CellActivation],
    isReversed: Bool, prefix: String
  ) throws(WeighbridgeError) -> (LSTM, [ValueID]) {
    guard activations[1] == activations[2] else {
      throw unsupported(
        "has the activations \(activations[1].operation.kind) for its input and "
          + "\(activations[2].operation.kind) for its cell state, and only the same for both can be read"
      )
    }
    if !Self.isBounded(activations[1]) {
      decide("clips its sums to ±50, and its cell state is assumed not to leave that range")
    }
    let hasBias = settings.hasBias || settings.addsUnitForgetBias
    let operation = LSTM(
      recurrence: Recurrence(
        isReversed: isReversed, returnsSequences: settings.returnsSequences,
        hasInitialStates: inputs.count > 1, mask: .none),
      bias: hasBias ? .input : .none, activation: activations[1],
      recurrentActivation: activations[0])
    let weights = try cellWeights(
      .lstm, in: record, hasBias: settings.hasBias,
      addsUnitForgetBias: settings.addsUnitForgetBias, prefix: prefix)
    return (operation, weights)
  }

  /// Returns the layer's sequence as `[batch, time, features]`, then the initial states,
  /// `[batch, units]` each; none where they are 0.
  private mutating func dataInputs(stateCount: Int) throws(WeighbridgeError) -> [ValueID] {
    guard let first = inputs.first, [0, stateCount].contains(inputs.count - 1) else {
      throw malformed(
        "takes \(inputs.count.counted("input")), expected 1 (the sequence) or \(1 + stateCount) (with the "
          + "initial states)")
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

  private mutating func outputs(
    of operation: some CatalogOperator, _ inputs: [ValueID], _ recurrence: Recurrence
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    if recurrence.isReversed, recurrence.returnsSequences {
      decide("runs in reverse; each output is assumed to belong to its own step")
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
      throw malformed("has \(records.count) activations, expected \(count)")
    }
    var result: [CellActivation] = []
    for record in records { result.append(try cellActivation(record)) }
    return result
  }

  private mutating func cellActivation(
    _ record: ProtobufRecord?
  ) throws(WeighbridgeError) -> CellActivation {
    let kind = record?.fields.keys.first ?? "none"
    let parameters = ["alpha", "beta"].map { record?.record(kind)?.double($0) ?? 0 }
    var operation = record.flatMap(CoreMLActivations.operation)
    if kind == "linear", parameters == [0, 0] {
      decide(
        "has a linear activation without a factor, as coremltools writes it: its factor is taken for 1"
      )
      operation = Rescaling(scale: [1], offset: [0])
    }
    guard let activation = operation.flatMap(Self.ofClippedSums) else {
      throw unsupported(
        "has the activation \(kind) with alpha=\(parameters[0]) and beta=\(parameters[1]), and a recurrent "
          + "layer can be read with tanh, sigmoid, sigmoidHard, ReLU, or linear with alpha=1 and beta=0"
      )
    }
    return activation
  }

  /// Core ML clips sums to -50...50 before these, which makes no difference in float32.
  private static func isBounded(_ activation: CellActivation) -> Bool {
    activation.operation is Tanh || activation.operation is Sigmoid
      || activation.operation is HardSigmoid
  }

  /// Returns an activation of sums that are clipped to -50...50 (`NeuralNetwork.proto`, the comments
  /// of the recurrent layers); `nil` for those that these layers do not have.
  private static func ofClippedSums(_ operation: any CatalogOperator) -> CellActivation? {
    switch operation {
    case is Tanh, is Sigmoid: CellActivation(operation)
    case let hard as HardSigmoid where abs(hard.offset) + 1 <= 50 * hard.slope:
      CellActivation(hard)
    case is ReLU: CellActivation(ReLU(slope: 0, threshold: 0, maximum: 50))
    // Core ML has no identity activation; a linear one takes its place.
    case let linear as Rescaling where linear.scale == [1] && linear.offset == [0]:
      CellActivation(Clip(minimum: -50, maximum: 50))
    default: nil
    }
  }

  /// Adds the kernels `[gates * units, features]` and `[gates * units, units]`, and the bias.
  ///
  /// - Parameter addsUnitForgetBias: Whether 1 is added to the bias of an LSTM's second gate.
  private mutating func cellWeights(
    _ cell: CoreMLCell, in record: ProtobufRecord?, hasBias: Bool,
    addsUnitForgetBias: Bool = false, prefix: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    let (features, units) = (integer("inputVectorSize"), integer("outputVectorSize"))
    var tensors = [
      ("kernel", try stackedGates(cell.kernels, in: record, shape: [units, features])),
      (
        "recurrent_kernel",
        try stackedGates(cell.recurrentKernels, in: record, shape: [units, units])
      ),
    ]
    if hasBias {
      tensors.append(("bias", try stackedGates(cell.biases, in: record, shape: [units])))
    }
    for name in cell.biases { ignore(name) }
    if addsUnitForgetBias {
      let count = try Checked.product([units, 4], of: "the size of its bias")
      var bias = hasBias ? tensors.removeLast().1.doubles : [Double](repeating: 0, count: count)
      for index in units..<2 * units { bias[index] += 1 }
      tensors.append(("bias", Tensor(.float32, shape: [count], bias)))
    }
    var weights: [ValueID] = []
    for (role, tensor) in tensors { weights.append(try addWeight(prefix + role, tensor)) }
    return weights
  }

  /// Reads the weights of all gates, concatenated along their first axis.
  private mutating func stackedGates(
    _ names: [String], in record: ProtobufRecord?, shape: [Int]
  ) throws(WeighbridgeError) -> Tensor {
    var bytes: [UInt8] = []
    for name in names { bytes += try tensor(name, in: record, shape: shape).contiguousBytes() }
    return Tensor(.float32, shape: [shape[0] * names.count] + shape.dropFirst(), bytes: bytes)
  }
}
