package import Bytes
package import GraphIR

/// The matrix product: the sum over k of first[i, k] · second[k, j].
///
/// - first: `[..., rows, inner]`, or `[..., inner, rows]` where it is transposed
/// - second: `[..., inner, columns]`, or `[..., columns, inner]` where it is transposed; with the
///   first's rank
/// - output: `[..., rows, columns]`; along each leading axis, the sizes are equal or 1, and the
///   output has the one that is not 1, if there is one
package struct MatMul: PrimitiveOperator, IntegerOperator {
  /// Whether the last two axes of the first tensor are swapped.
  package let transposeA: Bool
  /// Whether the last two axes of the second tensor are swapped.
  package let transposeB: Bool
  package var overflow: IntegerOverflow?

  package static let kind = "matmul"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    a = first, with the last two axes swapped if transpose_a; b likewise
    y[..., i, j] = sum over k of a[..., i, k] * b[..., k, j]
    """,
    inputs: [.data("first", .number), .data("second", .same(as: "first"))],
    outputs: [.like("first")],
    attributes: AttributeSchema(
      Self.init(transposeA:transposeB:overflow:),
      .boolean(
        "transpose_a", \.transposeA, "Whether the last two axes of the first input are swapped."),
      .boolean(
        "transpose_b", \.transposeB, "Whether the last two axes of the second input are swapped."),
      .overflow(\.overflow)),
    concepts: [.broadcasting, .integers])

  /// Creates the operator.
  package init(transposeA: Bool, transposeB: Bool, overflow: IntegerOverflow? = nil) {
    self.transposeA = transposeA
    self.transposeB = transposeB
    self.overflow = overflow
  }
}

extension MatMul {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (first, second) = (inputs[0], inputs[1])
    guard first.elementType == second.elementType, first.elementType != .bool,
      first.rank == second.rank, first.rank >= 2
    else {
      throw ShapeError(
        "takes matrices of numbers, of one type and rank, not \(first) and \(second)")
    }
    let (rows, inner) = Self.dimensions(first.shape, isTransposed: transposeA)
    let (otherInner, columns) = Self.dimensions(second.shape, isTransposed: transposeB)
    guard inner.agrees(with: otherInner) else {
      throw ShapeError("\(first) and \(second) cannot be multiplied: \(inner) is not \(otherInner)")
    }
    let outer = try Broadcasting.outputTypeOfAny(
      inputs.map { $0.with(shape: Array($0.shape.dropLast(2))) })
    return [outer.with(shape: outer.shape + [rows, columns])]
  }

  /// The numbers of rows and columns: the last two sizes, swapped if the matrices are transposed.
  private static func dimensions<Dimension>(
    _ shape: [Dimension], isTransposed: Bool
  ) -> (Dimension, Dimension) {
    let (secondLast, last) = (shape[shape.count - 2], shape[shape.count - 1])
    return isTransposed ? (last, secondLast) : (secondLast, last)
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let type = inputs[0].elementType
    // The rows of the first and the columns of the second become contiguous.
    let outer = Array(shape.dropLast(2))
    let lhs = Self.matrices(inputs[0], outer, isTransposed: transposeA)
    let rhs = Self.matrices(inputs[1], outer, isTransposed: !transposeB)
    let product = MatrixProduct(
      count: outer.reduce(1, *), rowCount: shape[outer.count], columnCount: shape[outer.count + 1],
      length: lhs.shape[outer.count + 1])
    if wraps(type) {
      let sums = product.wrapped(lhs.wrappedIntegers, rhs.wrappedIntegers, workers: workers)
      return [Tensor(wrapping: type, shape: shape, sums)]
    }
    let sums = product.elements(try lhs.exactDoubles(), try rhs.exactDoubles(), workers: workers)
    return [try Tensor(type, shape: shape, sums, overflow: overflow)]
  }

  /// All matrices, broadcast along the leading axes, and transposed if required.
  private static func matrices(_ input: Tensor, _ outer: [Int], isTransposed: Bool) -> Tensor {
    let rank = input.shape.count
    let matrices = input.broadcast(to: outer + input.shape.suffix(2))
    let axes = Array(0..<rank - 2) + (isTransposed ? [rank - 1, rank - 2] : [rank - 2, rank - 1])
    return matrices.permuted(axes)
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Each element of the output is a sum over the inner axis.
  package var cost: OperatorCost {
    .products { [transposeA] inputs, outputs in
      [outputs[0] + [inputs[0][inputs[0].count - (transposeA ? 2 : 1)]]]
    }
  }

  /// Only the leading axes may be permuted.
  package func permutingAxes(_ axes: [Int]) -> MatMul? {
    axes.suffix(2) == [axes.count - 2, axes.count - 1] ? self : nil
  }
}
