import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Recurrent operators. Those that Core ML supports become its layers; those with a mask or an
/// activation that it lacks are unrolled.
enum CoreMLRecurrent: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(outputsOf: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      guard let outputs = try builder.nativeLSTM(operation) else {
        return try builder.unroll(operation)
      }
      return outputs
    },
    CoreMLRow(outputsOf: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      let functions = [operation.recurrentActivation, operation.activation]
      guard !operation.resetsAfter,
        let outputs = try builder.nativeLayer(
          .gru, operation, functions, activations: "activations")
      else { return try builder.unroll(operation) }
      return outputs
    },
    CoreMLRow(outputsOf: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      let functions = [operation.activation]
      guard
        let outputs = try builder.nativeLayer(
          .simple, operation, functions, activations: "activation")
      else { return try builder.unroll(operation) }
      return outputs
    },
    CoreMLRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.convLSTM(operation)
    },
  ]

  static let nodes: [String: CoreMLLayerImport.Build] = [
    "simpleRecurrent": { (layer) throws(WeighbridgeError) in try layer.simpleRecurrent() },
    "gru": { (layer) throws(WeighbridgeError) in try layer.gru() },
    "uniDirectionalLSTM": { (layer) throws(WeighbridgeError) in
      try layer.unidirectionalLSTM()
    },
    "biDirectionalLSTM": { (layer) throws(WeighbridgeError) in try layer.bidirectionalLSTM() },
  ]

  /// Whether Core ML's LSTMs support the activations of one.
  static func supportsActivations(of operation: LSTM) -> Bool {
    [operation.activation, operation.recurrentActivation].allSatisfy(RecurrentLayer.supports)
  }
}

/// A recurrent layer of Core ML.
private struct CoreMLCell: Sendable {
  /// The kind of layer.
  let kind: String
  /// The settings with the weights of each gate.
  let kernels, recurrentKernels, biases: [String]
  /// The setting that states whether there are biases.
  let hasBias: String

  static let simple = CoreMLCell(
    kind: "simpleRecurrent", kernels: ["weightMatrix"], recurrentKernels: ["recursionMatrix"],
    biases: ["biasVector"], hasBias: "hasBiasVector")
  static let gru = CoreMLCell("gru", gates: ["updateGate", "resetGate", "outputGate"])
  static let lstm = CoreMLCell(
    "uniDirectionalLSTM", gates: ["inputGate", "forgetGate", "blockInput", "outputGate"])
}

extension CoreMLCell {
  init(_ kind: String, gates: [String]) {
    self.init(
      kind: kind, kernels: gates.map { "\($0)WeightMatrix" },
      recurrentKernels: gates.map { "\($0)RecursionMatrix" },
      biases: gates.map { "\($0)BiasVector" }, hasBias: "hasBiasVectors")
  }
}

// Core ML's native recurrent layers. They take sequences `[time, batch, features, 1, 1]`.

extension CoreMLNetworkBuilder {
  /// Adds Core ML's LSTM; returns `nil` when it does not support these settings.
  fileprivate mutating func nativeLSTM(_ operation: LSTM) throws(WeighbridgeError) -> [String]? {
    guard let layer = try RecurrentLayer(operation, builder: self) else { return nil }
    var settings = layer.settings
    settings["activations"] = .records(layer.activations)
    settings["weightParams"] = .record(weights(layer, .lstm))
    settings["params"] = .record(Self.lstmSettings(operation))
    return try add(CoreMLCell.lstm.kind, layer, settings, stateCount: 2)
  }

  /// Adds Core ML's bidirectional LSTM, whose outputs are concatenated.
  ///
  /// - Parameters:
  ///   - name: The layer's name.
  ///   - nodes: The LSTMs, the forward one first, as ``CoreMLBidirectionalPairs`` finds them.
  ///   - operands: The inputs of each of them.
  mutating func bidirectionalLSTM(
    _ nodes: [Node], named name: String, _ operands: [[ExportOperand]]
  ) throws(WeighbridgeError) -> String {
    let outerScope = scope
    defer { scope = outerScope }
    var layers: [RecurrentLayer] = []
    var weights: [ProtobufRecord] = []
    let operations = nodes.compactMap { $0.operation as? LSTM }
    for (operation, operands) in zip(operations, operands) {
      scope = ExportScope(prefix: name, operands: operands)
      guard let layer = try RecurrentLayer(operation, builder: self) else {
        throw .unsupported("is not a pair of LSTMs that Core ML supports")
      }
      layers.append(layer)
      weights.append(self.weights(layer, .lstm))
    }
    var settings = layers[0].settings
    settings["activationsForwardLSTM"] = .records(layers[0].activations)
    settings["activationsBackwardLSTM"] = .records(layers[1].activations)
    settings["weightParams"] = .records(weights)
    settings["params"] = .record(Self.lstmSettings(operations[0]))
    return try add("biDirectionalLSTM", layers[0], settings, stateCount: 4)[0]
  }

  /// Stores the weights of all gates.
  private mutating func weights(_ layer: RecurrentLayer, _ cell: CoreMLCell) -> ProtobufRecord {
    var weights = ProtobufRecord()
    for gate in cell.kernels.indices {
      weights[cell.kernels[gate]] = self.weights(layer.kernel(gate))
      weights[cell.recurrentKernels[gate]] = self.weights(layer.recurrentKernel(gate))
      if let bias = layer.bias(gate) { weights[cell.biases[gate]] = self.weights(bias) }
    }
    return weights
  }

  /// Returns the settings of an LSTM. Core ML clips the cell state to a threshold, which is 50 if
  /// it is 0 or unset; with the largest number, nothing is clipped.
  private static func lstmSettings(_ operation: LSTM) -> ProtobufRecord {
    [
      "sequenceOutput": .boolean(operation.recurrence.returnsSequences),
      "hasBiasVectors": .boolean(operation.bias != .none),
      "cellClipThreshold": .double(Double(Float.greatestFiniteMagnitude)),
    ]
  }

  /// Adds one of Core ML's layers with one state; returns `nil` when it does not support these
  /// settings.
  ///
  /// - Parameter activations: The setting with the activations.
  fileprivate mutating func nativeLayer<Operation: RecurrentOperator>(
    _ cell: CoreMLCell, _ operation: Operation, _ functions: [CellActivation], activations: String
  ) throws(WeighbridgeError) -> [String]? {
    guard let layer = try RecurrentLayer(operation, functions, builder: self) else { return nil }
    var settings = layer.settings
    settings.fields.merge(weights(layer, cell).fields) { _, new in new }
    settings[activations] =
      functions.count == 1 ? .record(layer.activations[0]) : .records(layer.activations)
    settings["sequenceOutput"] = .boolean(operation.recurrence.returnsSequences)
    settings[cell.hasBias] = .boolean(operation.bias != .none)
    return try add(cell.kind, layer, settings, stateCount: 1)
  }

  /// Adds a recurrent layer, with conversions between the graph's axes and its own.
  private mutating func add(
    _ kind: String, _ layer: RecurrentLayer, _ settings: ProtobufRecord, stateCount: Int
  ) throws(WeighbridgeError) -> [String] {
    var sequence = try transpose(try input(layer.inputs.sequence), [1, 0, 2])
    let reversedAxes = [true, false, false]
    if layer.isReversed {
      sequence = try add("reverse", [sequence], ["reverseDim": .booleans(reversedAxes)])
    }
    var inputs = [try expandDims(sequence, [3, 4])]
    for position in layer.inputs.states {
      inputs.append(try expandDims(try input(position), [0, 3, 4]))
    }
    let outputs = try add(kind, inputs, settings, outputCount: 1 + stateCount)
    var states: [String] = []
    for output in outputs.dropFirst() { states.append(try squeeze(output, [0, 3, 4])) }
    guard layer.returnsSequences else { return [try squeeze(outputs[0], [0, 3, 4])] + states }
    var result = try squeeze(outputs[0], [3, 4])
    if layer.isReversed {
      result = try add("reverse", [result], ["reverseDim": .booleans(reversedAxes)])
    }
    return [try transpose(result, [1, 0, 2])] + states
  }
}

/// What Core ML's recurrent layers have in common.
private struct RecurrentLayer {
  let inputs: RecurrentInputs<Int>
  let isReversed: Bool
  let returnsSequences: Bool
  /// The activations as protobuf messages.
  let activations: [ProtobufRecord]
  private let weights: [Tensor]
  private let units: Int
  private let hasBias: Bool

  /// - Returns: `nil` when Core ML does not support the layer: with masks, or with activations that
  ///   it lacks.
  init?<Operation: RecurrentOperator>(
    _ operation: Operation, _ functions: [CellActivation], builder: CoreMLNetworkBuilder
  ) throws(WeighbridgeError) {
    let recurrence = operation.recurrence
    let activations = functions.compactMap(Self.record)
    guard recurrence.mask == .none, activations.count == functions.count else { return nil }
    inputs = RecurrentInputs(
      Array(builder.operands.indices), recurrence, stateCount: Operation.stateNames.count)
    var weights: [Tensor] = []
    for position in inputs.weights { weights.append(try builder.tensor(position)) }
    self.weights = weights
    self.activations = activations
    (isReversed, returnsSequences) = (recurrence.isReversed, recurrence.returnsSequences)
    (units, hasBias) = (weights[1].shape[1], operation.bias != .none)
  }

  /// Creates the layer of an LSTM.
  init?(_ operation: LSTM, builder: CoreMLNetworkBuilder) throws(WeighbridgeError) {
    let functions = [operation.recurrentActivation, operation.activation, operation.activation]
    try self.init(operation, functions, builder: builder)
  }

  /// The settings that all layers have.
  var settings: ProtobufRecord {
    [
      "inputVectorSize": .integer(weights[0].shape[1]), "outputVectorSize": .integer(units),
    ]
  }

  func kernel(_ gate: Int) -> Tensor { rows(weights[0], gate) }

  func recurrentKernel(_ gate: Int) -> Tensor { rows(weights[1], gate) }

  /// Returns the sum of the biases of input and state.
  func bias(_ gate: Int) -> Tensor? {
    guard hasBias else { return nil }
    let biases = weights[2].doubles
    let gates = weights[0].shape[0]
    let sums = (gate * units..<(gate + 1) * units).map { row in
      stride(from: row, to: biases.count, by: gates).reduce(0) { $0 + biases[$1] }
    }
    return Tensor(.float32, shape: [units], sums)
  }

  private func rows(_ tensor: Tensor, _ gate: Int) -> Tensor {
    tensor.slice(gate * units..<(gate + 1) * units, along: 0)
  }

  /// Whether Core ML's layers have an activation.
  static func supports(_ activation: CellActivation) -> Bool { record(activation) != nil }

  /// Core ML clips sums to -50...50 before these, which makes no difference in float32.
  private static func record(_ activation: CellActivation) -> ProtobufRecord? {
    switch activation.operation {
    case is Tanh: return ["tanh": .record([:])]
    case is Sigmoid: return ["sigmoid": .record([:])]
    case let hard as HardSigmoid where hard.slope == 0.2 && hard.offset == 0.5:
      return ["sigmoidHard": .record(["alpha": .double(0.2), "beta": .double(0.5)])]
    default: return nil
    }
  }
}

extension CoreMLLayerImport {
  // MARK: Layers

  fileprivate mutating func simpleRecurrent() throws(WeighbridgeError) -> [CoreMLBlob] {
    let hasBias = flag(CoreMLCell.simple.hasBias)
    let activation = try cellActivation(record("activation"))
    let data = try dataInputs(stateCount: 1)
    let operation = SimpleRNN(
      recurrence: try recurrence(), bias: hasBias ? .input : .none, activation: activation)
    let weights = try cellWeights(.simple, in: nil, hasBias: hasBias)
    return try outputs(of: operation, data + weights, operation.recurrence)
  }

  fileprivate mutating func gru() throws(WeighbridgeError) -> [CoreMLBlob] {
    let hasBias = flag(CoreMLCell.gru.hasBias)
    let activations = try cellActivations("activations", count: 2)
    let data = try dataInputs(stateCount: 1)
    let operation = GRU(
      recurrence: try recurrence(), bias: hasBias ? .input : .none, activation: activations[1],
      recurrentActivation: activations[0], resetsAfter: false)
    let weights = try cellWeights(.gru, in: nil, hasBias: hasBias)
    return try outputs(of: operation, data + weights, operation.recurrence)
  }

  fileprivate mutating func unidirectionalLSTM() throws(WeighbridgeError) -> [CoreMLBlob] {
    let activations = try cellActivations("activations", count: 3)
    let isReversed = flag("reverseInput")
    let settings = try lstmSettings()
    let data = try dataInputs(stateCount: 2)
    try checkCellClip(settings, activations, data)
    guard let record = record("weightParams") else { throw malformed("has no weights") }
    let (operation, weights) = try lstm(
      record, settings, activations, isReversed: isReversed, prefix: "")
    return try outputs(of: operation, data + weights, operation.recurrence)
  }

  /// Adds LSTMs in both directions, concatenated along the features.
  fileprivate mutating func bidirectionalLSTM() throws(WeighbridgeError) -> [CoreMLBlob] {
    let directions = ["activationsForwardLSTM", "activationsBackwardLSTM"]
    let settings = try lstmSettings()
    guard inputs.count == 1 else { throw unsupported("has initial states in both directions") }
    let data = try dataInputs(stateCount: 0)
    let records = records("weightParams")
    guard records.count == 2 else { throw malformed("has weights for \(records.count) ways") }
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
      throw unsupported("couples its input and forget gates")
    }
    guard !record.boolean("hasPeepholeVectors") else { throw unsupported("has peepholes") }
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
    let isBounded = activations.dropLast().allSatisfy {
      $0.operation is Tanh || $0.operation is Sigmoid || $0.operation is HardSigmoid
    }
    if isBounded, data.count == 1, let steps = type(data[0]).shape[1].value,
      Double(steps) <= settings.cellClip
    {
      return
    }
    guard settings.cellClip >= Self.ineffectiveCellClip else {
      throw unsupported(
        "keeps its cell's state within \(settings.cellClip) to both sides of 0, which is not done "
          + "here, and it may get there")
    }
    if settings.cellClip < Double(Float.greatestFiniteMagnitude) {
      decide("keeps its cell's state within \(settings.cellClip), which it is taken not to reach")
    }
  }

  private mutating func lstm(
    _ record: ProtobufRecord, _ settings: LSTMSettings, _ activations: [CellActivation],
    isReversed: Bool, prefix: String
  ) throws(WeighbridgeError) -> (LSTM, [ValueID]) {
    guard activations[1] == activations[2] else {
      throw unsupported("has another activation for its cell state than for its input")
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
        "takes \(inputs.count) inputs, expected a sequence and all states or none")
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

  private func cellActivation(
    _ record: ProtobufRecord?
  ) throws(WeighbridgeError) -> CellActivation {
    guard let record, let operation = CoreMLActivations.operation(record) else {
      throw unsupported("has an activation that is not understood inside of a cell")
    }
    // Core ML has no identity activation; a linear one takes its place.
    let isIdentity = (operation as? Rescaling).map { $0.scale == [1] && $0.offset == [0] }
    guard let activation = CellActivation(isIdentity == true ? Identity() : operation) else {
      throw unsupported("has an activation that is not understood inside of a cell")
    }
    return activation
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
