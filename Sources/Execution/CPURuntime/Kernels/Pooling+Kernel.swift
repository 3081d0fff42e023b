import CKernels
import GraphIR
import LayerCatalog

extension MaxPooling: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if builder.addQuantizedPooling(window, layout, for: group) { return true }
    let kind =
      builder.hasZeroPadding(group) ? kernels_pooling_max_with_padding : kernels_pooling_max
    return !window.mayLieInPadding && builder.addPooling(kind, window, layout, for: group)
  }
}

extension AveragePooling: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let kind = countIncludePad ? kernels_pooling_mean_with_padding : kernels_pooling_mean
    return !window.mayLieInPadding && builder.addPooling(kind, window, layout, for: group)
  }
}

extension GlobalAveragePooling: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addGlobalPooling(kernels_pooling_mean, layout, for: group)
  }
}

extension GlobalMaxPooling: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addGlobalPooling(kernels_pooling_max_or_nan, layout, for: group)
  }
}

extension PlanBuilder {
  /// Whether the padding of a group's window is a node of zero padding.
  func hasZeroPadding(_ group: NodeGroup) -> Bool {
    group.positions.count > 1 && graph.nodes[group.positions[0]].operation is ZeroPadding
  }

  /// Adds a pooling in its input's layout. An output without spatial axes comes from global
  /// pooling.
  fileprivate mutating func addPooling(
    _ kind: kernels_pooling, _ window: Window, _ order: DataLayout, for group: NodeGroup
  ) -> Bool {
    let (shape, outputShape) = (shape(of: group.inputs[0]), shape(of: group.outputs[0]))
    let keepsSpatialAxes = outputShape.count == shape.count
    let toChannelsFirst = order.axesToChannelsFirst(rank: shape.count)
    let targetShape =
      keepsSpatialAxes
      ? toChannelsFirst.map { outputShape[$0] }
      : outputShape + shape.dropFirst(2).map { _ in 1 }
    guard rowMajorLayout(of: group.inputs[0]) != nil,
      let window = WindowArguments(
        window, dimensions: toChannelsFirst.dropFirst(2).map { shape[$0] }),
      let any = Layout.any(targetShape)
    else { return false }
    let input = dense(group.inputs[0])
    guard let source = input.layout?.permuted(toChannelsFirst) else { return false }
    let handle = unsafe window.withArguments {
      unsafe kernels_pool(kind, source.handle, any.handle, $0)
    }
    guard let primitive = unsafe Primitive(owning: handle),
      let target = primitive.layout(kernels_role_target),
      let layout = keepsSpatialAxes
        ? target.permuted(order.axesFromChannelsFirst(rank: shape.count))
        : target.reshaped(outputShape)
    else { return false }
    let output = makeTensor(group.outputs[0], layout: layout)
    add(primitive, [(kernels_role_source, input.storage), (kernels_role_target, output.storage)])
    return true
  }

  /// Adds a pooling whose window is as large as its input.
  fileprivate mutating func addGlobalPooling(
    _ kind: kernels_pooling, _ order: DataLayout, for group: NodeGroup
  ) -> Bool {
    let shape = shape(of: group.inputs[0])
    let spatial = order.spatialAxes(rank: shape.count).map { shape[$0] }
    let ones = spatial.map { _ in 1 }
    let whole = Window(size: spatial, strides: ones, dilation: ones, padding: .valid)
    return whole.problem == nil && addPooling(kind, whole, order, for: group)
  }
}
