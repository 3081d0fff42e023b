import CKernels
import GraphIR

/// A product with weights that a recurrent layer computes repeatedly: a matrix product or a
/// convolution.
struct RecurrentProduct {
  private let primitive: Primitive
  private let weights: Storage
  private let bias: Storage?

  /// Prepares the weights.
  ///
  /// - Parameters:
  ///   - weights: With the primitive's axes.
  ///   - bias: A number for each sum; none for no bias.
  /// - Returns: `nil` when there is no primitive for this.
  init?(
    _ primitive: Primitive?, _ weights: Tensor, _ id: ValueID, bias: [Float] = [],
    _ builder: inout PlanBuilder
  ) {
    guard let primitive, let layout = primitive.layout(kernels_role_weights),
      let storage = builder.weight(weights, id, as: layout)
    else { return nil }
    self.primitive = primitive
    self.weights = storage
    self.bias = bias.isEmpty ? nil : builder.addConstant(bias)
  }

  /// A product of `[rows, in]` and `[out, in]`, a matrix that is a weight.
  static func ofRows(
    _ rows: Int, _ weights: Tensor, _ id: ValueID, bias: [Float], _ builder: inout PlanBuilder
  ) -> RecurrentProduct? {
    guard let source = Layout.rowMajor([rows, weights.shape[1]]),
      let any = Layout.any(weights.shape), let target = Layout.rowMajor([rows, weights.shape[0]]),
      let biasLayout = Layout.rowMajor([bias.count])
    else { return nil }
    let handle = unsafe kernels_dense(
      source.handle, any.handle, biasLayout.handle, target.handle, kernels_post_operations())
    return unsafe RecurrentProduct(Primitive(owning: handle), weights, id, bias: bias, &builder)
  }

  /// Adds the step.
  func add(to builder: inout PlanBuilder, of source: Storage, into target: Storage) {
    builder.add(
      primitive,
      [
        (kernels_role_source, source), (kernels_role_weights, weights),
        (kernels_role_target, target),
      ] + (bias.map { [(kernels_role_bias, $0)] } ?? []))
  }
}
