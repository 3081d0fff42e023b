import GraphIR
import LayerCatalog

/// A recurrent cell of the catalog, as the body of a loop computes it.
struct TFLiteCell {
  /// The weights of a gate.
  struct Gate {
    /// Of the element of the sequence, `[units, features]`.
    let kernel: Tensor
    /// Of the state, `[units, units]`.
    let recurrentKernel: Tensor
    /// Constants that are added, `[units]`.
    var biases: [Tensor]
    /// Constants that are added to the product with the state alone.
    var stateBiases: [Tensor] = []
  }

  /// Makes the operator.
  let operation: (Recurrence, RecurrentBias) -> any CatalogOperator
  /// The gates, in the order of the operator.
  let gates: [Gate]
  /// The positions of the states, in the order of the operator.
  let states: [Int]
}

/// Recognizes the cells of the catalog.
struct TFLiteCellReader {
  let body: TFLiteLoopGraph
  let element: ValueID
  /// The states before the step.
  let states: [ValueID]
  /// The states after it.
  let next: [ValueID]
  private var reader: TFLiteGateReader

  init(_ body: TFLiteLoopGraph, element: ValueID, states: [ValueID], next: [ValueID]) {
    (self.body, self.element, self.states, self.next) = (body, element, states, next)
    reader = TFLiteGateReader(body, element: element)
  }

  /// Returns the cell; `nil` for another one.
  mutating func cell() -> TFLiteCell? {
    states.count == 2
      ? lstm(h: 0, c: 1) ?? lstm(h: 1, c: 0) : states.count == 1 ? gru() ?? simple() : nil
  }

  /// An activation and what it is applied to.
  private func activated(_ id: ValueID) -> (activation: CellActivation, sums: ValueID)? {
    if let result = hardSigmoid(id) { return result }
    guard let (operation, inputs) = body.producer(id), inputs.count == 1,
      body.type(inputs[0]) == body.type(id), let activation = CellActivation(operation)
    else { return nil }
    return (activation, inputs[0])
  }

  /// min(max(alpha * x + beta, 0), 1), which TFLite has no operator for.
  private func hardSigmoid(_ id: ValueID) -> (activation: CellActivation, sums: ValueID)? {
    guard let line = upTo1(id).flatMap(from0) ?? from0(id).flatMap(upTo1),
      let (product, offset) = body.constantTerm(line, Add.self),
      let (sums, slope) = body.constantTerm(product, Multiply.self),
      let activation = CellActivation(HardSigmoid(slope: slope, offset: offset))
    else { return nil }
    return (activation, sums)
  }

  private func upTo1(_ id: ValueID) -> ValueID? {
    body.constantTerm(id, Minimum.self).flatMap { $0.number == 1 ? $0.value : nil }
  }

  private func from0(_ id: ValueID) -> ValueID? {
    if let (operation, inputs, _) = body.producer(id, ReLU.self) {
      return operation == ReLU(slope: 0, threshold: 0, maximum: nil) ? inputs[0] : nil
    }
    return body.constantTerm(id, Maximum.self).flatMap { $0.number == 0 ? $0.value : nil }
  }

  /// The weights of a gate whose sums are these.
  private mutating func gate(_ id: ValueID, state: ValueID) -> TFLiteCell.Gate? {
    guard let sums = reader.sums(id), sums.products.count == 2,
      let kernel = sums.products.first(where: { $0.factor == element })?.kernel,
      let recurrent = sums.products.first(where: { $0.factor == state })?.kernel
    else { return nil }
    return TFLiteCell.Gate(kernel: kernel, recurrentKernel: recurrent, biases: sums.biases)
  }

  private mutating func gates(_ ids: [ValueID], state: ValueID) -> [TFLiteCell.Gate]? {
    var result: [TFLiteCell.Gate] = []
    for id in ids {
      guard let gate = gate(id, state: state) else { return nil }
      result.append(gate)
    }
    return result
  }

  private mutating func simple() -> TFLiteCell? {
    guard let (activation, sums) = activated(next[0]), let gates = gates([sums], state: states[0])
    else { return nil }
    return TFLiteCell(
      operation: { SimpleRNN(recurrence: $0, bias: $1, activation: activation) }, gates: gates,
      states: [0])
  }

  private mutating func lstm(h: Int, c: Int) -> TFLiteCell? {
    for (gate, cell) in body.orders(next[h], Multiply.self) {
      guard let (activation, inner) = activated(cell), inner == next[c],
        let (recurrent, output) = activated(gate)
      else { continue }
      for (kept, added) in body.orders(next[c], Add.self) {
        for (forgetGate, state) in body.orders(kept, Multiply.self) where state == states[c] {
          for (inputGate, candidate) in body.orders(added, Multiply.self) {
            guard let forget = activated(forgetGate), forget.activation == recurrent,
              let input = activated(inputGate), input.activation == recurrent,
              let new = activated(candidate), new.activation == activation,
              let gates = gates([input.sums, forget.sums, new.sums, output], state: states[h])
            else { continue }
            return TFLiteCell(
              operation: {
                LSTM(
                  recurrence: $0, bias: $1, activation: activation, recurrentActivation: recurrent)
              }, gates: gates, states: [h, c])
          }
        }
      }
    }
    return nil
  }
}

extension TFLiteCellReader {
  private mutating func gru() -> TFLiteCell? {
    let h = states[0]
    for (first, second) in body.orders(next[0], Add.self) {
      for (update, factor) in body.orders(second, Multiply.self) {
        // n + z * (h - n)
        if let inputs = body.producer(factor, Subtract.self)?.inputs, inputs == [h, first],
          let cell = gru(update: update, candidate: first)
        {
          return cell
        }
        // z * h + (1 - z) * n, of which the factors here are (1 - z) and n
        guard let inputs = body.producer(update, Subtract.self)?.inputs,
          let one = body.constant(inputs[0]), one.doubles.allSatisfy({ $0 == 1 }),
          body.orders(first, Multiply.self).contains(where: { $0 == inputs[1] && $1 == h }),
          let cell = gru(update: inputs[1], candidate: factor)
        else { continue }
        return cell
      }
    }
    return nil
  }

  private mutating func gru(update: ValueID, candidate: ValueID) -> TFLiteCell? {
    guard let (recurrent, updateSums) = activated(update),
      let (activation, sums) = activated(candidate),
      let updateGate = gate(updateSums, state: states[0]),
      let last = resetAfter(sums) ?? resetBefore(sums),
      let reset = activated(last.reset), reset.activation == recurrent,
      let resetGate = gate(reset.sums, state: states[0])
    else { return nil }
    return TFLiteCell(
      operation: {
        GRU(
          recurrence: $0, bias: $1, activation: activation, recurrentActivation: recurrent,
          resetsAfter: last.isAfter)
      }, gates: [updateGate, resetGate, last.gate], states: [0])
  }

  /// W x + b + r * (U h + b')
  private mutating func resetAfter(
    _ id: ValueID
  ) -> (gate: TFLiteCell.Gate, reset: ValueID, isAfter: Bool)? {
    for (fromElement, product) in body.orders(id, Add.self) {
      for (reset, fromState) in body.orders(product, Multiply.self) {
        guard let new = reader.sums(fromElement), let kernel = new.kernel(of: element),
          let old = reader.sums(fromState), let recurrent = old.kernel(of: states[0])
        else { continue }
        let gate = TFLiteCell.Gate(
          kernel: kernel, recurrentKernel: recurrent, biases: new.biases, stateBiases: old.biases)
        return (gate, reset, true)
      }
    }
    return nil
  }

  /// W x + U (r * h) + b
  private mutating func resetBefore(
    _ id: ValueID
  ) -> (gate: TFLiteCell.Gate, reset: ValueID, isAfter: Bool)? {
    guard let sums = reader.sums(id) else { return nil }
    for (factor, _) in sums.products {
      for (reset, state) in body.orders(factor, Multiply.self) where state == states[0] {
        guard let gate = gate(id, state: factor) else { continue }
        return (gate, reset, false)
      }
    }
    return nil
  }
}
