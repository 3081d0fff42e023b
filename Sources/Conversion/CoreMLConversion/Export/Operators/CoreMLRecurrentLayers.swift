import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Operators that walk over a sequence. Those that Core ML has become its layers; those with a mask
/// or another activation become the layers of all steps.
enum CoreMLRecurrent {
  static let rows: [CoreMLRow] = [
    CoreMLRow(outputsOf: LSTM.self) { (operation, builder) throws(WeighbridgeError) in
      if let outputs = try builder.ownLSTM(operation) { return outputs }
      return try builder.steps(operation) {
        (builder, sums, states, cell) throws(WeighbridgeError) in
        let sums = try builder.sum(sums, try builder.stateSums(cell, states[0], gates: 0..<4))
        return try builder.memory(
          sums, states, axis: 1, operation.activation, operation.recurrentActivation)
      }
    },
    CoreMLRow(outputsOf: GRU.self) { (operation, builder) throws(WeighbridgeError) in
      if let outputs = try builder.ownGRU(operation) { return outputs }
      return try builder.steps(operation) {
        (builder, sums, states, cell) throws(WeighbridgeError) in
        [try builder.gatedUnit(operation, sums, states[0], cell)]
      }
    },
    CoreMLRow(outputsOf: SimpleRNN.self) { (operation, builder) throws(WeighbridgeError) in
      if let outputs = try builder.ownSimple(operation) { return outputs }
      return try builder.steps(operation) {
        (builder, sums, states, cell) throws(WeighbridgeError) in
        let sums = try builder.sum(sums, try builder.stateSums(cell, states[0], gates: 0..<1))
        return [try builder.bent(sums, operation.activation)]
      }
    },
    CoreMLRow(outputsOf: ConvLSTM.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.convolutionalMemory(operation)
    },
    CoreMLRow(outputsOf: Masking.self) { (operation, builder) throws(WeighbridgeError) in
      let (x, rank) = (try builder.input(), builder.type().rank)
      let differs = try builder.compare("notEqual", x, operation.value)
      let any = try builder.reduce("reduceMax", differs, [rank - 1])
      return [try builder.product(x, any), try builder.squeeze(any, [rank - 1])]
    },
  ]
}

// Core ML's own recurrent layers. They take sequences `[time, batch, features, 1, 1]`.

extension CoreMLNetworkBuilder {
  /// Core ML's own memory; `nil` when it has none for these settings.
  fileprivate mutating func ownLSTM(_ operation: LSTM) throws(WeighbridgeError) -> [String]? {
    guard let layer = try RecurrentLayer(operation, builder: self) else { return nil }
    var settings = layer.settings
    settings["activations"] = .records(layer.activations)
    settings["weightParams"] = .record(memoryWeights(layer))
    settings["params"] = .record(Self.memorySettings(operation))
    return try add("uniDirectionalLSTM", layer, settings, stateCount: 2)
  }

  /// Core ML's own pair of memories, whose outputs stand one behind the other.
  ///
  /// - Parameters:
  ///   - name: What the layer is called.
  ///   - nodes: The memories, the forward one first, as ``CoreMLBidirectionalPairs`` finds them.
  ///   - operands: What each of them takes.
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
        throw WeighbridgeError(.unsupported, "is no pair of memories that Core ML has")
      }
      layers.append(layer)
      weights.append(memoryWeights(layer))
    }
    var settings = layers[0].settings
    settings["activationsForwardLSTM"] = .records(layers[0].activations)
    settings["activationsBackwardLSTM"] = .records(layers[1].activations)
    settings["weightParams"] = .records(weights)
    settings["params"] = .record(Self.memorySettings(operations[0]))
    return try add("biDirectionalLSTM", layers[0], settings, stateCount: 4)[0]
  }

  private mutating func memoryWeights(_ layer: RecurrentLayer) -> ProtobufRecord {
    var weights = ProtobufRecord()
    let gates = ["inputGate", "forgetGate", "blockInput", "outputGate"]
    for (gate, name) in gates.enumerated() {
      weights["\(name)WeightMatrix"] = self.weights(layer.kernel(gate))
      weights["\(name)RecursionMatrix"] = self.weights(layer.recurrentKernel(gate))
      if let bias = layer.bias(gate) { weights["\(name)BiasVector"] = self.weights(bias) }
    }
    return weights
  }

  /// The settings of a memory. Core ML keeps the cell's state within a threshold, which is 50 where
  /// nothing or 0 is said; the largest number keeps nothing.
  private static func memorySettings(_ operation: LSTM) -> ProtobufRecord {
    [
      "sequenceOutput": .boolean(operation.recurrence.returnsSequences),
      "hasBiasVectors": .boolean(operation.bias != .none),
      "cellClipThreshold": .real(Double(Float.greatestFiniteMagnitude)),
    ]
  }

  /// Core ML's own gated unit; `nil` when it has none for these settings.
  fileprivate mutating func ownGRU(_ operation: GRU) throws(WeighbridgeError) -> [String]? {
    let functions = [operation.recurrentActivation, operation.activation]
    guard !operation.resetsAfter,
      let layer = try RecurrentLayer(operation, functions, builder: self)
    else { return nil }
    var settings = layer.settings
    for (gate, name) in ["updateGate", "resetGate", "outputGate"].enumerated() {
      settings["\(name)WeightMatrix"] = weights(layer.kernel(gate))
      settings["\(name)RecursionMatrix"] = weights(layer.recurrentKernel(gate))
      if let bias = layer.bias(gate) { settings["\(name)BiasVector"] = weights(bias) }
    }
    settings["activations"] = .records(layer.activations)
    settings["sequenceOutput"] = .boolean(operation.recurrence.returnsSequences)
    settings["hasBiasVectors"] = .boolean(operation.bias != .none)
    return try add("gru", layer, settings, stateCount: 1)
  }

  /// Core ML's own simple recurrent layer; `nil` when it has none for these settings.
  fileprivate mutating func ownSimple(_ operation: SimpleRNN) throws(WeighbridgeError) -> [String]?
  {
    guard let layer = try RecurrentLayer(operation, [operation.activation], builder: self) else {
      return nil
    }
    var settings = layer.settings
    settings["weightMatrix"] = weights(layer.kernel(0))
    settings["recursionMatrix"] = weights(layer.recurrentKernel(0))
    if let bias = layer.bias(0) { settings["biasVector"] = weights(bias) }
    settings["activation"] = .record(layer.activations[0])
    settings["sequenceOutput"] = .boolean(operation.recurrence.returnsSequences)
    settings["hasBiasVector"] = .boolean(operation.bias != .none)
    return try add("simpleRecurrent", layer, settings, stateCount: 1)
  }

  /// Adds a recurrent layer between the axes of the graph and its own.
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

/// What all of Core ML's recurrent layers have.
private struct RecurrentLayer {
  let inputs: RecurrentInputs<Int>
  let isReversed: Bool
  let returnsSequences: Bool
  /// The activations as messages.
  let activations: [ProtobufRecord]
  private let weights: [Tensor]
  private let units: Int
  private let hasBias: Bool

  /// - Returns: `nil` when Core ML has no such layer: with masks, or with activations but these.
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

  /// A memory's.
  init?(_ operation: LSTM, builder: CoreMLNetworkBuilder) throws(WeighbridgeError) {
    let functions = [operation.recurrentActivation, operation.activation, operation.activation]
    try self.init(operation, functions, builder: builder)
  }

  /// The numbers that all have.
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

  /// Whether Core ML's memories have the activations of one.
  static func isKnown(_ operation: LSTM) -> Bool {
    [operation.activation, operation.recurrentActivation].allSatisfy { record($0) != nil }
  }

  /// Core ML keeps sums in -50...50 before these, which changes nothing that float32 shows.
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

/// Long short-term memories that walk over one sequence both ways and whose outputs are put together:
/// one layer of Core ML, as Keras' `Bidirectional` is one layer.
enum CoreMLBidirectionalPairs {
  /// The pairs, each taken into the node that puts its outputs together.
  static func groups(_ graph: Graph) -> ExportGroups {
    var groups = ExportGroups()
    let (makers, uses) = (graph.makers, graph.useCounts)
    for (position, node) in graph.nodes.enumerated() {
      guard let operation = node.operation as? Concatenate, node.inputs.count == 2,
        operation.axis == graph[node.inputs[0]].type.rank - 1
      else { continue }
      let positions = node.inputs.compactMap { makers[$0] }
      let nodes = positions.map { graph.nodes[$0] }
      let isAlone = nodes.allSatisfy { node in
        uses[node.outputs[0]] == 1 && node.outputs.dropFirst().allSatisfy { uses[$0] == nil }
      }
      guard isAlone, zip(nodes, node.inputs).allSatisfy({ $0.outputs[0] == $1 }),
        isPair(nodes, graph)
      else { continue }
      groups.absorb(positions, into: position)
    }
    return groups
  }

  /// Whether Core ML has a layer for two nodes.
  private static func isPair(_ nodes: [Node], _ graph: Graph) -> Bool {
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
