package import Bytes
package import GraphIR

/// The product of matrices: the sum over k of first[i, k] · second[k, j].
///
/// - first: `[..., rows, inner]`, or `[..., inner, rows]` where it is transposed
/// - second: `[..., inner, columns]`, or `[..., columns, inner]` where it is transposed; of the
///   first's rank
/// - output: `[..., rows, columns]`; along each of the leading axes the extents are equal or 1, and
///   the output has the one that is not 1, if there is one
package struct MatrixProduct: CatalogOperator {
  /// Whether the last two axes of the first tensor are swapped.
  package let transposesFirst: Bool
  /// Whether the last two axes of the second tensor are swapped.
  package let transposesSecond: Bool

  package static let kind = "matrix_product"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("first"), .data("second")] }

  package var attributes: Attributes {
    [
      "transposes_first": .flag(transposesFirst), "transposes_second": .flag(transposesSecond),
    ]
  }

  /// Makes the operator.
  package init(transposesFirst: Bool, transposesSecond: Bool) {
    self.transposesFirst = transposesFirst
    self.transposesSecond = transposesSecond
  }
}

extension MatrixProduct {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    transposesFirst = try attributes.flag("transposes_first")
    transposesSecond = try attributes.flag("transposes_second")
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (first, second) = (inputs[0], inputs[1])
    guard first.elementType == second.elementType, first.elementType.isFloat,
      first.rank == second.rank, first.rank >= 2
    else {
      throw ShapeError(
        "takes matrices of floating-point numbers, of one type and rank, and has \(first) and "
          + "\(second)")
    }
    let (rows, inner) = Self.extents(first.shape, isTransposed: transposesFirst)
    let (other, columns) = Self.extents(second.shape, isTransposed: transposesSecond)
    guard inner.agrees(with: other) else {
      throw ShapeError("\(first) and \(second) cannot be multiplied: \(inner) is not \(other)")
    }
    let outer = try Broadcasting.outputTypeOfAny(
      inputs.map { $0.with(shape: Array($0.shape.dropLast(2))) })
    return [outer.with(shape: outer.shape + [rows, columns])]
  }

  /// The last two extents, in the order in which they are multiplied.
  private static func extents<Extent>(
    _ shape: [Extent], isTransposed: Bool
  ) -> (Extent, Extent) {
    let (last, other) = (shape[shape.count - 1], shape[shape.count - 2])
    return isTransposed ? (last, other) : (other, last)
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let outer = Array(shape.dropLast(2))
    // Rows of the first and columns of the second lie side by side.
    let firsts = Self.matrices(inputs[0], outer, isTransposed: transposesFirst)
    let seconds = Self.matrices(inputs[1], outer, isTransposed: !transposesSecond)
    let (rows, inner) = Self.extents(inputs[0].shape, isTransposed: transposesFirst)
    let columns = shape[shape.count - 1]
    let count = outer.reduce(rows, *)
    let sums = workers.map(count) { row in
      (0..<columns).map { column in
        let (start, other) = (row * inner, (row / rows * columns + column) * inner)
        return (0..<inner).reduce(0.0) { $0 + firsts[start + $1] * seconds[other + $1] }
      }
    }
    return [Tensor(inputs[0].elementType, shape: shape, sums.flatMap { $0 })]
  }

  /// The elements of all matrices, repeated along the leading axes, maybe transposed.
  private static func matrices(
    _ input: Tensor, _ outer: [Int], isTransposed: Bool
  ) -> [Double] {
    let rank = input.shape.count
    let matrices = input.broadcast(to: outer + input.shape.suffix(2))
    let axes = Array(0..<rank - 2) + (isTransposed ? [rank - 1, rank - 2] : [rank - 2, rank - 1])
    return matrices.permuted(axes).doubles
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// The last two axes have meanings of their own.
  package func permutingAxes(_ axes: [Int]) -> MatrixProduct? {
    axes.suffix(2) == [axes.count - 2, axes.count - 1] ? self : nil
  }

  package var decomposition: Decomposition { .primitive }

  package static let keras = SourceMapping<KerasMapping>.unsupported(
    "Keras has it as the operation `matmul`")
}
