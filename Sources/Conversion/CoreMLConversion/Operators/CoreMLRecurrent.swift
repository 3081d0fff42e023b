import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Recurrent operators. Those that Core ML has become its layers; those with a mask or another
/// activation are unrolled.
enum CoreMLRecurrent: CoreMLFamily {
  static let rows: [CoreMLRow] = [
    CoreMLRow(outputsOf: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      guard let outputs = try builder.ownLSTM(operation) else {
        return try builder.steps(operation)
      }
      return outputs
    },
    CoreMLRow(outputsOf: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      let functions = [operation.recurrentActivation, operation.activation]
      guard !operation.resetsAfter,
        let outputs = try builder.own(.gru, operation, functions, activations: "activations")
      else { return try builder.steps(operation) }
      return outputs
    },
    CoreMLRow(outputsOf: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      let functions = [operation.activation]
      guard let outputs = try builder.own(.simple, operation, functions, activations: "activation")
      else { return try builder.steps(operation) }
      return outputs
    },
    CoreMLRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.convolutionalMemory(operation)
    },
  ]

  static let nodes: [String: CoreMLCall.Build] = [
    "simpleRecurrent": { (call) throws(WeighbridgeError) in try call.simpleRecurrent() },
    "gru": { (call) throws(WeighbridgeError) in try call.gatedRecurrent() },
    "uniDirectionalLSTM": { (call) throws(WeighbridgeError) in
      try call.oneWay()
    },
    "biDirectionalLSTM": { (call) throws(WeighbridgeError) in try call.bothWays() },
  ]
}

/// A recurrent layer of Core ML.
private struct CoreMLCell: Sendable {
  /// The name of the layer.
  let layer: String
  /// The settings with the weights of each gate.
  let kernels, recurrentKernels, biases: [String]
  /// The setting that states whether there are biases.
  let hasBias: String

  static let simple = CoreMLCell(
    layer: "simpleRecurrent", kernels: ["weightMatrix"], recurrentKernels: ["recursionMatrix"],
    biases: ["biasVector"], hasBias: "hasBiasVector")
  static let gru = CoreMLCell("gru", gates: ["updateGate", "resetGate", "outputGate"])
  static let lstm = CoreMLCell(
    "uniDirectionalLSTM", gates: ["inputGate", "forgetGate", "blockInput", "outputGate"])
}

extension CoreMLCell {
  init(_ layer: String, gates: [String]) {
    self.init(
      layer: layer, kernels: gates.map { "\($0)WeightMatrix" },
      recurrentKernels: gates.map { "\($0)RecursionMatrix" },
      biases: gates.map { "\($0)BiasVector" }, hasBias: "hasBiasVectors")
  }
}

// Core ML's own recurrent layers. They take sequences `[time, batch, features, 1, 1]`.

extension CoreMLNetworkBuilder {
  /// Adds Core ML's own LSTM; returns `nil` when it has none for these settings.
  fileprivate mutating func ownLSTM(_ operation: LSTM) throws(WeighbridgeError) -> [String]? {
    guard let layer = try RecurrentLayer(operation, builder: self) else { return nil }
    var settings = layer.settings
    settings["activations"] = .records(layer.activations)
    settings["weightParams"] = .record(weights(layer, .lstm))
    settings["params"] = .record(Self.memorySettings(operation))
    return try add(CoreMLCell.lstm.layer, layer, settings, stateCount: 2)
  }

  /// Adds Core ML's own bidirectional LSTM, whose outputs are concatenated.
  ///
  /// - Parameters:
  ///   - name: The layer's name.
  ///   - nodes: The LSTMs, the forward one first, as ``CoreMLBidirectionalPairs`` finds them.
  ///   - operands: The inputs of each of them.
  mutating func bothWays(
    _ nodes: [Node], named name: String, _ operands: [[ExportOperand]]
  ) throws(WeighbridgeError) -> String {
    let outer = scope
    defer { scope = outer }
    var layers: [RecurrentLayer] = []
    var weights: [ProtobufRecord] = []
    let operations = nodes.compactMap { $0.operation as? LSTM }
    for (operation, operands) in zip(operations, operands) {
      scope = ExportScope(prefix: name, operands: operands)
      guard let layer = try RecurrentLayer(operation, builder: self) else {
        throw .unsupported("is no pair of memories that Core ML has")
      }
      layers.append(layer)
      weights.append(self.weights(layer, .lstm))
    }
    var settings = layers[0].settings
    settings["activationsForwardLSTM"] = .records(layers[0].activations)
    settings["activationsBackwardLSTM"] = .records(layers[1].activations)
    settings["weightParams"] = .records(weights)
    settings["params"] = .record(Self.memorySettings(operations[0]))
    return try add("biDirectionalLSTM", layers[0], settings, stateCount: 4)[0]
  }

  /// The weights of all gates.
  private mutating func weights(_ layer: RecurrentLayer, _ cell: CoreMLCell) -> ProtobufRecord {
    var weights = ProtobufRecord()
    for gate in cell.kernels.indices {
      weights[cell.kernels[gate]] = self.weights(layer.kernel(gate))
      weights[cell.recurrentKernels[gate]] = self.weights(layer.recurrentKernel(gate))
      if let bias = layer.bias(gate) { weights[cell.biases[gate]] = self.weights(bias) }
    }
    return weights
  }

  /// The settings of an LSTM. Core ML clips the cell state to a threshold, which is 50 where it is
  /// 0 or unset; the largest number clips nothing.
  private static func memorySettings(_ operation: LSTM) -> ProtobufRecord {
    [
      "sequenceOutput": .boolean(operation.recurrence.returnsSequences),
      "hasBiasVectors": .boolean(operation.bias != .none),
      "cellClipThreshold": .real(Double(Float.greatestFiniteMagnitude)),
    ]
  }

  /// Adds one of Core ML's own layers with one state; returns `nil` when it has none for these
  /// settings.
  ///
  /// - Parameter activations: The setting with the activations.
  fileprivate mutating func own<Operation: RecurrentOperator>(
    _ cell: CoreMLCell, _ operation: Operation, _ functions: [CellActivation], activations: String
  ) throws(WeighbridgeError) -> [String]? {
    guard let layer = try RecurrentLayer(operation, functions, builder: self) else { return nil }
    var settings = layer.settings
    settings.fields.merge(weights(layer, cell).fields) { _, new in new }
    settings[activations] =
      functions.count == 1 ? .record(layer.activations[0]) : .records(layer.activations)
    settings["sequenceOutput"] = .boolean(operation.recurrence.returnsSequences)
    settings[cell.hasBias] = .boolean(operation.bias != .none)
    return try add(cell.layer, layer, settings, stateCount: 1)
  }

  /// Adds a recurrent layer, with conversions between the graph's axes and its own.
  private mutating func add(
    _ kind: String, _ layer: RecurrentLayer, _ settings: ProtobufRecord, stateCount: Int
  ) throws(WeighbridgeError) -> [String] {
    var sequence = try transpose(try input(layer.inputs.sequence), [1, 0, 2])
    let turns = [true, false, false]
    if layer.isReversed {
      sequence = try add("reverse", [sequence], ["reverseDim": .booleans(turns)])
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
    if layer.isReversed { result = try add("reverse", [result], ["reverseDim": .booleans(turns)]) }
    return [try transpose(result, [1, 0, 2])] + states
  }
}

/// The common parts of Core ML's recurrent layers.
private struct RecurrentLayer {
  let inputs: RecurrentInputs<Int>
  let isReversed: Bool
  let returnsSequences: Bool
  /// The activations as messages.
  let activations: [ProtobufRecord]
  private let weights: [Tensor]
  private let units: Int
  private let hasBias: Bool

  /// - Returns: `nil` when Core ML has no such layer: with masks, or with other activations.
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

  /// Makes the layer of an LSTM.
  init?(_ operation: LSTM, builder: CoreMLNetworkBuilder) throws(WeighbridgeError) {
    let functions = [operation.recurrentActivation, operation.activation, operation.activation]
    try self.init(operation, functions, builder: builder)
  }

  /// The settings that all have.
  var settings: ProtobufRecord {
    [
      "inputVectorSize": .integer(weights[0].shape[1]), "outputVectorSize": .integer(units),
    ]
  }

  func kernel(_ gate: Int) -> Tensor { rows(weights[0], gate) }

  func recurrentKernel(_ gate: Int) -> Tensor { rows(weights[1], gate) }

  /// The sum of the biases of input and state.
  func bias(_ gate: Int) -> Tensor? {
    guard hasBias else { return nil }
    let all = weights[2].doubles
    let gates = weights[0].shape[0]
    let sums = (gate * units..<(gate + 1) * units).map { row in
      stride(from: row, to: all.count, by: gates).reduce(0) { $0 + all[$1] }
    }
    return Tensor(.float32, shape: [units], sums)
  }

  private func rows(_ tensor: Tensor, _ gate: Int) -> Tensor {
    tensor.slice(gate * units..<(gate + 1) * units, along: 0)
  }

  /// Whether Core ML's LSTMs have the activations of one.
  static func isKnown(_ operation: LSTM) -> Bool {
    [operation.activation, operation.recurrentActivation].allSatisfy { record($0) != nil }
  }

  /// Core ML clips sums to -50...50 before these, which makes no difference in float32.
  private static func record(_ activation: CellActivation) -> ProtobufRecord? {
    switch activation.operation {
    case is Tanh: return ["tanh": .record([:])]
    case is Sigmoid: return ["sigmoid": .record([:])]
    case let hard as HardSigmoid where hard.slope == 0.2 && hard.offset == 0.5:
      return ["sigmoidHard": .record(["alpha": .real(0.2), "beta": .real(0.5)])]
    default: return nil
    }
  }
}

extension CoreMLBidirectionalPairs {
  /// Whether Core ML has a layer for two nodes.
  static func isPair(_ nodes: [Node], _ graph: Graph) -> Bool {
    let operations = nodes.compactMap { $0.operation as? LSTM }
    guard operations.count == 2, nodes[0].inputs[0] == nodes[1].inputs[0] else { return false }
    let recurrences = operations.map(\.recurrence)
    let shapes = nodes.map { graph[$0.inputs[2]].type.shape }
    return recurrences.map(\.isReversed) == [false, true] && shapes[0] == shapes[1]
      && recurrences[0].returnsSequences == recurrences[1].returnsSequences
      && recurrences.allSatisfy({ $0.mask == .none && !$0.hasInitialStates })
      && (operations[0].bias == .none) == (operations[1].bias == .none)
      && operations.allSatisfy(RecurrentLayer.isKnown)
  }
}

extension CoreMLCall {
  // MARK: Layers

  fileprivate mutating func simpleRecurrent() throws(WeighbridgeError) -> [CoreMLBlob] {
    let hasBias = flag(CoreMLCell.simple.hasBias)
    let activation = try cellActivation(record("activation"))
    let data = try data(states: 1)
    let operation = SimpleRNN(
      recurrence: try recurrence(), bias: hasBias ? .input : .none, activation: activation)
    let weights = try cellWeights(.simple, in: nil, hasBias: hasBias)
    return try results(operation, data + weights, operation.recurrence)
  }

  fileprivate mutating func gatedRecurrent() throws(WeighbridgeError) -> [CoreMLBlob] {
    let hasBias = flag(CoreMLCell.gru.hasBias)
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

  /// Adds LSTMs in both directions, concatenated along the features.
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
    /// The bound of the absolute value of its state.
    let limit: Double
  }

  /// The default limit: `cellClipThreshold` of `NeuralNetwork.proto`.
  private static let usualLimit = 50.0
  /// The value that coremltools writes for no effective limit.
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

  /// Refuses a limit that the cell's state may reach. It starts at 0, and each step adds at most 1
  /// where all activations are between -1 and 1.
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

  /// Returns the layer's sequence as `[batch, time, features]`, then the initial states,
  /// `[batch, units]` each; none where they are 0.
  private mutating func data(states count: Int) throws(WeighbridgeError) -> [ValueID] {
    guard let first = inputs.first, [0, count].contains(inputs.count - 1) else {
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
    // Core ML has no identity activation; it is written as a linear one.
    let isIdentity = (operation as? Rescaling).map { $0.scale == [1] && $0.offset == [0] }
    guard let activation = CellActivation(isIdentity == true ? Identity() : operation) else {
      throw unsupported("has an activation that is not understood inside of a cell")
    }
    return activation
  }

  /// Adds the kernels `[gates * units, features]` and `[gates * units, units]`, and the bias.
  ///
  /// - Parameter addsToForgetGate: Whether 1 is added to the bias of an LSTM's second gate.
  private mutating func cellWeights(
    _ names: CoreMLCell, in record: ProtobufRecord?, hasBias: Bool,
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

  /// Concatenates weights along their first axis.
  private mutating func joined(
    _ names: [String], in record: ProtobufRecord?, shape: [Int]
  ) throws(WeighbridgeError) -> Tensor {
    var bytes: [UInt8] = []
    for name in names { bytes += try tensor(name, in: record, shape: shape).contiguousBytes() }
    return Tensor(.float32, shape: [shape[0] * names.count] + shape.dropFirst(), bytes: bytes)
  }
}
