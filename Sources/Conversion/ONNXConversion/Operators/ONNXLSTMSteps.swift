import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// What an LSTM of ONNX can have and the operator lacks; its steps are then written out.
struct ONNXLSTMSteps {
  /// Whether the forget gate is 1 less the input gate.
  var isCoupled = false
  /// How the cell state acts on the gates i, o and f, `[directions, 3 · units]`.
  var peepholes: Tensor?
  /// The largest absolute value of a sum before an activation.
  var limit = Double.infinity

  /// Whether it has nothing of all this.
  var isPlain: Bool { !isCoupled && peepholes == nil && limit == .infinity }
}

extension ONNXLayer {
  /// Reads what an LSTM has beyond the operator.
  mutating func lstmSteps() throws(WeighbridgeError) -> ONNXLSTMSteps {
    let limit = has("clip") ? try float("clip", default: 0) : .infinity
    guard limit >= 0 else {
      throw malformed("limits its sums to \(limit) (clip), and 0 or more is expected")
    }
    return ONNXLSTMSteps(
      isCoupled: try flag("input_forget"), peepholes: try constant(7), limit: limit)
  }

  /// Adds the steps of one direction of an LSTM.
  ///
  /// - Parameters:
  ///   - sequence: `[batch, time, features]`
  ///   - kernels: The kernel and the recurrent kernel, `[4 units, ...]`, of i, f, g and o.
  ///   - bias: None, or `[4 units]`, or `[2, 4 units]`.
  ///   - activations: Those of the gates, of g and of the output.
  /// - Returns: The outputs, `[batch, time, units]`, and both last states, `[batch, units]`.
  mutating func apply(
    _ steps: ONNXLSTMSteps, _ recurrence: Recurrence, _ sequence: ONNXValue,
    _ initialStates: [ONNXValue], _ kernels: [ONNXValue], _ bias: [ONNXValue],
    _ activations: [CellActivation], _ index: Int
  ) throws(WeighbridgeError) -> [ONNXValue] {
    guard recurrence.mask == .none, let count = type(sequence).shape[1].value else {
      throw unsupported(
        "has peepholes, coupled gates, a limit (clip) or two activations, and only sequences of one known "
          + "length can be read so")
    }
    let role = "direction_\(index)"
    let cell = try StepCell(
      steps, index, units: type(kernels[1]).shape[1].value ?? 0, activations, self)
    let multiply = MatMul(transposeA: false, transposeB: true)
    var sums = try apply(multiply, try aligned([sequence, kernels[0]]), role: "\(role)/products")[0]
    for offset in bias {
      let rows = offset.tensor.map { $0.shape.count == 1 ? $0 : $0.sumOfRows }
      guard let rows else { continue }
      let constant = newConstant(rows, "\(role)/bias")
      sums = try apply(Add(), try aligned([sums, constant]), role: "\(role)/sums")[0]
    }
    var states = initialStates
    var outputs: [Int: ONNXValue] = [:]
    for step in recurrence.isReversed ? (0..<count).reversed() : Array(0..<count) {
      try network.countBody(24)
      let role = "\(role)/step_\(step)"
      let own = try part(sums, axis: 1, step..<step + 1, role: "\(role)/input")
      var gates = try apply(Squeeze(axes: [1]), to: own, role: "\(role)/products")
      if states.isEmpty {
        let zero = try apply(
          FullLike(value: 0), to: try part(gates, axis: 1, 0..<cell.units, role: "\(role)/like"),
          role: "\(role)/zero")
        states = [zero, zero]
      }
      let recurrent = try apply(multiply, [states[0], kernels[1]], role: "\(role)/recurrent")[0]
      gates = try apply(Add(), to: gates, recurrent, role: "\(role)/gates")
      states = try apply(cell, gates, cellState: states[1], role)
      outputs[step] = states[0]
    }
    let ordered = (0..<count).compactMap { outputs[$0] }
    return [try stacked(ordered, 1, role)] + states
  }

  /// Adds one step and returns both states.
  private mutating func apply(
    _ cell: StepCell, _ sums: ONNXValue, cellState: ONNXValue, _ role: String
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let input = try gate(0, cell, sums, peeking: (cellState, 0), "\(role)/i")
    let forget =
      cell.steps.isCoupled
      ? try apply(Subtract(), to: number(1, like: input, "one"), input, role: "\(role)/f")
      : try gate(1, cell, sums, peeking: (cellState, 2), "\(role)/f")
    let candidate = try gate(2, cell, sums, peeking: nil, "\(role)/g")
    let kept = try apply(Multiply(), to: forget, cellState, role: "\(role)/kept")
    let added = try apply(Multiply(), to: input, candidate, role: "\(role)/added")
    let newState = try apply(Add(), to: kept, added, role: "\(role)/c")
    let output = try gate(3, cell, sums, peeking: (newState, 1), "\(role)/o")
    let shown = try apply(cell.activations[2].operation, to: newState, role: "\(role)/shown")
    return [try apply(Multiply(), to: output, shown, role: "\(role)/h"), newState]
  }

  /// Adds one of the gates i, f, g and o.
  ///
  /// - Parameter peeking: The cell state that acts on it, and where its weights are.
  private mutating func gate(
    _ gate: Int, _ cell: StepCell, _ sums: ONNXValue, peeking: (ONNXValue, Int)?, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let start = gate * cell.units
    var sum = try part(sums, axis: 1, start..<start + cell.units, role: "\(role)/sums")
    if let (state, position) = peeking, let weights = cell.peepholes {
      let own = weights.slice(position..<position + 1, along: 0)
      let seen = try apply(
        Multiply(), to: state, newConstant(own, "\(role)/peephole"), role: "\(role)/seen")
      sum = try apply(Add(), to: sum, seen, role: "\(role)/sum")
    }
    if cell.steps.limit < .infinity {
      let limit = Clip(minimum: -cell.steps.limit, maximum: cell.steps.limit)
      sum = try apply(limit, to: sum, role: "\(role)/limited")
    }
    return try apply(cell.activations[gate == 2 ? 1 : 0].operation, to: sum, role: role)
  }

  private mutating func part(
    _ value: ONNXValue, axis: Int, _ range: Range<Int>, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let range = Slice.Range(axis: axis, start: range.lowerBound, stop: range.upperBound, step: 1)
    return try apply(Slice([range]), to: value, role: role)
  }
}

/// The steps of one direction.
private struct StepCell {
  let steps: ONNXLSTMSteps
  let units: Int
  let activations: [CellActivation]
  /// `[3, units]`
  let peepholes: Tensor?

  init(
    _ steps: ONNXLSTMSteps, _ index: Int, units: Int, _ activations: [CellActivation],
    _ layer: ONNXLayer
  ) throws(WeighbridgeError) {
    (self.steps, self.units, self.activations) = (steps, units, activations)
    guard let all = steps.peepholes else {
      peepholes = nil
      return
    }
    guard all.shape.count == 2, all.shape[1] == 3 * units, index < all.shape[0] else {
      throw layer.malformed(
        "has weights \(all.shape) for peepholes, and [directions, 3 · units] is expected")
    }
    peepholes = all.slice(index..<index + 1, along: 0).reshaped([3, units])
  }
}

extension Tensor {
  /// The sum of the two rows of a matrix.
  fileprivate var sumOfRows: Tensor {
    let (numbers, count) = (doubles, shape[1])
    return Tensor(
      elementType, shape: [count], (0..<count).map { numbers[$0] + numbers[count + $0] })
  }
}
