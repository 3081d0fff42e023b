import CKernels
import GraphIR
import LayerCatalog

extension Dense: FusingOperator, EngineOperator {
  func channelAxis(rank: Int) -> Int { rank - 1 }

  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if group.readsReduced {
      return builder.addQuantized(nil, .channelsLast, hasBias: hasBias, for: group)
    }
    let shape = builder.shape(of: group.inputs[0])
    guard let kernel = builder.graph[group.inputs[1]].constant,
      let folded = FoldedWeights(
        group, bias: hasBias ? group.inputs[2] : nil, channels: kernel.shape[0], builder.graph)
    else { return false }
    // All axes but the last are rows; they can be merged only in row-major order.
    let rows = shape.dropLast().reduce(1, *)
    let makeLayout = shape.count == 2 ? Layout.any : Layout.rowMajor
    let call = unsafe WeightedCall(
      group, builder, source: makeLayout([rows, kernel.shape[1]]),
      target: makeLayout([rows, kernel.shape[0]]),
      restore: { layout, shape in shape.count == 2 ? layout : layout.reshaped(shape) },
      weights: kernel, folded: folded
    ) { source, weights, bias, target, post in
      unsafe kernels_dense(source.handle, weights.handle, bias?.handle, target.handle, post)
    }
    return call?.add(to: &builder, group) ?? false
  }
}
