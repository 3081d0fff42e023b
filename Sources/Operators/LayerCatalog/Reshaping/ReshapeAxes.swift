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
    /// The remaining size; for at most one axis.
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
        "shape", \.shape, "The sizes of all axes, that of the batch included, or -1.", .atLeast(-1)
      ).explained(by: .sizes),
      .integers(
        "input_axes", \.inputAxes, "An axis of the input whose size is taken, or -1.", .atLeast(-1),
        .countOf("shape"),
        .rule("-1 where shape is not -1; at most one entry has -1 in both lists")
      ).explained(by: .axes)))

  /// Makes the operator.
  package init(_ sizes: [Size]) { self.sizes = sizes }
}

extension ReshapeAxes {
  /// The sizes in their stored form, -1 for others.
  private var shape: [Int] { sizes.map { if case .fixed(let size) = $0 { size } else { -1 } } }

  /// The input's axes in their stored form, -1 for others.
  private var inputAxes: [Int] { sizes.map { if case .axis(let axis) = $0 { axis } else { -1 } } }

  /// Makes the operator from two lists: for each axis, one of them gives the size, or neither for
  /// the remaining size.
  private static func make(
    _ shape: [Int], _ sources: [Int]
  ) throws(WeighbridgeError) -> ReshapeAxes {
    let pairs = zip(shape, sources)
    guard pairs.allSatisfy({ $0 < 0 || $1 < 0 }), pairs.count(where: { $0 < 0 && $1 < 0 }) <= 1
    else {
      throw .malformed("the target \(shape) and the axes \(sources)")
    }
    return ReshapeAxes(
      pairs.map { size, axis in axis >= 0 ? .axis(axis) : size >= 0 ? .fixed(size) : .rest })
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    var (known, sources): ([Dimension], Set<Int>) = ([], [])
    for size in sizes {
      switch size {
      case .fixed(let value): known.append(.fixed(value))
      case .axis(let axis):
        guard axis < input.rank else { throw ShapeError("has no axis \(axis): \(input)") }
        known.append(input.shape[axis])
        sources.insert(axis)
      case .rest: break
      }
    }
    let (total, product) = (try Dimension.product(input.shape), try Dimension.product(known))
    let rest = sizes.contains(.rest) ? try rest(of: input, known, total, product) : nil
    if rest == nil, !total.agrees(with: product) {
      throw ShapeError("\(total) elements of \(input) do not fit \(known), which takes \(product)")
    }
    return [
      input.with(
        shape: sizes.map { size in
          switch size {
          case .fixed(let value): .fixed(value)
          case .axis(let axis): input.shape[axis]
          case .rest: rest ?? .unknown
          }
        })
    ]
  }

  /// The remaining size: known when all others are, or when the unknown sizes of both sides cancel.
  private func rest(
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
    var open = input.shape.filter { $0.value == nil }
    for dimension in known where dimension.value == nil {
      guard let index = open.firstIndex(of: dimension), dimension != .unknown else {
        return .unknown
      }
      open.remove(at: index)
    }
    let numbers = try Dimension.product(input.shape.filter { $0.value != nil })
    let taken = try Dimension.product(known.filter { $0.value != nil })
    guard let have = numbers.value, let need = taken.value, need > 0, have > 0 else {
      return .unknown
    }
    // If no unknown size has cancelled with 0, the quotient is the remaining size.
    if open.isEmpty, have % need == 0 { return .fixed(have / need) }
    return open.count == 1 && have == need ? open[0] : .unknown
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
