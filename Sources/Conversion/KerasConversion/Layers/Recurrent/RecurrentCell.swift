import Bytes
import GraphIR
import JSON
import LayerCatalog

/// A cell of a Keras recurrent layer, with its own settings and weights.
struct RecurrentCell {
  /// Reads a cell's settings and takes its weights, for a sequence of some type. The string is the
  /// prefix of the weights' names.
  typealias Read =
    @Sendable (inout KerasLayer, TensorType, String) throws(WeighbridgeError) -> RecurrentCell

  /// The number of its states.
  let stateCount: Int
  /// Whether each step is an image.
  var isConvolutional = false
  /// Whether a mask may exclude steps.
  var takesMask = true
  let weights: [ValueID]
  /// The shares of the input and of the state that training drops out.
  var dropout, stateDropout: Double?
  let make: (Recurrence) -> any CatalogOperator

  /// Reads the cell of a class.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a class that is not recurrent.
  static func read(
    _ layer: inout KerasLayer, _ className: String, sequence: TensorType, prefix: String
  ) throws(WeighbridgeError) -> RecurrentCell {
    layer.ignore("unit_forget_bias", "implementation", "seed")
    let rates = ["dropout", "recurrent_dropout"].map { layer.trainingNumber($0, in: 0...1) }
    guard let read = KerasMappings.classes[className]?.cell else {
      throw .unsupported(
        "has a recurrent layer or cell of the class \(className), which is unknown")
    }
    var cell = try read(&layer, sequence, prefix)
    (cell.dropout, cell.stateDropout) = (rates[0], rates[1])
    return cell
  }

  /// Adds the cell's node.
  ///
  /// - Returns: The output, with each step's output at its own step, then the states.
  func add(
    to layer: inout KerasLayer, _ recurrence: Recurrence, _ data: [ValueID], role: String
  ) throws(WeighbridgeError) -> [ValueID] {
    try layer.add(make(recurrence), data + weights, role: role)
  }
}

/// The common parts of cells over vectors. Keras' kernels are `[features, gates * units]`, its
/// gates in the order of the operators: i, f, c, o and z, r, h.
struct VectorCell {
  let activation: CellActivation
  let recurrentActivation: CellActivation
  let bias: RecurrentBias
  let weights: [ValueID]

  /// - Parameter resetsAfter: Whether the recurrent product has its own bias.
  init(
    _ layer: inout KerasLayer, _ sequence: TensorType, _ prefix: String, gates: Int,
    resetsAfter: Bool = false
  ) throws(WeighbridgeError) {
    let size = try CellSize(&layer, sequence, gates: gates)
    let type = TensorType(sequence.elementType, [sequence.shape[0], .fixed(size.units)])
    activation = try layer.cellActivation("activation", default: "tanh", for: type)
    let hasBias = try layer.flag("use_bias", default: true)
    recurrentActivation =
      gates == 1
      ? .sigmoid : try layer.cellActivation("recurrent_activation", default: nil, for: type)
    bias = hasBias ? (resetsAfter ? .separate : .input) : .none
    var weights: [ValueID] = []
    for (role, dimension) in [("kernel", size.features), ("recurrent_kernel", size.units)] {
      weights.append(
        try layer.weight(prefix + role, shape: [dimension, size.gateUnits]) { $0.permuted([1, 0]) })
    }
    if hasBias {
      let shape = resetsAfter ? [2, size.gateUnits] : [size.gateUnits]
      weights.append(try layer.weight(prefix + "bias", shape: shape))
    }
    self.weights = weights
  }

  /// Takes the weights of a layer that runs only on GPUs. They contain each gate's matrix in the
  /// order of cuDNN, `[units, features]`, whatever shape they are stored with.
  static func cuDNNWeights(
    _ layer: inout KerasLayer, _ sequence: TensorType, _ prefix: String, gates: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    let size = try CellSize(&layer, sequence, gates: gates)
    let (units, gateUnits) = (size.units, size.gateUnits)
    var weights: [ValueID] = []
    for (role, dimension) in [("kernel", size.features), ("recurrent_kernel", units)] {
      weights.append(
        try layer.weight(prefix + role, shape: [dimension, gateUnits]) {
          $0.splitting(1, into: [gates, units]).permuted([1, 0, 2]).reshaped([gateUnits, dimension])
        })
    }
    let count = try Checked.product([2, gateUnits], of: "the number of biases")
    let bias = try layer.weight(prefix + "bias", shape: [count]) { $0.reshaped([2, gateUnits]) }
    return weights + [bias]
  }
}

/// The sizes of a cell over vectors.
private struct CellSize {
  let units: Int
  let features: Int
  /// The number of units of all gates together.
  let gateUnits: Int

  init(
    _ layer: inout KerasLayer, _ sequence: TensorType, gates: Int
  ) throws(WeighbridgeError) {
    units = try layer.integer("units")
    guard units >= 1 else { throw .malformed("units=\(units), expected at least 1") }
    guard sequence.rank == 3, let features = sequence.shape[2].value else {
      throw .malformed("takes sequences of vectors of known length, not \(sequence)")
    }
    self.features = features
    gateUnits = try Checked.product([gates, units], of: "the number of sums")
  }
}

extension KerasLayer {
  /// Reads the activation inside a cell from a setting.
  mutating func cellActivation(
    _ key: String, default fallback: JSONValue?, for type: TensorType
  ) throws(WeighbridgeError) -> CellActivation {
    let operation = try activation(key, default: fallback, for: type)
    guard let activation = CellActivation(operation) else {
      throw .unsupported("\(key)=\(operation.kind) is not supported inside a recurrent cell")
    }
    return activation
  }
}
