import CKernels
import GraphIR
import LayerCatalog

extension Convolution: FusingOperator, EngineOperator {
  func channelAxis(rank: Int) -> Int { layout.channelAxis(rank: rank) }

  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if group.readsReduced {
      return builder.addQuantized(
        window, layout, groups: groups, hasBias: hasBias, for: group)
    }
    guard let call = call(for: group.first, builder) else { return false }
    guard let next = group.depthwise.first else { return call.add(to: &builder, group) }
    guard let second = (next.operation as? Convolution)?.call(for: next, builder) else {
      return false
    }
    return call.add(to: &builder, with: second, group)
      || (call.add(to: &builder, group.first) && second.add(to: &builder, next))
  }

  private func call(for group: NodeGroup, _ builder: PlanBuilder) -> WeightedCall? {
    let order = SpatialOrder(layout, group, builder)
    guard let kernel = builder.graph[group.inputs[1]].constant,
      let window = WindowArguments(window, dimensions: order.spatialDimensions),
      let folded = FoldedWeights(
        group, bias: hasBias ? group.inputs[2] : nil, channels: kernel.shape[0], builder.graph)
    else { return nil }
    let weights =
      groups == 1 ? kernel : kernel.splitting(0, into: [groups, kernel.shape[0] / groups])
    return unsafe WeightedCall(
      group, builder, source: order.source, target: order.target, restore: order.restore,
      weights: weights, folded: folded
    ) { source, weights, bias, target, post in
      unsafe window.withArguments {
        unsafe kernels_convolution(
          source.handle, weights.handle, bias?.handle, target.handle, $0, post)
      }
    }
  }

  /// Whether a group's convolution is depthwise.
  func isDepthwise(_ graph: Graph, _ group: NodeGroup) -> Bool {
    graph[group.inputs[1]].constant.map(isDepthwise) ?? false
  }

  /// Whether each output channel reads only the input channel with the same index.
  private func isDepthwise(_ kernel: Tensor) -> Bool {
    kernel.shape[0] == groups && kernel.shape[1] == 1
  }
}

extension TransposedConvolution: FusingOperator, EngineOperator {
  func channelAxis(rank: Int) -> Int { layout.channelAxis(rank: rank) }

  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if group.readsReduced {
      return builder.addQuantized(
        window, layout, groups: groups, isTransposed: true, hasBias: hasBias, for: group)
    }
    let order = SpatialOrder(layout, group, builder)
    guard let kernel = builder.graph[group.inputs[1]].constant,
      let folded = FoldedWeights(
        group, bias: hasBias ? group.inputs[2] : nil, channels: kernel.shape[1] * groups,
        builder.graph)
    else { return false }
    let window = WindowArguments(
      transposing: window, from: order.spatialDimensions, to: order.targetDimensions)
    // From [in, out/groups, ...] to [out, in, ...], or to [groups, out, in, ...].
    let split =
      groups == 1 ? kernel : kernel.splitting(0, into: [groups, kernel.shape[0] / groups])
    var axes = Array(split.shape.indices)
    axes.swapAt(groups == 1 ? 0 : 1, groups == 1 ? 1 : 2)
    let call = unsafe WeightedCall(
      group, builder, source: order.source, target: order.target, restore: order.restore,
      weights: split.permuted(axes), folded: folded
    ) { source, weights, bias, target, post in
      unsafe window.withArguments {
        unsafe kernels_transposed_convolution(
          source.handle, weights.handle, bias?.handle, target.handle, $0, post)
      }
    }
    return call?.add(to: &builder, group) ?? false
  }
}

/// An image operator's input and output with the axes `[batch, channels, spatial...]`.
struct SpatialOrder {
  /// The sizes of the input and of the output.
  let dimensions: (source: [Int], target: [Int])
  /// The sizes of the input's spatial axes.
  let spatialDimensions: [Int]
  /// The sizes of the output's spatial axes.
  let targetDimensions: [Int]
  /// The input's layout, or one that is left open if there is none yet; the primitive chooses.
  let source: Layout?
  /// The output's layout, left open.
  let target: Layout?
  private let fromChannelsFirst: [Int]

  init(_ layout: DataLayout, _ group: NodeGroup, _ builder: PlanBuilder) {
    let shapes = [group.inputs[0], group.outputs[0]].map { builder.shape(of: $0) }
    let toChannelsFirst = layout.axesToChannelsFirst(rank: shapes[0].count)
    fromChannelsFirst = layout.axesFromChannelsFirst(rank: shapes[0].count)
    let channelsFirst = shapes.map { shape in toChannelsFirst.map { shape[$0] } }
    dimensions = (channelsFirst[0], channelsFirst[1])
    (spatialDimensions, targetDimensions) = (
      Array(channelsFirst[0].dropFirst(2)), Array(channelsFirst[1].dropFirst(2))
    )
    let stored = builder.storedLayout(of: group.inputs[0])
    source = stored?.permuted(toChannelsFirst) ?? Layout.any(channelsFirst[0])
    target = Layout.any(channelsFirst[1])
  }

  /// A layout with the graph's axes.
  func restore(_ layout: Layout, shape: [Int]) -> Layout? { layout.permuted(fromChannelsFirst) }
}
