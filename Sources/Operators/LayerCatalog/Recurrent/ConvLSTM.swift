package import Bytes
package import GraphIR

/// A long short-term memory with convolutions instead of matrix products, and without peepholes
/// (Shi et al. 2015), over any number of spatial axes.
///
/// - input: `[batch, time, spatial..., channels]` or `[batch, time, channels, spatial...]`, by
///   `layout`, with at least one step
/// - mask: `[batch, time]`, bool, false for a step that is skipped
/// - initial h and c: the shape of an output step; 0 if they are absent
/// - kernel W: `[4 filters, channels, spatial...]`, in the order i (input), f (forget), g (cell),
///   o (output)
/// - recurrent kernel U: `[4 filters, filters, spatial...]`; its window has stride 1, with `same`
///   padding
/// - bias b: `[4 filters]`
/// - outputs: h of every step, in the input's layout, or only of the step processed last, without
///   the time axis; the final h; the final c
package struct ConvLSTM: PrimitiveOperator, LSTMCell {
  /// The window of the input's convolution; its size is that of both kernels.
  package let window: Window
  /// The order of the axes of each step.
  package let layout: DataLayout
  /// How it iterates over the sequence, and what it outputs.
  package let recurrence: Recurrence
  /// Whether there is a bias.
  package let hasBias: Bool
  /// The activation for the candidates and the cell state.
  package let activation: CellActivation
  /// The activation for the gates.
  package let recurrentActivation: CellActivation

  package static let kind = "conv_lstm"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    i, f, g, o = the four parts along the channels of conv(input[:, t], W) + b + same_conv(h, U)
    c = s(f) * c + s(i) * activation(g)
    h = s(o) * activation(c), with s = recurrent_activation
    conv is a convolution with the attributes of the window, same_conv one with strides and
    dilation 1 and padding same.
    """,
    inputs: Recurrence.inputs(states: Self.stateNames) + [
      .weight("kernel"), .weight("recurrent_kernel"), .weight("bias", .when("bias")),
    ],
    outputs: [.like("input"), .like("input", as: "last_h"), .like("input", as: "last_c")],
    attributes: AttributeSchema(
      Self.init(window:layout:recurrence:hasBias:activation:recurrentActivation:),
      .part(\.window, Window.schema),
      .layout(\.layout),
      .part(\.recurrence, Recurrence.schema),
      .boolean("bias", \.hasBias, "Whether there is a bias; 0 otherwise."),
      .activation(
        "activation", \.activation,
        "The activation of the candidates and of the cell state; a lanewise one is along the channels."
      ),
      .activation(
        "recurrent_activation", \.recurrentActivation, "The activation of the gates, likewise.")),
    concepts: [.recurrence])

  /// Creates the operator.
  package init(
    window: Window, layout: DataLayout, recurrence: Recurrence, hasBias: Bool,
    activation: CellActivation, recurrentActivation: CellActivation
  ) {
    self.window = window
    self.layout = layout
    self.recurrence = recurrence
    self.hasBias = hasBias
    self.activation = activation
    self.recurrentActivation = recurrentActivation
  }
}

extension ConvLSTM {
  /// The convolution of the input of a step.
  private func inputConvolution(_ layout: DataLayout) -> Convolution {
    Convolution(window: window, groups: 1, hasBias: hasBias, layout: layout)
  }

  /// The convolution of the state.
  private func stateConvolution(_ layout: DataLayout) -> Convolution {
    let ones = window.size.map { _ in 1 }
    return Convolution(
      window: Window(size: window.size, strides: ones, dilation: ones, padding: .same),
      groups: 1, hasBias: false, layout: layout)
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let parts = RecurrentInputs(inputs, recurrence, stateCount: Self.stateNames.count)
    guard parts.sequence.rank == window.size.count + 3 else {
      throw ShapeError(
        "takes a sequence of steps of \(window.size.count.counted("spatial axis")), not \(parts.sequence)"
      )
    }
    var frame = parts.sequence
    frame.shape.remove(at: 1)
    let sums = try inputConvolution(layout).outputTypes(
      of: [frame, parts.weights[0]] + parts.weights[2...])[0]
    let channels = layout.channelAxis(rank: sums.rank)
    guard let sumCount = sums.shape[channels].value, sumCount % 4 == 0 else {
      throw ShapeError("the kernel \(parts.weights[0]) is not of four gates")
    }
    var state = sums
    state.shape[channels] = .fixed(sumCount / 4)
    let recurrent = try stateConvolution(layout).outputTypes(of: [state, parts.weights[1]])[0]
    guard recurrent.shape[channels] == .fixed(sumCount) else {
      throw ShapeError("the recurrent kernel \(parts.weights[1]) does not fit \(sums)")
    }
    return try parts.outputTypes(recurrence, state: state, count: Self.stateNames.count)
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let parts = RecurrentInputs(inputs, recurrence, stateCount: Self.stateNames.count)
    let rank = parts.sequence.shape.count - 1
    let order = layout.axesToChannelsFirst(rank: rank)
    let frames = parts.sequence.permuted([0] + order.map { $0 == 0 ? 1 : $0 + 1 })
    let stepShape = recurrence.returnsSequences ? Array(shape[2...]) : Array(shape[1...])
    let planes = order.dropFirst().map { stepShape[$0 - 1] }
    let initial = parts.states.map { $0.permuted(order).doubles }
    let mask = parts.mask?.doubles
    let (steps, size) = (frames.shape[1], planes.reduce(1, *))
    var results: [(output: [Double], states: [[Double]])] = []
    for image in 0..<shape[0] {
      let states =
        initial.isEmpty
        ? Self.stateNames.map { _ in [Double](repeating: 0, count: size) }
        : initial.map { Array($0[image * size..<(image + 1) * size]) }
      let sequence = frames.slice(image..<image + 1, along: 0)
      results.append(
        try recurrence.run(
          steps: steps, states: states,
          mask: mask.map { $0[image * steps..<(image + 1) * steps] }
        ) { (time, states) throws(WeighbridgeError) in
          let frame = sequence.slice(time..<time + 1, along: 1)
          return try step(frame, states, planes, parts.weights, workers)
        })
    }
    let type = parts.sequence.elementType
    let inverse = layout.axesFromChannelsFirst(rank: rank)
    let output = Tensor(
      type, shape: [shape[0]] + (recurrence.returnsSequences ? [steps] : []) + planes,
      results.flatMap(\.output)
    ).permuted(recurrence.returnsSequences ? [0] + inverse.map { $0 == 0 ? 1 : $0 + 1 } : inverse)
    return [output]
      + Self.stateNames.indices.map { index in
        Tensor(type, shape: [shape[0]] + planes, results.flatMap { $0.states[index] })
          .permuted(inverse)
      }
  }

  /// Returns the states after a step, in channels-first order.
  private func step(
    _ frame: Tensor, _ states: [[Double]], _ planes: [Int], _ weights: [Tensor], _ workers: Workers
  ) throws(WeighbridgeError) -> [[Double]] {
    let input = Tensor(.float64, shape: [1] + frame.shape[2...], frame.doubles)
    let state = Tensor(.float64, shape: [1] + planes, states[0])
    let fromInput = try inputConvolution(.channelsFirst).evaluate(
      [input, weights[0]] + weights[2...], workers: workers)[0]
    let fromState = try stateConvolution(.channelsFirst).evaluate(
      [state, weights[1]], workers: workers)[0]
    return self.states(
      zip(fromInput.doubles, fromState.doubles).map(+), cell: states[1],
      positions: planes.dropFirst().reduce(1, *))
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Each step applies both kernels at all pixels of the state.
  package var cost: OperatorCost {
    .products { [recurrence, layout] inputs, outputs in
      let parts = RecurrentInputs(inputs, recurrence, stateCount: Self.stateNames.count)
      let state = outputs[outputs.count - 1]
      let pixels = state[layout.spatialAxes(rank: state.count)]
      return parts.weights.prefix(2).map { parts.sequence.prefix(2) + pixels + $0 }
    }
  }

  /// Each axis of the input has a different meaning.
  package func permutingAxes(_ axes: [Int]) -> ConvLSTM? { nil }
}

extension ConvLSTM {
  /// Adds nodes for a step over images.
  ///
  /// - Parameters:
  ///   - frame: The step's part of the sequence, `[batch, ...]`.
  ///   - states: The states before the step.
  ///   - weights: The kernels and the bias, if any.
  ///   - images: The order of axes in which images are convolved.
  /// - Returns: The states after the step.
  package func step(
    _ make: inout Composition, _ frame: ValueID, _ states: [ValueID], weights: [ValueID],
    images: DataLayout
  ) throws(WeighbridgeError) -> [ValueID] {
    let fromInput = try convolved(
      frame, inputConvolution(images), [weights[0]] + weights[2...], &make)
    let fromState = try convolved(states[0], stateConvolution(images), [weights[1]], &make)
    let sums = try make.sum(fromInput, fromState)
    let axis = layout.channelAxis(rank: make.type(sums).rank)
    return try self.states(sums, cell: states[1], axis: axis, &make)
  }

  /// Adds a convolution of images that have the operator's layout.
  private func convolved(
    _ x: ValueID, _ convolution: Convolution, _ weights: [ValueID], _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    if convolution.layout == layout { return try make.apply(convolution, [x] + weights) }
    let rank = make.type(x).rank
    let (own, other) = (layout, convolution.layout)
    let channelsFirst = try make.transposed(x, own.axesToChannelsFirst(rank: rank))
    let images = try make.transposed(channelsFirst, other.axesFromChannelsFirst(rank: rank))
    let sums = try make.apply(convolution, [images] + weights)
    let results = try make.transposed(sums, other.axesToChannelsFirst(rank: rank))
    return try make.transposed(results, own.axesFromChannelsFirst(rank: rank))
  }
}
