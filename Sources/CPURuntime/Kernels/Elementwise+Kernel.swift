import Bytes
import COneDNN
import GraphIR
import LayerCatalog

extension PlanBuilder {
  /// Adds a function of each element, when the group is one.
  mutating func addElementwise(_ group: NodeGroup) -> Bool {
    if !keepsNaN, let functions = ElementFunction.functions(of: group.operation),
      addFunctions(functions, for: group)
    {
      return true
    }
    guard let operation = group.operation as? any ElementwiseOperator else { return false }
    return addKernel(operation, for: group)
  }

  /// Adds the reference's own function of each element, in the layout that the input has: it computes
  /// in `Double` and keeps NaN.
  private mutating func addKernel(
    _ operation: some ElementwiseOperator, for group: NodeGroup
  ) -> Bool {
    var input = dense(group.inputs[0])
    // What a function makes of padding must not stand there.
    if let layout = input.layout, layout.isPadded { input = rowMajor(group.inputs[0]) }
    guard let layout = input.layout else { return false }
    let output = makeElementwiseTarget(input, group, layout)
    let (source, target) = (input.storage, output.storage)
    let count = layout.byteCount / MemoryLayout<Float>.stride
    add(
      .kernel(name: operation.kind) { memory in
        memory.apply(operation.apply, from: source, to: target, count: count)
      }, using: [source, target])
    return true
  }

  /// The memory for a function of each element: the input's where nobody else needs it.
  private mutating func makeElementwiseTarget(
    _ input: StoredTensor, _ group: NodeGroup, _ layout: Layout
  ) -> StoredTensor {
    isFree(input, of: group.inputs[0])
      ? share(input, as: group.outputs[0], layout: layout)
      : makeTensor(group.outputs[0], layout: layout)
  }

  /// Adds functions of each element, in the layout that the input has, and in its memory where
  /// nobody else needs it.
  private mutating func addFunctions(_ functions: [ElementFunction], for group: NodeGroup) -> Bool {
    let input = dense(group.inputs[0])
    guard let layout = input.layout else { return false }
    let primitives = functions.compactMap { Primitive.elementwise($0, layout) }
    guard primitives.count == functions.count else { return false }
    let output = makeElementwiseTarget(input, group, layout)
    var source = input.storage
    for primitive in primitives {
      add(primitive, [(onednn_role_source, source), (onednn_role_target, output.storage)])
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
    add(reorder, [(onednn_role_source, tensor.storage), (onednn_role_target, copy.storage)])
    return copy
  }
}

extension KernelMemory {
  /// Computes a function of each element, in parts that threads share.
  fileprivate func apply(
    _ function: @Sendable (Double) -> Double, from source: Storage, to target: Storage, count: Int
  ) {
    // Both storages have room for `count` elements, and no two parts overlap.
    nonisolated(unsafe) let from = self[source].assumingMemoryBound(to: Float.self)
    nonisolated(unsafe) let to = self[target].assumingMemoryBound(to: Float.self)
    let size = 1 << 14
    OneDNN.parallel((count + size - 1) / size) { part in
      for index in part * size..<min(count, (part + 1) * size) {
        to[index] = Float(function(Double(from[index])))
      }
    }
  }
}
