import LayerCatalog

extension Identity: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let input = builder.tensor(group.inputs[0])
    _ = builder.share(input, as: group.outputs[0], layout: input.layout)
    return true
  }
}

extension Transpose: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let input = builder.tensor(group.inputs[0])
    guard let layout = input.layout?.permuted(axes) else { return false }
    _ = builder.share(input, as: group.outputs[0], layout: layout)
    return true
  }
}

/// An operator that reinterprets its input's row-major elements with another shape.
protocol ViewOperator: EngineOperator {}

extension ViewOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let input = builder.rowMajor(group.inputs[0])
    guard input.isRowMajor else { return false }
    let output = group.outputs[0]
    _ = builder.share(input, as: output, layout: builder.rowMajorLayout(of: output))
    return true
  }
}

extension ExpandDims: ViewOperator {}
extension FlattenTime: ViewOperator {}
extension Reshape: ViewOperator {}
extension ReshapeAxes: ViewOperator {}
extension Squeeze: ViewOperator {}
extension UnflattenTime: ViewOperator {}
