import CKernels
import LayerCatalog

extension LSTM: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let cell = RecurrentCell(kernels_cell_lstm, activation, gates: recurrentActivation)
    return builder.addLoop(self, cell, for: group)
  }
}

extension SimpleRNN: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let cell = RecurrentCell(kernels_cell_simple, activation, gates: activation)
    return builder.addLoop(self, cell, for: group)
  }
}

extension GRU: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let kind = resetsAfter ? kernels_cell_gru_resets_after : kernels_cell_gru
    let cell = RecurrentCell(kind, activation, gates: recurrentActivation)
    return builder.addLoop(self, cell, for: group)
  }
}
