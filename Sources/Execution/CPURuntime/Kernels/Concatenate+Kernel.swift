import CKernels
import GraphIR
import LayerCatalog

extension Concatenate: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let output = group.outputs[0]
    guard let inputs = builder.alike(group.inputs) else { return false }
    let layouts = inputs.compactMap(\.layout)
    guard let any = Layout.any(builder.shape(of: output)),
      let primitive = Primitive(
        owning: kernels_concatenation(
          Int32(axis), Int32(inputs.count), layouts.map { Optional($0.handle) }, any.handle)),
      let layout = primitive.layout(kernels_role_target)
    else { return false }
    // What computes the parts may write there at once.
    let isJoined = Self.isOutermost(axis, of: layouts + [layout]) && builder.canJoin(inputs)
    let target = builder.makeTensor(output, layout: layout)
    if isJoined {
      builder.join(inputs, into: target)
      return true
    }
    let arguments = inputs.enumerated().map { number, input in
      PrimitiveArgument(role: kernels_role_source, number: number, storage: input.storage)
    }
    builder.add(
      primitive,
      arguments + [PrimitiveArgument(role: kernels_role_target, storage: target.storage)])
    return true
  }

  /// Whether arrays that lie one behind the other in memory are the concatenation: all are whole, in
  /// blocks of the same kind, and no other axis has larger steps.
  private static func isOutermost(_ axis: Int, of layouts: [Layout]) -> Bool {
    layouts.allSatisfy { layout in
      let strides = layout.strides
      return layout.isDense && !layout.isPadded
        && layout.dimensions.indices.allSatisfy {
          $0 == axis || layout.dimensions[$0] == 1 || strides[$0] < strides[axis]
        }
    }
      && layouts.allSatisfy { layout in
        // Equal steps along all other axes: the same blocks, in the same order.
        zip(layout.strides, layouts[0].strides).enumerated().allSatisfy {
          $0.offset == axis || layout.dimensions[$0.offset] == 1 || $0.element.0 == $0.element.1
        }
      }
  }
}

extension PlanBuilder {
  /// Values in layouts of one kind, so that the result can be in their order; `nil` for
  /// what it cannot describe.
  fileprivate mutating func alike(_ ids: [ValueID]) -> [StoredTensor]? {
    let tensors = ids.map { tensor($0) }
    let layouts = tensors.compactMap(\.layout)
    guard layouts.count == ids.count else { return nil }
    let orders = layouts.map(\.memoryOrder)
    if orders.allSatisfy({ $0 == orders[0] }) { return tensors }
    // All in the order of the first that is in no blocks.
    guard let order = orders.compactMap({ $0 }).first else { return tensors }
    let back = order.inversePermutation
    var alike: [StoredTensor] = []
    for (id, tensor) in zip(ids, tensors) {
      guard let layout = Layout.rowMajor(order.map { tensor.shape[$0] })?.permuted(back),
        let same = self.tensor(id, as: layout)
      else { return nil }
      alike.append(same)
    }
    return alike
  }
}
