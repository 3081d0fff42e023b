import CKernels
import GraphIR
import LayerCatalog

extension MaxPooling: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    // A NaN wins or loses by its place in the window.
    guard !builder.keepsNaN, !window.mayLieInPadding else { return false }
    return builder.addPooling(kernels_pooling_max, window, layout, for: group)
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
    !builder.keepsNaN && builder.addGlobalPooling(kernels_pooling_max, layout, for: group)
  }
}

extension PlanBuilder {
  /// Adds a pooling, in the layout that its input has.
  fileprivate mutating func addPooling(
    _ kind: kernels_pooling, _ window: Window, _ order: DataLayout, for group: NodeGroup
  ) -> Bool {
    let shape = shape(of: group.inputs[0])
    let turn = order.axesToChannelsFirst(rank: shape.count)
    guard rowMajorLayout(of: group.inputs[0]) != nil,
      let window = WindowArguments(window, dimensions: turn.dropFirst(2).map { shape[$0] }),
      let target = Layout.any(turn.map { self.shape(of: group.outputs[0])[$0] }),
      let source = dense(group.inputs[0]).layout?.permuted(turn)
    else { return false }
    let made = window.withArguments {
      kernels_pool(kind, source.handle, target.handle, $0)
    }
    return add(Primitive(owning: made), for: group, turn: turn) { back, layout in
      layout.permuted(back)
    }
  }

  /// Adds a pooling whose window is as large as its input.
  fileprivate mutating func addGlobalPooling(
    _ kind: kernels_pooling, _ order: DataLayout, for group: NodeGroup
  ) -> Bool {
    let shape = shape(of: group.inputs[0])
    let turn = order.axesToChannelsFirst(rank: shape.count)
    let dimensions = turn.map { shape[$0] }
    let spatial = Array(dimensions.dropFirst(2))
    let ones = spatial.map { _ in 1 }
    let whole = Window(size: spatial, strides: ones, dilation: ones, padding: .valid)
    guard whole.problem == nil, rowMajorLayout(of: group.inputs[0]) != nil,
      let window = WindowArguments(whole, dimensions: spatial),
      let target = Layout.any(dimensions.prefix(2) + ones),
      let source = dense(group.inputs[0]).layout?.permuted(turn)
    else { return false }
    let made = window.withArguments {
      kernels_pool(kind, source.handle, target.handle, $0)
    }
    let isKept = self.shape(of: group.outputs[0]).count == shape.count
    return add(Primitive(owning: made), for: group, turn: turn) { back, layout in
      isKept ? layout.permuted(back) : layout.reshaped(Array(dimensions.prefix(2)))
    }
  }

  /// Adds a primitive with one source, which is dense, and a target of its own choice.
  ///
  /// - Parameter arrange: The target's layout with the graph's order of axes, of the order that
  ///   undoes `turn` and of the layout with the primitive's axes.
  private mutating func add(
    _ primitive: Primitive?, for group: NodeGroup, turn: [Int],
    arrange: (_ back: [Int], _ layout: Layout) -> Layout?
  ) -> Bool {
    let back = turn.indices.sorted { turn[$0] < turn[$1] }
    guard let primitive, let target = primitive.layout(kernels_role_target),
      let layout = arrange(back, target)
    else { return false }
    let input = dense(group.inputs[0])
    let output = makeTensor(group.outputs[0], layout: layout)
    add(primitive, [(kernels_role_source, input.storage), (kernels_role_target, output.storage)])
    return true
  }
}
