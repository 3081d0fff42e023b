import CKernels
import GraphIR
import LayerCatalog

extension ConvLSTM: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let parts = RecurrentInputs(
      group.inputs, recurrence, stateCount: Self.stateNames.count)
    let images = ImageSequence(
      layout, sequence: builder.shape(of: parts.sequence),
      state: builder.shape(of: group.outputs[1]))
    guard builder.areFloats([parts.sequence] + parts.states + group.outputs), let images,
      let products = products(images, parts.weights, &builder),
      let input = builder.tensor(parts.sequence, as: images.sequence)
    else { return false }
    let initial = parts.states.compactMap { builder.tensor($0, as: images.state)?.storage }
    guard initial.count == parts.states.count else { return false }
    let cell = RecurrentCell(kernels_cell_lstm, activation, gates: recurrentActivation)
    let loop = builder.makeLoop(
      cell, recurrence, images.dimensions, mask: parts.mask, state: images.state,
      sequence: images.outputs, for: group)
    products.input.add(to: &builder, of: input.storage, into: loop.sums)
    loop.addStart(to: &builder, initial)
    for (number, time) in loop.times.enumerated() {
      products.state.add(to: &builder, of: loop.states[0], into: loop.sums(at: time))
      loop.addStep(to: &builder, number: number, name: kind)
    }
    return true
  }

  /// The convolutions of all frames, and of a state.
  private func products(
    _ images: ImageSequence, _ ids: [ValueID], _ builder: inout PlanBuilder
  ) -> (input: RecurrentProduct, state: RecurrentProduct)? {
    let weights = ids.compactMap { builder.graph[$0].constant }
    let ones = window.size.map { _ in 1 }
    let stateWindow = Window(size: window.size, strides: ones, dilation: ones, padding: .same)
    guard weights.count == ids.count else { return nil }
    let bias = hasBias ? weights[2].doubles.map(Float.init) : []
    let input = Self.convolution(
      window, images.frames, images.frameSums, weights[0].shape, bias: bias.count, adds: false)
    let state = Self.convolution(
      stateWindow, images.stateFrames, images.stateSums, weights[1].shape, bias: 0, adds: true)
    guard
      let inputProduct = RecurrentProduct(input, weights[0], ids[0], bias: bias, &builder),
      let stateProduct = RecurrentProduct(state, weights[1], ids[1], &builder)
    else { return nil }
    return (inputProduct, stateProduct)
  }

  private static func convolution(
    _ window: Window, _ source: Layout, _ target: Layout, _ weights: [Int], bias: Int, adds: Bool
  ) -> Primitive? {
    guard
      let arguments = WindowArguments(window, dimensions: Array(source.dimensions.dropFirst(2))),
      let any = Layout.any(weights)
    else { return nil }
    let biasLayout = bias == 0 ? nil : Layout.rowMajor([bias])
    let operations: [PostOperation] = adds ? [.sum] : []
    return unsafe Primitive(
      owning: operations.withOperations { post in
        unsafe arguments.withArguments {
          unsafe kernels_convolution(
            source.handle, any.handle, biasLayout?.handle, target.handle, $0, post)
        }
      })
  }
}

/// The layouts of a sequence of images, all with the channels innermost.
private struct ImageSequence {
  let dimensions: RecurrentDimensions
  /// Of the sequence, the states and the outputs, with the graph's axes; in the
  /// sequence, the frames of one time step are contiguous.
  let sequence, state, outputs: Layout
  /// Of all frames and of their sums, `[time * batch, channels, spatial...]`.
  let frames, frameSums: Layout
  /// Of a state and of its sums, `[batch, channels, spatial...]`.
  let stateFrames, stateSums: Layout

  /// - Parameters:
  ///   - shape: The sequence's sizes in the graph's order.
  ///   - state: The states' likewise.
  init?(_ order: DataLayout, sequence shape: [Int], state stateShape: [Int]) {
    let rank = stateShape.count
    let channelsLast = [0] + order.spatialAxes(rank: rank) + [order.channelAxis(rank: rank)]
    let frame = channelsLast.dropFirst().map { shape[$0 + 1] }
    let plane = channelsLast.dropFirst().map { stateShape[$0] }
    let (batch, time, units) = (shape[0], shape[1], plane[plane.count - 1])
    dimensions = RecurrentDimensions(
      batch: batch, time: time, positions: plane.dropLast().reduce(1, *), units: units, gates: 4)
    let sums = Array(plane.dropLast()) + [4 * units]
    let inverse = channelsLast.inversePermutation
    // The graph's axes after the batch and the time.
    let inner = inverse.dropFirst().map { $0 + 1 }
    let channelsFirst = [0, rank - 1] + Array(1..<rank - 1)
    func image(_ count: Int, _ dimensions: [Int]) -> Layout? {
      Layout.rowMajor([count] + dimensions)?.permuted(channelsFirst)
    }
    guard let sequence = Layout.rowMajor([time, batch] + frame)?.permuted([1, 0] + inner),
      let outputs = Layout.rowMajor([batch, time] + plane)?.permuted([0, 1] + inner),
      let state = Layout.rowMajor([batch] + plane)?.permuted(inverse),
      let frames = image(time * batch, frame), let frameSums = image(time * batch, sums),
      let stateFrames = image(batch, plane), let stateSums = image(batch, sums)
    else { return nil }
    (self.sequence, self.outputs, self.state) = (sequence, outputs, state)
    (self.frames, self.frameSums) = (frames, frameSums)
    (self.stateFrames, self.stateSums) = (stateFrames, stateSums)
  }
}
