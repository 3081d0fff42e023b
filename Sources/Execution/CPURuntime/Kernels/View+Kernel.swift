import GraphIR
import LayerCatalog

extension Identity: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let input = builder.tensor(group.inputs[0])
    _ = builder.share(input, as: group.outputs[0], layout: input.layout)
    return true
  }
}

extension Reshape: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addView(for: group)
  }
}

extension ReshapeAxes: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addView(for: group)
  }
}

extension ExpandDims: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addView(for: group)
  }
}

extension Squeeze: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addView(for: group)
  }
}

extension FlattenTime: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addView(for: group)
  }
}

extension UnflattenTime: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addView(for: group)
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

extension PlanBuilder {
  /// Takes the row-major elements of a group's first input for its output of another shape.
  fileprivate mutating func addView(for group: NodeGroup) -> Bool {
    let input = rowMajor(group.inputs[0])
    guard input.isRowMajor else { return false }
    let output = group.outputs[0]
    _ = share(input, as: output, layout: rowMajorLayout(of: output))
    return true
  }
}
