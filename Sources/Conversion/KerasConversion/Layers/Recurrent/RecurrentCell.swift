import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// A cell of a Keras recurrent layer: what its own settings say, and its weights.
///
/// Keras' kernels are `[features, gates * units]`, its gates in the order of the operators:
/// i, f, c, o and z, r, h. The kernels of its cuDNN layers hold each gate's matrix as cuDNN reads
/// it: `[units, features]`, whatever shape they are written with.
struct RecurrentCell {
  /// How many states it has.
  let stateCount: Int
  /// Whether its steps are images.
  let isConvolutional: Bool
  private let weights: [ValueID]
  private let make: (Recurrence) -> any CatalogOperator

  /// Reads the cell's settings and takes its weights.
  ///
  /// - Parameters:
  ///   - className: The layer's or the cell's class.
  ///   - sequence: The type of what it runs over.
  ///   - prefix: What stands before the names of the weights.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a class that is no recurrent one.
  init(
    _ layer: inout KerasLayer, _ className: String, sequence: TensorType, prefix: String
  ) throws(WeighbridgeError) {
    layer.ignore(
      "dropout", "recurrent_dropout", "unit_forget_bias", "implementation", "seed")
    switch className {
    case "SimpleRNN", "SimpleRNNCell", "LSTM", "LSTMCell", "GRU", "GRUCell":
      let plain = className.hasSuffix("Cell") ? String(className.dropLast(4)) : className
      try self.init(&layer, dense: plain, sequence: sequence, prefix: prefix)
    case "CuDNNLSTM", "CuDNNGRU":
      try self.init(&layer, fused: className, sequence: sequence, prefix: prefix)
    case "ConvLSTM1D": try self.init(&layer, axes: 1, sequence: sequence, prefix: prefix)
    case "ConvLSTM2D": try self.init(&layer, axes: 2, sequence: sequence, prefix: prefix)
    case "ConvLSTM3D": try self.init(&layer, axes: 3, sequence: sequence, prefix: prefix)
    default:
      throw WeighbridgeError(
        .unsupported, "has a recurrent layer or cell of the class \(className), which is unknown")
    }
  }

  private init(
    _ layer: inout KerasLayer, dense className: String, sequence: TensorType, prefix: String
  ) throws(WeighbridgeError) {
    let size = try CellSize(&layer, sequence: sequence)
    let type = TensorType(sequence.elementType, [sequence.shape[0], .fixed(size.units)])
    let activation = try layer.cellActivation("activation", default: "tanh", for: type)
    let hasBias = try layer.flag("use_bias", default: true)
    let recurrent =
      className == "SimpleRNN"
      ? .sigmoid : try layer.cellActivation("recurrent_activation", default: nil, for: type)
    let resetsAfter =
      className == "GRU" ? try layer.flag("reset_after", default: false) : false
    let gates = ["SimpleRNN": 1, "LSTM": 4, "GRU": 3][className] ?? 1
    let bias: RecurrentBias = hasBias ? (resetsAfter ? .separate : .input) : .none
    let sums = try Checked.product([gates, size.units], of: "the number of sums")
    var weights: [ValueID] = []
    for (role, dimension) in [("kernel", size.features), ("recurrent_kernel", size.units)] {
      weights.append(
        try layer.weight(prefix + role, shape: [dimension, sums]) { $0.permuted([1, 0]) })
    }
    if hasBias {
      let shape = resetsAfter ? [2, sums] : [sums]
      weights.append(try layer.weight(prefix + "bias", shape: shape))
    }
    self.weights = weights
    isConvolutional = false
    stateCount = className == "LSTM" ? 2 : 1
    make = { recurrence in
      switch className {
      case "LSTM":
        LSTM(
          recurrence: recurrence, bias: bias, activation: activation,
          recurrentActivation: recurrent)
      case "GRU":
        GRU(
          recurrence: recurrence, bias: bias, activation: activation,
          recurrentActivation: recurrent, resetsAfter: resetsAfter)
      default: SimpleRNN(recurrence: recurrence, bias: bias, activation: activation)
      }
    }
  }

  /// The layers that only ran on graphics cards.
  private init(
    _ layer: inout KerasLayer, fused className: String, sequence: TensorType, prefix: String
  ) throws(WeighbridgeError) {
    let size = try CellSize(&layer, sequence: sequence)
    let (features, units) = (size.features, size.units)
    let isLSTM = className == "CuDNNLSTM"
    let gates = isLSTM ? 4 : 3
    let sums = try Checked.product([gates, units], of: "the number of sums")
    let kernel = try layer.weight(prefix + "kernel", shape: [features, sums]) {
      $0.splitting(1, into: [gates, units]).permuted([1, 0, 2]).reshaped([sums, features])
    }
    let recurrent = try layer.weight(prefix + "recurrent_kernel", shape: [units, sums]) {
      $0.splitting(1, into: [gates, units]).permuted([1, 0, 2]).reshaped([sums, units])
    }
    let biasCount = try Checked.product([2, sums], of: "the number of biases")
    let bias = try layer.weight(prefix + "bias", shape: [biasCount]) { $0.reshaped([2, sums]) }
    weights = [kernel, recurrent, bias]
    isConvolutional = false
    stateCount = isLSTM ? 2 : 1
    make = { recurrence in
      if isLSTM {
        return LSTM(
          recurrence: recurrence, bias: .separate, activation: .tanh,
          recurrentActivation: .sigmoid)
      }
      return GRU(
        recurrence: recurrence, bias: .separate, activation: .tanh,
        recurrentActivation: .sigmoid, resetsAfter: true)
    }
  }

  private enum Padding: String, CaseIterable { case valid, same }

  private init(
    _ layer: inout KerasLayer, axes: Int, sequence: TensorType, prefix: String
  ) throws(WeighbridgeError) {
    guard sequence.rank == axes + 3 else {
      throw WeighbridgeError(
        .malformed, "takes sequences of images with \(axes) spatial axes, not \(sequence)")
    }
    let filters = try layer.integer("filters")
    let ones = [Int](repeating: 1, count: axes)
    let size = try layer.integers("kernel_size", count: axes)
    let strides = try layer.integers("strides", count: axes, default: ones)
    let dilation = try layer.integers("dilation_rate", count: axes, default: ones)
    let padding = try layer.word("padding", default: Padding.valid)
    guard layer.backend == .tensorflow || size.allSatisfy({ $0 % 2 == 1 }) else {
      throw WeighbridgeError(
        .unsupported, "kernel_size=\(size), and beside TensorFlow only odd sizes are known")
    }
    let window = Window(
      size: size, strides: strides, dilation: dilation,
      padding: padding == .valid
        ? .valid : try layer.samePadding(size: size, strides: strides, dilation: dilation))
    let layout = try layer.dataLayout()
    let hasBias = try layer.flag("use_bias", default: true)
    if let problem = window.problem { throw WeighbridgeError(.malformed, problem) }
    guard filters >= 1,
      let channels = sequence.shape[layout.channelAxis(rank: axes + 2) + 1].value
    else {
      throw WeighbridgeError(.malformed, "makes \(filters) filters of \(sequence)")
    }
    let type = TensorType(sequence.elementType, [sequence.shape[0], .fixed(filters)])
    let activation = try layer.cellActivation("activation", default: "tanh", for: type)
    let gate = try layer.cellActivation("recurrent_activation", default: nil, for: type)
    guard activation.isElementwise, gate.isElementwise else {
      throw WeighbridgeError(
        .unsupported, "an activation that works along the channels of an image is not supported")
    }
    let sums = try Checked.product([4, filters], of: "the number of sums")
    let order = [axes + 1, axes] + Array(0..<axes)
    let turns = layer.transposesKernels
    var weights: [ValueID] = []
    for (role, dimension) in [("kernel", channels), ("recurrent_kernel", filters)] {
      weights.append(
        try layer.weight(prefix + role, shape: window.size + [dimension, sums]) {
          $0.permuted(order).turned(from: 2, if: turns)
        })
    }
    if hasBias { weights.append(try layer.weight(prefix + "bias", shape: [sums])) }
    self.weights = weights
    isConvolutional = true
    stateCount = 2
    make = { recurrence in
      ConvLSTM(
        window: window, layout: layout, recurrence: recurrence, hasBias: hasBias,
        activation: activation, recurrentActivation: gate)
    }
  }

  /// Adds the cell's node.
  ///
  /// - Returns: The output, each step's with the step it was made of, then the states.
  func add(
    to layer: inout KerasLayer, _ recurrence: Recurrence, _ data: [ValueID], role: String
  ) throws(WeighbridgeError) -> [ValueID] {
    try layer.add(make(recurrence), data + weights, role: role)
  }
}

/// The sizes of a cell on vectors.
private struct CellSize {
  let units: Int
  let features: Int

  init(_ layer: inout KerasLayer, sequence: TensorType) throws(WeighbridgeError) {
    units = try layer.integer("units")
    guard units >= 1 else { throw WeighbridgeError(.malformed, "units=\(units)") }
    guard sequence.rank == 3, let features = sequence.shape[2].value else {
      throw WeighbridgeError(
        .malformed, "takes sequences of vectors of known length, not \(sequence)")
    }
    self.features = features
  }
}

extension KerasLayer {
  /// The activation inside a cell that a setting names.
  mutating func cellActivation(
    _ key: String, default fallback: JSONValue?, for type: TensorType
  ) throws(WeighbridgeError) -> CellActivation {
    let operation = try activation(key, default: fallback, for: type)
    guard let activation = CellActivation(operation) else {
      throw WeighbridgeError(
        .unsupported, "\(key)=\(operation.kind) is not supported inside a recurrent cell")
    }
    return activation
  }
}
