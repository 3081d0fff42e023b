import CKernels
import GraphIR
import LayerCatalog

extension BatchNormalization: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let input = group.inputs[0]
    let rank = builder.shape(of: input).count
    let weights = group.inputs.dropFirst().compactMap { builder.graph[$0].constant?.doubles }
    guard rank >= 2, axis >= 1, weights.count == group.inputs.count - 1 else { return false }
    let source = builder.dense(input)
    // The primitive has the channels along axis 1.
    let channelsFirst = [0, axis] + (1..<rank).filter { $0 != axis }
    guard let layout = source.layout, let permutedLayout = layout.permuted(channelsFirst),
      let primitive = unsafe Primitive(
        owning: kernels_batch_normalization(permutedLayout.handle, Float(epsilon)))
    else { return false }
    let target = builder.makeElementwiseTarget(source, group, layout)
    var numbers = weights[...]
    let count = builder.shape(of: input)[axis]
    let scale = hasScale ? numbers.removeFirst() : [Double](repeating: 1, count: count)
    let shift = hasCenter ? numbers.removeFirst() : [Double](repeating: 0, count: count)
    let statistics = [scale, shift] + numbers
    let roles = [
      kernels_role_scale, kernels_role_shift, kernels_role_mean, kernels_role_variance,
    ]
    builder.add(
      primitive,
      [(kernels_role_source, source.storage), (kernels_role_target, target.storage)]
        + zip(roles, statistics).map { ($0, builder.addConstant($1.map(Float.init))) })
    return true
  }
}

extension Softmax: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addSoftmax(axes, isLogarithm: false, for: group)
      || builder.addSoftmaxLanes(self, \.axes, for: group) { $0.applySoftmax() }
  }
}

extension LogSoftmax: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    builder.addSoftmax(axes, isLogarithm: true, for: group)
  }
}

extension PlanBuilder {
  fileprivate mutating func addSoftmax(
    _ axes: [Int], isLogarithm: Bool, for group: NodeGroup
  ) -> Bool {
    guard axes.count == 1 else { return false }
    let source = rowMajor(group.inputs[0])
    guard let layout = source.layout,
      let primitive = unsafe Primitive(
        owning: kernels_softmax(layout.handle, Int32(axes[0]), isLogarithm))
    else { return false }
    let target = makeElementwiseTarget(source, group, layout)
    add(primitive, [(kernels_role_source, source.storage), (kernels_role_target, target.storage)])
    return true
  }
}
