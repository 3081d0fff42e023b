import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Determinants (ONNX, Operators.md, Det), by Gaussian elimination with the largest element of each column
/// as pivot, as LAPACK's.
extension ONNXLayer {
  /// The largest matrix whose elimination is added step by step.
  private static let largestMatrix = 64

  /// Adds the determinants of the matrices in the last two axes.
  mutating func determinant() throws(WeighbridgeError) -> ONNXValue {
    let input = try input()
    let shape = type(input).shape
    guard shape.count >= 2, let size = shape.last?.value, shape[shape.count - 2].value == size,
      (1...Self.largestMatrix).contains(size),
      shape.dropLast(2).count(where: { $0.value == nil }) <= 1
    else {
      throw unsupported(
        "takes the determinants of \(type(input)), and only square matrices of 1 to \(Self.largestMatrix) rows, of which "
          + "one number may be unknown, can be read")
    }
    let known = shape.dropLast(2).compactMap(\.value)
    let count: ReshapeAxes.Size =
      known.count == shape.count - 2 ? .fixed(try Checked.product(known, of: "a batch")) : .rest
    var matrices = try apply(
      ReshapeAxes([count, .fixed(size), .fixed(size)]), to: input, role: "matrices")
    var product: ONNXValue?
    for step in 0..<size {
      let role = "step_\(step)"
      let (pivot, rest) = try eliminated(matrices, size: size - step, role)
      product =
        try product.map { (product) throws(WeighbridgeError) in
          try apply(Multiply(), to: product, pivot, role: "\(role)/product")
        } ?? pivot
      if let rest { matrices = rest }
    }
    let sizes = shape.dropLast(2).map { $0.value.map { ReshapeAxes.Size.fixed($0) } ?? .rest }
    return try apply(ReshapeAxes(sizes), to: product ?? matrices)
  }

  /// Subtracts multiples of the row with the largest first element from the others.
  ///
  /// - Returns: That element, with the sign of the exchange of this row and the first, `[batch, 1]`, and
  ///   the other rows and columns; `nil` if there are none.
  private mutating func eliminated(
    _ matrices: ONNXValue, size: Int, _ role: String
  ) throws(WeighbridgeError) -> (pivot: ONNXValue, rest: ONNXValue?) {
    func range(_ axis: Int, _ start: Int, _ stop: Int) -> Slice {
      Slice([Slice.Range(axis: axis, start: start, stop: stop, step: 1)])
    }
    guard size > 1 else {
      return (try apply(Squeeze(axes: [2]), to: matrices, role: "\(role)/pivot"), nil)
    }
    let heads = try apply(range(2, 0, 1), to: matrices, role: "\(role)/heads")
    let sizes = try apply(
      UnaryMath(.absolute), to: try apply(Squeeze(axes: [2]), to: heads, role: "\(role)/column"),
      role: "\(role)/sizes")
    let place = try apply(
      ArgMax(axis: 1, keepDims: true, elementType: .int64), to: sizes, role: "\(role)/place")
    let pivotRow = try apply(
      Gather(axis: 1, batchAxes: 1), to: matrices, place, role: "\(role)/pivot_row")
    // The first row takes the place of that of the pivot.
    let numbers = newConstant(
      Tensor(.int64, shape: [1, size - 1], (1..<size).map(Double.init)), "\(role)/numbers")
    let isPivot = try apply(
      ExpandDims(axes: [2]),
      to: try apply(Comparison(.equal), to: numbers, place, role: "\(role)/is_pivot"),
      role: "\(role)/is_pivot_row")
    let others = try apply(
      Where(), to: isPivot, try apply(range(1, 0, 1), to: matrices, role: "\(role)/first"),
      try apply(range(1, 1, size), to: matrices, role: "\(role)/following"),
      role: "\(role)/others")
    let pivot = try apply(range(2, 0, 1), to: pivotRow, role: "\(role)/largest")
    // A pivot of 0 means a column of zeros, of which no multiple is to be subtracted.
    let isZero = try apply(
      Comparison(.equal), to: pivot, number(0, like: pivot, "zero"), role: "\(role)/is_zero")
    let divisor = try apply(
      Where(), to: isZero, number(1, like: pivot, "one"), pivot, role: "\(role)/divisor")
    let factors = try apply(
      BinaryMath(.divide), to: try apply(range(2, 0, 1), to: others, role: "\(role)/tops"),
      divisor, role: "\(role)/factors")
    let multiples = try apply(
      Multiply(), to: factors, try apply(range(2, 1, size), to: pivotRow, role: "\(role)/pivots"),
      role: "\(role)/multiples")
    let rest = try apply(
      Subtract(), to: try apply(range(2, 1, size), to: others, role: "\(role)/tails"), multiples,
      role: "\(role)/rest")
    let value = try apply(Squeeze(axes: [2]), to: pivot, role: "\(role)/value")
    let isFirst = try apply(
      Comparison(.equal), to: place, number(0, like: place, "first"), role: "\(role)/is_first")
    let signed = try apply(
      Where(), to: isFirst, value,
      try apply(UnaryMath(.negative), to: value, role: "\(role)/negative"),
      role: "\(role)/pivot")
    return (signed, rest)
  }
}
