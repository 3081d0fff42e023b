import Bytes
import CKernels
import GraphIR
import LayerCatalog

extension MatMul: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    guard builder.graph[group.inputs[0]].type.elementType.isFloat else { return false }
    let first = builder.rowMajor(group.inputs[0])
    let second = builder.rowMajor(group.inputs[1])
    guard let firstLayout = Self.transposed(first.layout, transposeA),
      let secondLayout = Self.transposed(second.layout, transposeB),
      let targetLayout = builder.rowMajorLayout(of: group.outputs[0]),
      let primitive = unsafe Primitive(
        owning: kernels_product(firstLayout.handle, secondLayout.handle, targetLayout.handle))
    else { return false }
    let target = builder.makeTensor(group.outputs[0], layout: targetLayout)
    builder.add(
      primitive,
      [
        (kernels_role_source, first.storage), (kernels_role_weights, second.storage),
        (kernels_role_target, target.storage),
      ])
    return true
  }

  /// A layout with its last two axes swapped, if `isTransposed`.
  private static func transposed(_ layout: Layout?, _ isTransposed: Bool) -> Layout? {
    guard let layout, isTransposed else { return layout }
    var axes = Array(layout.dimensions.indices)
    axes.swapAt(axes.count - 1, axes.count - 2)
    return layout.permuted(axes)
  }
}
