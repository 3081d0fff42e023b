import LayerCatalog

extension LSTM: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addLoop(
      self, .lstm(activation.rowFunction, gates: recurrentActivation.rowFunction), for: group)
  }
}

extension GRU: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let cell = RecurrentCell.gru(
      activation.rowFunction, gates: recurrentActivation.rowFunction, resetsAfter: resetsAfter)
    return builder.addLoop(self, cell, for: group)
  }
}
