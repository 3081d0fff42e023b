package import Bytes
package import GraphIR

/// Reshapes the input in row-major order, including the first axis.
///
/// - input: any shape and element type
/// - output: one axis for each entry of `shape`
package struct ReshapeAxes: ExactOperator, PrimitiveOperator {
  /// An axis of the output.
  package enum Size: Hashable, Sendable {
    /// A fixed size.
    case fixed(Int)
    /// The size of an axis of the input.
    case axis(Int)
    /// The size that is inferred from the others; for at most one axis.
    case rest
  }

  /// The axes of the output.
  package let sizes: [Size]

  package static let kind = "reshape_axes"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    The same elements in row-major order; the output has one axis for each entry i:
    size[i] = the input size of axis input_axes[i] if that is not -1
    size[i] = shape[i] if that is not -1
    size[i] = (number of elements) / (product of the other sizes) otherwise, at most once
    """,
    of: .any,
    attributes: AttributeSchema(
      Self.make,
      .integers(
        "shape", \.shape, "The sizes of all axes, including the batch axis, or -1.", .atLeast(-1)
      ).explained(by: .sizes),
      .integers(
        "input_axes", \.inputAxes, "The axis of the input whose size is used, or -1.", .atLeast(-1),
        .countOf("shape"),
        .rule("-1 where shape is not -1; at most one entry has -1 in both lists")
      ).explained(by: .axes)))

  /// Creates the operator.
  package init(_ sizes: [Size]) { self.sizes = sizes }
}

extension ReshapeAxes {
  /// The fixed sizes in their stored form; -1 for the other axes.
  private var shape: [Int] { sizes.map { if case .fixed(let size) = $0 { size } else { -1 } } }

  /// The input's axes in their stored form; -1 for the other axes.
  private var inputAxes: [Int] { sizes.map { if case .axis(let axis) = $0 { axis } else { -1 } } }

  /// Creates the operator from two lists. For each axis, one of them gives the size, or neither if
  /// the size is inferred.
  private static func make(
    _ shape: [Int], _ inputAxes: [Int]
  ) throws(WeighbridgeError) -> ReshapeAxes {
    let pairs = zip(shape, inputAxes)
    guard pairs.allSatisfy({ $0 < 0 || $1 < 0 }), pairs.count(where: { $0 < 0 && $1 < 0 }) <= 1
    else {
      throw .malformed("shape \(shape) and input_axes \(inputAxes) do not give each size once")
    }
    return ReshapeAxes(
      pairs.map { size, axis in axis >= 0 ? .axis(axis) : size >= 0 ? .fixed(size) : .rest })
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    var known: [Dimension] = []
    for size in sizes {
      switch size {
      case .fixed(let value): known.append(.fixed(value))
      case .axis(let axis):
        guard axis < input.rank else { throw ShapeError("has no axis \(axis): \(input)") }
        known.append(input.shape[axis])
      case .rest: break
      }
    }
    let (total, product) = (try Dimension.product(input.shape), try Dimension.product(known))
    let inferred = sizes.contains(.rest) ? try inferredSize(of: input, known, total, product) : nil
    if inferred == nil, !total.agrees(with: product) {
      throw ShapeError("\(total) elements of \(input) do not fit \(known), which takes \(product)")
    }
    return [
      input.with(
        shape: sizes.map { size in
          switch size {
          case .fixed(let value): .fixed(value)
          case .axis(let axis): input.shape[axis]
          case .rest: inferred ?? .unknown
          }
        })
    ]
  }

  /// The inferred size. It is known if all others are, or if the unknown sizes of input and output
  /// cancel.
  private func inferredSize(
    of input: TensorType, _ known: [Dimension], _ total: Dimension, _ product: Dimension
  ) throws(ShapeError) -> Dimension {
    if let total = total.value, let product = product.value {
      guard product > 0, total % product == 0 else {
        throw ShapeError(
          "\(total) elements of \(input) do not fit \(known) and one more dimension: \(total) is not a "
            + "multiple of \(product)")
      }
      return .fixed(total / product)
    }
    var unknown = input.shape.filter { $0.value == nil }
    for dimension in known where dimension.value == nil {
      guard let index = unknown.firstIndex(of: dimension), dimension != .unknown else {
        return .unknown
      }
      unknown.remove(at: index)
    }
    let inputProduct = try Dimension.product(input.shape.filter { $0.value != nil })
    let outputProduct = try Dimension.product(known.filter { $0.value != nil })
    guard let available = inputProduct.value, let taken = outputProduct.value, taken > 0,
      available > 0
    else { return .unknown }
    // The quotient is the inferred size, unless the unknown sizes that cancel are 0.
    if unknown.isEmpty, available % taken == 0 { return .fixed(available / taken) }
    return unknown.count == 1 && available == taken ? unknown[0] : .unknown
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    [inputs[0].reshaped(try outputShape(of: inputs))]
  }

  /// The order of the elements must not change.
  package func permutingAxes(_ axes: [Int]) -> ReshapeAxes? {
    axes == Array(axes.indices) && axes.count == sizes.count ? self : nil
  }
}
