import CKernels
import GraphIR
import LayerCatalog

extension PlanBuilder {
  /// Adds an elementwise function, if the group is one.
  mutating func addElementwise(_ group: NodeGroup) -> Bool {
    if let functions = ElementFunction.functions(of: group.operation),
      addFunctions(functions, for: group)
    {
      return true
    }
    return addPointwise(group)
  }

  /// Adds the reference's function of the elements at each position, if the group is one.
  mutating func addPointwise(_ group: NodeGroup) -> Bool {
    let types = group.inputs.map { graph[$0].type.elementType }
    guard let function = (group.operation as? any PointwiseOperator)?.pointwise(types) else {
      return false
    }
    return addRows(RowFunction(function, count: types.count), for: group)
  }

  /// The memory for an elementwise result: the input's if it is no longer needed.
  mutating func makeElementwiseTarget(
    _ input: StoredTensor, _ group: NodeGroup, _ layout: Layout?
  ) -> StoredTensor {
    isFree(input, of: group.inputs[0])
      ? share(input, as: group.outputs[0], layout: layout)
      : makeTensor(group.outputs[0], layout: layout)
  }

  /// Adds elementwise functions in the input's layout, in place if the input is no longer needed.
  private mutating func addFunctions(_ functions: [ElementFunction], for group: NodeGroup) -> Bool {
    let input = dense(group.inputs[0])
    guard let layout = input.layout else { return false }
    let primitives = functions.compactMap { Primitive.elementwise($0, layout) }
    guard primitives.count == functions.count else { return false }
    let output = makeElementwiseTarget(input, group, layout)
    var source = input.storage
    for primitive in primitives {
      add(primitive, [(kernels_role_source, source), (kernels_role_target, output.storage)])
      source = output.storage
    }
    return true
  }

  /// Adds a copy of a tensor, for a value of the same shape.
  mutating func copy(_ tensor: StoredTensor, as id: ValueID) -> StoredTensor? {
    guard let layout = tensor.layout,
      let reorder = Primitive.reorder(from: layout, to: layout)
    else { return nil }
    let copy = makeTensor(id, layout: layout)
    add(reorder, [(kernels_role_source, tensor.storage), (kernels_role_target, copy.storage)])
    return copy
  }
}
