package import Bytes
package import GraphIR

/// A tensor of given sizes filled with one value.
///
/// - sizes: integers of 0 or more, `[axes]`, a known number of axes
/// - output: these sizes, in `element_type`
///
/// The sizes are known only when the model runs.
package struct Fill: ExactOperator, DataDependentOperator {
  /// Every element of the output.
  package let value: Double
  /// The element type of the output.
  package let elementType: ElementType

  package static let kind = "fill"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = value, in element_type, for every index of a tensor whose size along axis i is sizes[i]
    A size below 0 is an error.
    """,
    inputs: [.data("sizes", .integer)],
    outputs: [.ofElementType],
    attributes: AttributeSchema(
      Self.init(value:elementType:),
      .real("value", \.value, "Every element of the output."),
      .elementType(\.elementType)))

  /// Creates the operator.
  package init(value: Double, elementType: ElementType) {
    (self.value, self.elementType) = (value, elementType)
  }
}

extension Fill {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [TensorType(elementType, try Self.sizes(inputs[0]))]
  }

  /// The unknown sizes that a list of integers gives when the model runs.
  static func sizes(_ list: TensorType) throws(ShapeError) -> [Dimension] {
    guard list.rank == 1, let rank = list.shape[0].value, rank <= 64, list.elementType.isInteger
    else {
      throw ShapeError("takes a list of at most 64 sizes as integers, not \(list)")
    }
    return [Dimension](repeating: .unknown, count: rank)
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    do throws(ShapeError) { _ = try outputTypes(of: inputs.map(\.type)) } catch {
      throw .mismatch(error.reason)
    }
    let sizes = inputs[0].wrappedIntegers.map { Int($0) }
    guard sizes.allSatisfy({ $0 >= 0 }) else {
      throw .mismatch("makes a tensor of the shape \(sizes), and sizes are 0 or more")
    }
    _ = try Checked.product(sizes + [8], of: "the size of the output")
    let one = Tensor(elementType, shape: sizes.map { _ in 1 }, [value])
    return [one.broadcast(to: sizes)]
  }

  /// The input has one axis.
  package func permutingAxes(_ axes: [Int]) -> Fill? { nil }
}
