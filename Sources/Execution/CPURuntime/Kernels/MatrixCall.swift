import CKernels

/// Batched products of matrices `[count, rows, depth]` and `[count, depth, columns]`, all
/// row-major.
struct MatrixCall {
  private let primitive: Primitive

  /// - Parameter transposeB: Whether the second matrices are `[count, columns, depth]` instead.
  /// - Returns: `nil` when there is no primitive for this.
  init?(count: Int, rows: Int, depth: Int, columns: Int, transposeB: Bool = false) {
    let second =
      transposeB
      ? Layout.rowMajor([count, columns, depth])?.permuted([0, 2, 1])
      : Layout.rowMajor([count, depth, columns])
    guard let second, let first = Layout.rowMajor([count, rows, depth]),
      let target = Layout.rowMajor([count, rows, columns]),
      let primitive = unsafe Primitive(
        owning: kernels_product(first.handle, second.handle, target.handle))
    else { return nil }
    self.primitive = primitive
  }

  /// Adds the step.
  func add(
    to builder: inout PlanBuilder, _ first: Storage, _ second: Storage, into target: Storage
  ) {
    builder.add(
      primitive,
      [
        (kernels_role_source, first), (kernels_role_weights, second), (kernels_role_target, target),
      ])
  }
}
