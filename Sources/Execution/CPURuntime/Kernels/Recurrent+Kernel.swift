import LayerCatalog

extension LSTM: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let (activation, gates) = (activation.rowFunction, recurrentActivation.rowFunction)
    return builder.addLoop(self, .joint { $0.applyLSTM(activation, gates: gates) }, for: group)
  }
}

extension SimpleRNN: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let activation = activation.rowFunction
    return builder.addLoop(self, .joint { $0.applySimple(activation) }, for: group)
  }
}

extension GRU: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let cell = RecurrentCell.gru(
      activation.rowFunction, gates: recurrentActivation.rowFunction, resetsAfter: resetsAfter)
    return builder.addLoop(self, cell, for: group)
  }
}

extension RecurrentRow {
  /// Computes a simple cell.
  fileprivate func applySimple(_ activation: RowActivation) {
    activation(gate(0))
    state.update(from: sums, count: units)
  }

  /// Computes a cell of the gates i, f, g and o, whose state c is replaced too.
  func applyLSTM(_ activation: RowActivation, gates: RowActivation) {
    guard let cellState else { return }
    let (input, forget, candidate, output) = (gate(0), gate(1), gate(2), gate(3))
    gates(input)
    gates(forget)
    activation(candidate)
    gates(output)
    for unit in 0..<units {
      cellState[unit] = forget[unit] * cellState[unit] + input[unit] * candidate[unit]
      candidate[unit] = cellState[unit]
    }
    activation(candidate)
    for unit in 0..<units { state[unit] = output[unit] * candidate[unit] }
  }
}
