import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

// Core ML's native recurrent layers. They take sequences `[time, batch, features, 1, 1]`.

extension CoreMLRecurrent {
  static let lstm = CoreMLRow(outputsOf: LSTM.self) {
    (operation, builder) throws(WeighbridgeError) in
    guard let outputs = try builder.nativeLSTM(operation) else {
      return try builder.unroll(operation)
    }
    return outputs
  }

  /// Whether two nodes are the forward and the backward half of one bidirectional layer of Core ML.
  static func isPair(_ nodes: [Node], _ graph: Graph) -> Bool {
    let operations = nodes.compactMap { $0.operation as? LSTM }
    guard operations.count == 2, nodes[0].inputs[0] == nodes[1].inputs[0] else { return false }
    let recurrences = operations.map(\.recurrence)
    let recurrentShapes = nodes.map { graph[$0.inputs[2]].type.shape }
    return recurrences.map(\.isReversed) == [false, true]
      && recurrentShapes[0] == recurrentShapes[1]
      && recurrences[0].returnsSequences == recurrences[1].returnsSequences
      && recurrences.allSatisfy({ $0.mask == .none && !$0.hasInitialStates })
      && (operations[0].bias == .none) == (operations[1].bias == .none)
      && operations.flatMap { [$0.activation, $0.recurrentActivation] }
        .allSatisfy(CoreMLRecurrentLayer.supports)
  }
}

extension CoreMLNetworkBuilder {
  /// Adds Core ML's LSTM; returns `nil` when it does not support these settings.
  mutating func nativeLSTM(_ operation: LSTM) throws(WeighbridgeError) -> [String]? {
    guard let layer = try CoreMLRecurrentLayer(operation, builder: self) else { return nil }
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
    var layers: [CoreMLRecurrentLayer] = []
    var weights: [ProtobufRecord] = []
    let operations = nodes.compactMap { $0.operation as? LSTM }
    for (operation, operands) in zip(operations, operands) {
      scope = ExportScope(prefix: name, operands: operands)
      guard let layer = try CoreMLRecurrentLayer(operation, builder: self) else {
        throw .unsupported(
          "is a bidirectional LSTM with a mask or another activation than tanh and sigmoid, and Core ML can "
            + "have those only")
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
  private mutating func weights(_ layer: CoreMLRecurrentLayer, _ cell: CoreMLCell) -> ProtobufRecord
  {
    var weights = ProtobufRecord()
    for gate in cell.kernels.indices {
      weights[cell.kernels[gate]] = self.weights(layer.gates.kernels[gate])
      weights[cell.recurrentKernels[gate]] = self.weights(layer.gates.recurrentKernels[gate])
      if let bias = layer.gates.summedBias(gate) { weights[cell.biases[gate]] = self.weights(bias) }
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
  mutating func nativeLayer<Operation: RecurrentOperator>(
    _ cell: CoreMLCell, _ operation: Operation, _ functions: [CellActivation], activations: String
  ) throws(WeighbridgeError) -> [String]? {
    guard let layer = try CoreMLRecurrentLayer(operation, functions, builder: self) else {
      return nil
    }
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
    _ kind: String, _ layer: CoreMLRecurrentLayer, _ settings: ProtobufRecord, stateCount: Int
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
struct CoreMLRecurrentLayer {
  let inputs: RecurrentInputs<Int>
  let isReversed: Bool
  let returnsSequences: Bool
  /// The activations as protobuf messages.
  let activations: [ProtobufRecord]
  let gates: RecurrentGates

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
    gates = RecurrentGates(operation, weights: weights)
    self.activations = activations
    (isReversed, returnsSequences) = (recurrence.isReversed, recurrence.returnsSequences)
  }

  /// Creates the layer of an LSTM.
  init?(_ operation: LSTM, builder: CoreMLNetworkBuilder) throws(WeighbridgeError) {
    let functions = [operation.recurrentActivation, operation.activation, operation.activation]
    try self.init(operation, functions, builder: builder)
  }

  /// The settings that all layers have.
  var settings: ProtobufRecord {
    [
      "inputVectorSize": .integer(gates.kernels[0].shape[1]),
      "outputVectorSize": .integer(gates.units),
    ]
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
