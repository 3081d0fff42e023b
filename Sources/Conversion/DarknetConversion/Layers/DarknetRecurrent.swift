import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// `[rnn]`, `[gru]`, `[lstm]`, `[crnn]`, `[conv_lstm]`.
///
/// Each is a single time step from a state of zeros, with which darknet starts (it keeps the state
/// between calls, and in training takes the time steps from the batch).
enum DarknetRecurrent {
  static let sections: [String: DarknetSectionForm] = [
    "rnn": DarknetSectionForm(build: rnn) { (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("input/batch_normalization"))
      section.set("output", try layer.units("output"))
      if layer.fork == .alexeyab { section.set("hidden", try layer.units("input")) }
      let activation = try layer.activation("input/activation")
      let stateActivation = try layer.activation("self/activation")
      section.set("activation", activation)
      if stateActivation != activation {
        section.set("logistic", stateActivation == "loggy" ? 2 : 1)
      }
    },
    "gru": DarknetSectionForm(build: gru) { (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("uz/batch_normalization"))
      section.set("output", try layer.units("uz"))
      section.flag("tanh", try layer.activation("h") == "tanh")
    },
    "lstm": DarknetSectionForm(build: lstm) { (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("uf/batch_normalization"))
      section.set("output", try layer.units("uf"))
    },
    "crnn": DarknetSectionForm(build: crnn) { (layer, section) throws(WeighbridgeError) in
      let isAlexeyAB = layer.fork == .alexeyab
      let (input, inputNode) = try layer.node(Convolution.self, "input")
      let (_, outputNode) = try layer.node(Convolution.self, "output")
      section.flag("batch_normalize", layer.has("input/batch_normalization"))
      section.set(
        isAlexeyAB ? "hidden" : "hidden_filters", try layer.inputShape(inputNode, 1)[0])
      section.set(
        isAlexeyAB ? "output" : "output_filters", try layer.inputShape(outputNode, 1)[0])
      section.set(window: input.window, groups: input.groups)
      section.set("activation", try layer.activation("input/activation"))
    },
    "conv_lstm": DarknetSectionForm(build: convLSTM) { (layer, section) throws(WeighbridgeError) in
      let (input, node) = try layer.node(Convolution.self, "uf")
      section.flag("batch_normalize", layer.has("uf/batch_normalization"))
      section.set("output", try layer.inputShape(node, 1)[0])
      section.set(window: input.window, groups: input.groups)
      section.flag("peephole", layer.has("vf"))
      section.set("activation", try layer.activation("uf/activation"))
      section.set("lstm_activation", try layer.activation("cell/activation"))
    },
  ]

  private static let rnn: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let outputs = try layer.integer("output", default: 1, in: 1...1 << 24)
    let hidden = try layer.hiddenUnits(outputs: outputs)
    let activation = try layer.activationName(default: "logistic")
    let normalizes = try layer.flag("batch_normalize")
    let logistic = try layer.integer("logistic", default: 0)
    layer.ignore("shortcut")  // adds the previous state, which is zero
    try layer.checkLoading()
    let row = try layer.flattened(layer.input)
    let stateActivation = logistic == 2 ? "loggy" : logistic == 1 ? "logistic" : activation
    let inputWeights = try layer.connectedWeights(
      "input/", inputs: try layer.count(of: row), outputs: hidden, normalizes: normalizes)
    let stateWeights = try layer.connectedWeights(
      "self/", inputs: hidden, outputs: hidden, normalizes: normalizes)
    let outputWeights = try layer.connectedWeights(
      "output/", inputs: hidden, outputs: outputs, normalizes: normalizes)
    let state = try layer.zeroState([1, hidden])
    let fromInput = try layer.connected(row, inputWeights, activation: activation)
    let fromState = try layer.connected(state, stateWeights, activation: stateActivation)
    let sum = try layer.add(Add(), [fromInput, fromState], role: "state")
    let output = try layer.connected(sum, outputWeights, activation: activation)
    return try layer.vector(output)
  }

  /// The gated recurrent unit (Cho et al. 2014); AlexeyAB's darknet always uses the logistic
  /// function for the candidates, pjreddie's unless `tanh` is set.
  private static let gru: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let units = try layer.integer("output", default: 1, in: 1...1 << 24)
    let normalizes = try layer.flag("batch_normalize")
    let candidateActivation = try layer.flag("tanh") ? "tanh" : "logistic"
    try layer.checkLoading()
    let row = try layer.flattened(layer.input)
    let names = ["z", "r", "h"]
    let gates = try layer.gates(
      row, units: units, normalizes: normalizes, state: names, input: names,
      stateFirst: layer.fork == .pjreddie)
    let state = try layer.zeroState([1, units])
    let update = try layer.gate("z", gates, row, state, "logistic")
    let reset = try layer.gate("r", gates, row, state, "logistic")
    let resetState = try layer.add(Multiply(), [state, reset], role: "forgot")
    let candidate = try layer.gate("h", gates, row, resetState, candidateActivation)
    let kept = try layer.add(Multiply(), [update, state], role: "kept")
    let complement = try layer.scaled(update, by: -1, plus: 1, role: "rest")
    let fresh = try layer.add(Multiply(), [complement, candidate], role: "fresh")
    return try layer.add(Add(), [kept, fresh])
  }

  /// Long short-term memory (Hochreiter and Schmidhuber 1997).
  private static let lstm: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let units = try layer.integer("output", default: 1, in: 1...1 << 24)
    let normalizes = try layer.flag("batch_normalize")
    layer.ignore("tanh")
    try layer.checkLoading()
    let row = try layer.flattened(layer.input)
    let names = layer.fork == .alexeyab ? ["f", "i", "g", "o"] : ["i", "f", "o", "g"]
    let gates = try layer.gates(
      row, units: units, normalizes: normalizes, state: names, input: names, stateFirst: true)
    let state = try layer.zeroState([1, units])
    var values: [String: ValueID] = [:]
    for name in names {
      values[name] = try layer.gate(
        name, gates, row, state, name == "g" ? "tanh" : "logistic")
    }
    let output = try layer.cellOutput(values, cell: state, activation: "tanh")
    return try layer.vector(output)
  }

  private static let crnn: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let isAlexeyAB = layer.fork == .alexeyab
    let hidden = try layer.integer(
      isAlexeyAB ? "hidden" : "hidden_filters", default: 1, in: 1...1 << 24)
    var window = try layer.recurrentWindow(isAlexeyAB ? "output" : "output_filters")
    let outputs = window.filters
    let activation = try layer.activationName(default: "logistic")
    let normalizes = try layer.flag("batch_normalize")
    layer.ignore("shortcut")  // adds the previous state, which is zero
    try layer.checkLoading()
    let dimensions = try layer.image(layer.input)
    window.filters = hidden
    let inputWeights = try layer.convolutionWeights(
      "input/", window, channels: dimensions.channels, normalizes: normalizes)
    let stateWeights = try layer.convolutionWeights(
      "self/", window, channels: hidden, normalizes: normalizes)
    window.filters = outputs
    let outputWeights = try layer.convolutionWeights(
      "output/", window, channels: hidden, normalizes: normalizes)
    let fromInput = try layer.convolved(layer.input, inputWeights, activation: activation)
    let state = try layer.zeroState(layer.shape(of: fromInput))
    let fromState = try layer.convolved(state, stateWeights, activation: activation)
    let sum = try layer.add(Add(), [fromInput, fromState], role: "state")
    return try layer.convolved(sum, outputWeights, activation: activation)
  }

  /// The recurrent convolution (Shi et al. 2015) of AlexeyAB's darknet.
  private static let convLSTM: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let window = try layer.recurrentWindow("output")
    let hasPeephole = try layer.flag("peephole")
    let activation = try layer.activationName(default: "linear")
    let cellActivation = try layer.activationName("lstm_activation", default: "tanh")
    let normalizes = try layer.flag("batch_normalize")
    guard try !layer.flag("bottleneck") else {
      throw layer.unsupported(
        "has bottleneck=1, with which darknet itself reads beyond its buffers, and only bottleneck=0 can be read"
      )
    }
    guard try !layer.flag("xnor") else {
      throw layer.unsupported("has xnor=1, and only [convolutional] can be binarized")
    }
    layer.ignore("shortcut", "state_constrain", "time_normalizer")
    try layer.checkLoading()
    let dimensions = try layer.image(layer.input)
    var weights: [String: DarknetLayer.ConvolutionWeights] = [:]
    let fromState = ["wf", "wi", "wg", "wo"]
    let fromInput = ["uf", "ui", "ug", "uo"]
    for name in (hasPeephole ? ["vf", "vi", "vo"] : []) + fromState + fromInput {
      weights[name] = try layer.convolutionWeights(
        "\(name)/", window,
        channels: fromInput.contains(name) ? dimensions.channels : window.filters,
        normalizes: normalizes)
    }
    let state = try layer.zeroState([1, window.filters, dimensions.height, dimensions.width])
    var values: [String: ValueID] = [:]
    for name in ["f", "i", "g", "o"] {
      var terms: [ValueID] = []
      for (prefix, value) in [("w", state), ("u", layer.input), ("v", state)] {
        // The output gate's peephole takes the cell's new state.
        guard let gate = weights[prefix + name], prefix + name != "vo" else { continue }
        terms.append(try layer.convolved(value, gate, activation: activation))
      }
      let sum = try layer.add(Add(), terms, role: "\(name)/sum")
      values[name] =
        name == "o"
        ? sum : try layer.activated(sum, name == "g" ? cellActivation : "logistic", role: name)
    }
    return try layer.peepholeOutput(
      values, cell: state, peephole: weights["vo"], activation: activation,
      cellActivation: cellActivation)
  }
}

extension DarknetLayer {
  /// Adds the initial state, which is zero.
  mutating func zeroState(_ shape: [Int]) throws(WeighbridgeError) -> ValueID {
    decide("one step from a state of zeros, as when darknet starts")
    let zero = Tensor(.float32, shape: shape.map { _ in 1 }, bytes: [0, 0, 0, 0])
    return try constant("state", zero.broadcast(to: shape))
  }

  /// Reads `hidden`; pjreddie's darknet always has as many hidden units as outputs.
  mutating func hiddenUnits(outputs: Int) throws(WeighbridgeError) -> Int {
    let hidden = try optionalInteger("hidden", in: 1...1 << 24)
    guard fork == .pjreddie else { return hidden ?? 1 }
    if let hidden, hidden != outputs {
      try tolerate(
        "hidden=\(hidden) is not used: \(fork.title) has as many hidden units as outputs")
    }
    return outputs
  }

  /// Returns a row of values as the fork does; in AlexeyAB's darknet it is an image of one pixel.
  mutating func vector(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    guard fork == .alexeyab else { return value }
    return try add(Reshape(target: [shape(of: value)[1], 1, 1]), [value], role: "reshape")
  }

  /// Takes the weights of all gates in the order of the file, by name: `w` (for the state) or `u`
  /// (for the input), followed by the name of the gate.
  mutating func gates(
    _ row: ValueID, units: Int, normalizes: Bool, state: [String], input: [String],
    stateFirst: Bool
  ) throws(WeighbridgeError) -> [String: ConnectedWeights] {
    let inputs = try count(of: row)
    let fromState = state.map { ("w" + $0, units) }
    let fromInput = input.map { ("u" + $0, inputs) }
    var gates: [String: ConnectedWeights] = [:]
    for (name, size) in stateFirst ? fromState + fromInput : fromInput + fromState {
      gates[name] = try connectedWeights(
        "\(name)/", inputs: size, outputs: units, normalizes: normalizes)
    }
    return gates
  }

  /// Adds a gate: the activated sum of its products with the input and the state.
  mutating func gate(
    _ name: String, _ gates: [String: ConnectedWeights], _ row: ValueID, _ state: ValueID,
    _ activation: String
  ) throws(WeighbridgeError) -> ValueID {
    var terms: [ValueID] = []
    for (prefix, value) in [("w", state), ("u", row)] {
      if let weights = gates[prefix + name] { terms.append(try connected(value, weights)) }
    }
    let sum = try add(Add(), terms, role: "\(name)/sum")
    return try activated(sum, activation, role: name)
  }

  /// Adds o · activation(c'), with c' = f c + i g.
  mutating func cellOutput(
    _ values: [String: ValueID], cell: ValueID, activation: String
  ) throws(WeighbridgeError) -> ValueID {
    let newState = try newCellState(values, cell: cell)
    let activatedState = try activated(newState, activation, role: "cell/activation")
    return try add(Multiply(), [values["o"] ?? newState, activatedState])
  }

  private mutating func newCellState(
    _ values: [String: ValueID], cell: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let kept = try add(Multiply(), [values["f"] ?? cell, cell], role: "kept")
    let fresh = try add(Multiply(), [values["i"] ?? cell, values["g"] ?? cell], role: "fresh")
    return try add(Add(), [kept, fresh], role: "cell")
  }

  /// Adds the same with an output gate that has no activation yet, and to which a peephole from c'
  /// may be added.
  mutating func peepholeOutput(
    _ values: [String: ValueID], cell: ValueID, peephole: ConvolutionWeights?, activation: String,
    cellActivation: String
  ) throws(WeighbridgeError) -> ValueID {
    let newState = try newCellState(values, cell: cell)
    var outputGate = values["o"] ?? newState
    if let peephole {
      let term = try convolved(newState, peephole, activation: activation)
      outputGate = try add(Add(), [outputGate, term], role: "o/sum")
    }
    outputGate = try activated(outputGate, "logistic", role: "o/activation")
    let activatedState = try activated(newState, cellActivation, role: "cell/activation")
    return try add(Multiply(), [outputGate, activatedState])
  }

  /// Reads the window of a recurrent convolution, which preserves height and width.
  mutating func recurrentWindow(_ filters: String) throws(WeighbridgeError) -> DarknetWindow {
    let window = try darknetWindow(
      filters: filters, defaultSize: 3, defaultPad: fork == .pjreddie)
    guard window.strideX == 1, window.strideY == 1, 2 * window.padding == window.size - 1 else {
      throw unsupported(
        "has stride_x=\(window.strideX), stride_y=\(window.strideY), size=\(window.size) and a padding of "
          + "\(window.padding), and a recurrent convolution must keep height and width")
    }
    return window
  }
}
