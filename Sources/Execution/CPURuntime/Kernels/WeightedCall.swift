import CKernels
import GraphIR

/// A primitive with a source, weights and a bias that may choose their layouts: a convolution, a
/// transposed convolution, or a fully connected layer.
struct WeightedCall {
  /// Creates the primitive from layouts and post-operations.
  typealias MakePrimitive = (
    _ source: Layout, _ weights: Layout, _ bias: Layout?, _ target: Layout,
    _ post: kernels_post_operations
  ) -> OpaquePointer?

  let primitive: Primitive
  /// The source's layout with the graph's axes.
  private let source: Layout
  /// The target's layout with the graph's axes.
  private let target: Layout
  /// The weights with the primitive's axes.
  private let weights: Tensor
  private let folded: FoldedWeights

  /// Creates the primitive, which chooses layouts.
  ///
  /// - Parameters:
  ///   - source: The source with the primitive's axes; its order may be open.
  ///   - target: The target likewise.
  ///   - restore: Converts a layout to the graph's axes with the given shape.
  ///   - weights: The weights with the primitive's axes.
  ///   - folded: The bias, and the factors for the weights.
  /// - Returns: `nil` when there is no primitive for this.
  init?(
    _ group: NodeGroup, _ builder: PlanBuilder, source: Layout?, target: Layout?,
    restore: (Layout, _ shape: [Int]) -> Layout?, weights: Tensor, folded: FoldedWeights,
    _ makePrimitive: MakePrimitive
  ) {
    let (input, output) = (group.inputs[0], group.outputs[0])
    guard builder.rowMajorLayout(of: input) != nil, builder.rowMajorLayout(of: output) != nil,
      let source, let target, let anyWeights = Layout.any(weights.shape)
    else { return nil }
    let bias = folded.bias.flatMap { Layout.rowMajor([$0.count]) }
    let handle = unsafe group.postOperations.withOperations {
      unsafe makePrimitive(source, anyWeights, bias, target, $0)
    }
    guard let primitive = unsafe Primitive(owning: handle),
      let chosenSource = primitive.layout(kernels_role_source),
      let chosenTarget = primitive.layout(kernels_role_target),
      let source = restore(chosenSource, builder.shape(of: input)),
      let target = restore(chosenTarget, builder.shape(of: output))
    else { return nil }
    (self.primitive, self.source, self.target) = (primitive, source, target)
    (self.weights, self.folded) = (weights, folded)
  }

  /// Adds the steps: the source's reorder if it needs one, then the primitive.
  func add(to builder: inout PlanBuilder, _ group: NodeGroup) -> Bool {
    guard let constants = constants(of: group, &builder),
      let input = builder.tensor(group.inputs[0], as: source),
      let output = builder.makeTarget(group, target)
    else { return false }
    builder.add(
      primitive,
      [(kernels_role_source, input.storage), (kernels_role_target, output.storage)]
        + zip([kernels_role_weights, kernels_role_bias], constants))
    return true
  }

  /// Adds this call and a depthwise convolution of its result as one primitive.
  ///
  /// - Returns: Whether there is one.
  func add(to builder: inout PlanBuilder, with second: WeightedCall, _ group: NodeGroup) -> Bool {
    let handle = unsafe kernels_convolution_pair(primitive.handle, second.primitive.handle)
    guard let pair = unsafe Primitive(owning: handle, keeping: [primitive, second.primitive]),
      let constants = constants(of: group, &builder),
      let others = second.constants(of: group.depthwise[0], &builder),
      let input = builder.tensor(group.inputs[0], as: source)
    else { return false }
    let output = builder.makeTensor(group.outputs[0], layout: second.target)
    builder.add(
      pair,
      [(kernels_role_source, input.storage), (kernels_role_target, output.storage)]
        + zip([kernels_role_weights, kernels_role_bias], constants)
        + zip([kernels_role_second_weights, kernels_role_second_bias], others))
    return true
  }

  /// The weights, and the bias if there is one.
  private func constants(of group: NodeGroup, _ builder: inout PlanBuilder) -> [Storage]? {
    guard let layout = primitive.layout(kernels_role_weights),
      let weights = builder.weight(
        weights, group.inputs[1], as: layout, scales: folded.scales)
    else { return nil }
    return [weights] + (folded.bias.map { [builder.addConstant($0)] } ?? [])
  }
}

extension PlanBuilder {
  /// The memory for a group's result: new, or initialized with the summand.
  mutating func makeTarget(_ group: NodeGroup, _ layout: Layout) -> StoredTensor? {
    let id = group.outputs[0]
    guard let summand = group.summand else { return makeTensor(id, layout: layout) }
    guard let other = tensor(summand, as: layout) else { return nil }
    // A summand that is also a source must not be overwritten.
    return isFree(other, of: summand) && !group.inputs.contains(summand)
      ? share(other, as: id, layout: layout) : copy(other, as: id)
  }
}

extension NodeGroup {
  /// The operations on the first operator's result, as kernels take them.
  var postOperations: [PostOperation] {
    additions.flatMap { addition -> [PostOperation] in
      switch addition {
      case .functions(let functions): return functions.map(PostOperation.function)
      case .sum: return [.sum]
      }
    }
  }

  /// The tensor that is added, if there is one.
  var summand: ValueID? {
    for case .sum(let id, _) in additions { return id }
    return nil
  }
}
