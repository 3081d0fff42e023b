import CKernels
import GraphIR
import LayerCatalog

extension Concatenate: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    let output = group.outputs[0]
    guard let inputs = builder.inCommonLayout(group.inputs) else { return false }
    let layouts = inputs.compactMap(\.layout)
    guard let any = Layout.any(builder.shape(of: output)),
      let primitive = unsafe Primitive(
        owning: kernels_concatenation(
          Int32(axis), Int32(inputs.count), layouts.map { unsafe Optional($0.handle) },
          unsafe any.handle)),
      let layout = primitive.layout(kernels_role_target)
    else { return false }
    // The producers of the parts can write directly to the result.
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

  /// Whether consecutive arrays in memory form the concatenation: all are dense, blocked alike, and
  /// no other axis has a larger stride.
  private static func isOutermost(_ axis: Int, of layouts: [Layout]) -> Bool {
    layouts.allSatisfy { layout in
      let strides = layout.strides
      return layout.isDense && !layout.isPadded
        && layout.dimensions.indices.allSatisfy {
          $0 == axis || layout.dimensions[$0] == 1 || strides[$0] < strides[axis]
        }
    }
      && layouts.allSatisfy { layout in
        // Equal strides along all other axes: the same blocks, in the same order.
        zip(layout.strides, layouts[0].strides).enumerated().allSatisfy {
          $0.offset == axis || layout.dimensions[$0.offset] == 1 || $0.element.0 == $0.element.1
        }
      }
  }
}

extension PlanBuilder {
  /// Values in layouts with a common memory order; `nil` if there is none.
  fileprivate mutating func inCommonLayout(_ ids: [ValueID]) -> [StoredTensor]? {
    let tensors = ids.map { tensor($0) }
    let layouts = tensors.compactMap(\.layout)
    guard layouts.count == ids.count else { return nil }
    let orders = layouts.map(\.memoryOrder)
    if orders.allSatisfy({ $0 == orders[0] }) { return tensors }
    // Use the order of the first layout that is not blocked.
    guard let order = orders.compactMap({ $0 }).first else { return tensors }
    let inverse = order.inversePermutation
    var reordered: [StoredTensor] = []
    for (id, tensor) in zip(ids, tensors) {
      guard let layout = Layout.rowMajor(order.map { tensor.shape[$0] })?.permuted(inverse),
        let copy = self.tensor(id, as: layout)
      else { return nil }
      reordered.append(copy)
    }
    return reordered
  }
}
