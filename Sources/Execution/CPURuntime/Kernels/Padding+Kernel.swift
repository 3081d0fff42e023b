import GraphIR
import LayerCatalog

extension ZeroPadding: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let rank = builder.shape(of: group.inputs[0]).count
    var (before, after) = ([Int](repeating: 0, count: rank), [Int](repeating: 0, count: rank))
    for (number, axis) in layout.spatialAxes(rank: rank).enumerated() {
      (before[axis], after[axis]) = (borders.before[number], borders.after[number])
    }
    return Pad(before: before, after: after, mode: .constant, value: 0)
      .addSteps(to: &builder, for: group)
  }
}
