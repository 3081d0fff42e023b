package import Bytes
package import GraphIR

/// The index of the interval that contains each element.
///
/// - input: any shape, numbers of any type
/// - output: the same shape, integers: the number of boundaries that are not above the element; for
///   NaN the number of all boundaries
package struct Discretization: FormulaOperator, ExactOperator {
  /// The boundaries of the intervals, non-decreasing; each belongs to the interval above it.
  package let boundaries: [Double]
  /// The type of the output: int32 or int64.
  package let outputType: ElementType

  package static let kind = "discretization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = the position of the first boundary above x; the number of boundaries if none is",
    inputs: [.data("input", .any)],
    outputs: [.ofElementType],
    attributes: AttributeSchema(
      Self.init(boundaries:outputType:),
      .reals(
        "boundaries", \.boundaries,
        """
        The intervals' boundaries; each belongs to the interval above it.
        """, .notNaN, .nonDecreasing),
      .elementType(\.outputType, among: [.int32, .int64])))

  /// Creates the operator.
  package init(boundaries: [Double], outputType: ElementType) {
    self.boundaries = boundaries
    self.outputType = outputType
  }
}

extension Discretization {
  package func permutingAxes(_ axes: [Int]) -> Discretization? { self }

  /// The type in which numbers of a type are compared with the boundaries, and the boundaries as
  /// numbers of it: one of float32 is below a boundary if it is below the next number of float32.
  package func comparison(
    with inputType: ElementType
  ) -> (type: ElementType, boundaries: [Double]) {
    let isNarrow = inputType.byteCount <= 2 || inputType == .float32
    return isNarrow ? (.float32, boundaries.map(\.roundedUpToFloat)) : (.float64, boundaries)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (x, rank) = (make.inputs[0], make.type(make.inputs[0]).rank)
    let shape = [Int](repeating: 1, count: rank) + [boundaries.count]
    let (type, boundaries) = comparison(with: make.type(x).elementType)
    let edges = try make.constant(Tensor(type, shape: shape, boundaries))
    let column = try make(ExpandDims(axes: [rank]), try make(Cast(to: type), x))
    // No boundary is above NaN.
    let isReached = try make(LogicalNot(), try make(Comparison(.less), column, edges))
    let counts = try make(Cast(to: outputType), isReached)
    return try make(Reduce(.sum, axes: [rank], keepDims: false), counts)
  }
}

extension Double {
  /// The smallest number of float32 that is not below.
  fileprivate var roundedUpToFloat: Double {
    let nearest = Float(self)
    return Double(Double(nearest) < self ? nearest.nextUp : nearest)
  }
}
