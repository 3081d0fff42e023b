import Bytes
import Foundation
import GraphIR
import LayerCatalog
import NCNNFormat

/// Layers with weights, and windows.
extension NCNNLayerCall {
  /// Layers with weights that have no window, and products.
  func weighted() throws -> Tensor? {
    let channels = integer(0)
    switch layer.type {
    case "BatchNorm":
      return try batched(
        BatchNormalization(axis: 1, epsilon: float(1), hasScale: true, hasCenter: true),
        [weights[0], weights[3], weights[1], weights[2]])
    case "GroupNorm":
      return try batched(
        GroupNormalization(
          groups: integer(0), axis: 1, epsilon: float(2), hasScale: true, hasCenter: true), weights)
    case "LayerNorm":
      // The affine size is that of the innermost axes that are normalized together.
      let count = x.shape.last == integer(0) ? 1 : 2
      let axes = Array(x.shape.indices.suffix(count))
      return try evaluate(
        LayerNormalization(axes: axes, epsilon: float(1), hasScale: true, hasCenter: true),
        [x] + weights.map { $0.reshaped(Array(x.shape.suffix(count))) })[0]
    case "InnerProduct":
      let kernel = weights[0].reshaped([channels, weights[0].count / channels])
      return try evaluate(
        Dense(hasBias: weights.count > 1),
        [x.reshaped(x.shape.count == 1 ? [1, x.count] : x.shape), kernel] + weights.dropFirst())[0]
        .reshaped(Array(x.shape.dropLast()) + [channels])
    case "Embed":
      let indices = Tensor(.int32, shape: x.shape, x.doubles)
      return try evaluate(Embedding(), [indices, weights[0].reshaped([integer(1), channels])])[0]
    case "MatMul":
      return try evaluate(MatMul(transposeA: false, transposeB: integer(0) == 1), inputs)[0]
    case "PReLU":
      let slopes = weights[0].reshaped([channels] + x.shape.dropFirst().map { _ in 1 })
      return try batched(PReLU(), [slopes])
    default: return nil
    }
  }

  /// Convolutions, pooling and resizing.
  func window() throws -> Tensor? {
    if layer.type == "Interp" {
      let factors = [1, 2].map { Int(float($0).rounded()) }
      guard integer(0) == 1 else { return nil }
      return try batched(
        Upsampling(factors: factors, interpolation: .nearest, layout: .channelsFirst))
    }
    var type = layer.type
    let axes = ["1D": 1, "3D": 3][type.suffix(2)] ?? 2
    if axes != 2 { type.removeLast(2) }
    switch type {
    case "Pooling": return try pooled(axes)
    case "Convolution", "ConvolutionDepthWise": return try convolved(axes)
    case "Deconvolution", "DeconvolutionDepthWise": return try deconvolved(axes)
    default: return nil
    }
  }

  /// Settings along the spatial axes, outermost first; a missing one is that of the innermost axis.
  private func values(_ ids: [Int], _ axes: Int, default value: Int) -> [Int] {
    ids.prefix(axes).map { integer($0, default: integer(ids[0], default: value)) }.reversed()
  }

  private func window(
    _ axes: Int, dilation: [Int], strides: [Int], before: [Int], after: [Int], isSame: Bool
  ) -> Window {
    let (start, end) = (values(before, axes, default: 0), values(after, axes, default: 0))
    return Window(
      size: values([1, 11, 21], axes, default: 0), strides: values(strides, axes, default: 1),
      dilation: dilation.isEmpty
        ? [Int](repeating: 1, count: axes) : values(dilation, axes, default: 1),
      padding: isSame || start.contains(-233) ? .same : .explicit(before: start, after: end))
  }

  private func convolutionWindow(_ axes: Int) -> Window {
    window(
      axes, dilation: [2, 12, 22], strides: [3, 13, 23], before: [4, 14, 24], after: [15, 16, 17],
      isSame: false)
  }

  private func convolved(_ axes: Int) throws -> Tensor {
    let (window, groups) = (convolutionWindow(axes), integer(7, default: 1))
    let kernel = weights[0].reshaped([integer(0), x.shape[0] / groups] + window.size)
    return try batched(
      Convolution(
        window: window, groups: groups, hasBias: weights.count > 1, layout: .channelsFirst),
      [kernel] + weights.dropFirst())
  }

  private func deconvolved(_ axes: Int) throws -> Tensor {
    let (window, groups) = (convolutionWindow(axes), integer(7, default: 1))
    let (outputs, inputs) = (integer(0) / groups, x.shape[0] / groups)
    // [groups, out/groups, in/groups, ...] becomes [in, out/groups, ...].
    let kernel = weights[0].reshaped([groups, outputs, inputs] + window.size)
      .permuted([0, 2, 1] + (0..<axes).map { $0 + 3 }).contiguous()
      .reshaped([x.shape[0], outputs] + window.size)
    let extra = [18, 19, 20].prefix(axes).map { integer($0) }
    return try batched(
      TransposedConvolution(
        window: window, outputPadding: extra.reversed(), groups: groups,
        hasBias: weights.count > 1, layout: .channelsFirst), [kernel] + weights.dropFirst())
  }

  private func pooled(_ axes: Int) throws -> Tensor {
    let isMean = integer(0) == 1
    if integer(7) == 1 {
      let sizes = values([8, 18, 28], axes, default: 1)
      return isMean
        ? try batched(AdaptiveAveragePooling(dimensions: sizes, layout: .channelsFirst))
        : try batched(AdaptiveMaxPooling(dimensions: sizes, layout: .channelsFirst))
    }
    let window = window(
      axes, dilation: [], strides: [2, 12, 22], before: [3, 13, 23], after: [14, 15, 16],
      isSame: integer(5) == 2)
    return isMean
      ? try batched(
        AveragePooling(window: window, countIncludePad: integer(6) == 1, layout: .channelsFirst))
      : try batched(MaxPooling(window: window, layout: .channelsFirst))
  }
}

/// Recurrent layers over a sequence `[time, features]`.
extension NCNNLayerCall {
  func recurrent() throws -> [Tensor]? {
    guard let gates = ["LSTM": 4, "GRU": 3, "RNN": 1][layer.type] else { return nil }
    let (units, steps) = (integer(0), x.shape[0])
    let given = inputs.dropFirst().map(\.doubles)
    var states = (0..<(layer.type == "LSTM" ? 2 : 1)).map { position in
      position < given.count ? given[position] : [Double](repeating: 0, count: units)
    }
    let (kernel, bias, recurrentKernel) = (
      weights[0].doubles, weights[1].doubles, weights[2].doubles
    )
    let rows = [Double](x.doubles)
    var sequence = [[Double]](repeating: [], count: steps)
    for step in integer(2) == 1 ? Array((0..<steps).reversed()) : Array(0..<steps) {
      let row = Array(rows[step * x.shape[1]..<(step + 1) * x.shape[1]])
      let sums = Self.product(kernel, row, rows: gates * units)
      let stateSums = Self.product(recurrentKernel, states[0], rows: gates * units)
      states = cell(sums, stateSums, bias, states, units)
      sequence[step] = states[0]
    }
    return [Tensor(.float32, shape: [steps, units], sequence.flatMap { $0 })]
      + states.map { Tensor(.float32, shape: [1, units], $0) }.prefix(layer.outputs.count - 1)
  }

  private static func product(_ matrix: [Double], _ vector: [Double], rows: Int) -> [Double] {
    (0..<rows).map { row in
      vector.indices.reduce(0) { $0 + matrix[row * vector.count + $1] * vector[$1] }
    }
  }

  /// The states after a step. LSTM's gates are input, forget, output and candidate; GRU's are reset,
  /// update and candidate, which has a bias for each product.
  private func cell(
    _ sums: [Double], _ stateSums: [Double], _ bias: [Double], _ states: [[Double]], _ units: Int
  ) -> [[Double]] {
    func gate(_ number: Int, _ unit: Int) -> Double {
      let position = number * units + unit
      return sums[position] + stateSums[position] + bias[position]
    }
    func sigmoid(_ number: Double) -> Double { 1 / (1 + exp(-number)) }
    switch layer.type {
    case "LSTM":
      let cells = (0..<units).map { unit in
        sigmoid(gate(1, unit)) * states[1][unit] + sigmoid(gate(0, unit)) * tanh(gate(3, unit))
      }
      return [(0..<units).map { sigmoid(gate(2, $0)) * tanh(cells[$0]) }, cells]
    case "GRU":
      return [
        (0..<units).map { unit in
          let (reset, update) = (sigmoid(gate(0, unit)), sigmoid(gate(1, unit)))
          let position = 2 * units + unit
          let candidate = tanh(
            sums[position] + bias[position] + reset * (stateSums[position] + bias[position + units])
          )
          return (1 - update) * candidate + update * states[0][unit]
        }
      ]
    default: return [(0..<units).map { tanh(gate(0, $0)) }]
    }
  }
}
