import CKernels
import GraphIR
import LayerCatalog

extension LayerNormalization: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let id = group.inputs[0]
    let shape = builder.shape(of: id)
    let weights = group.inputs.dropFirst().compactMap { builder.graph[$0].constant?.doubles }
    guard weights.count == group.inputs.count - 1 else { return false }
    let size = axes.map { shape[$0] }.reduce(1, *)
    let gamma = hasScale ? weights[0] : [Double](repeating: 1, count: size)
    let beta = hasCenter ? weights[weights.count - 1] : [Double](repeating: 0, count: size)
    // Lanes along the last axes are contiguous and need not be gathered.
    guard axes == Array(shape.indices.suffix(axes.count)), builder.rowMajorLayout(of: id) != nil
    else {
      return builder.addLanes(self, \.axes, for: group) { lane in
        lane.normalize(epsilon)
        for index in unsafe lane.numbers.indices {
          unsafe lane.numbers[index] = unsafe lane.numbers[index] * gamma[index] + beta[index]
        }
      }
    }
    let input = builder.rowMajor(id)
    guard let layout = Layout.rowMajor([shape.reduce(1, *) / max(1, size), size]),
      let primitive = unsafe Primitive(owning: kernels_layer_normalization(layout.handle, epsilon))
    else { return false }
    let output = builder.makeElementwiseTarget(input, group, input.layout)
    builder.add(
      primitive,
      [
        (kernels_role_source, input.storage), (kernels_role_target, output.storage),
        (kernels_role_scale, builder.addConstant(gamma.map(Float.init))),
        (kernels_role_shift, builder.addConstant(beta.map(Float.init))),
      ])
    return true
  }
}
