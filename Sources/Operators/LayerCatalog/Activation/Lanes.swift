import Bytes
package import GraphIR

/// An operator that computes each lane of its output from the same lane of its input. A lane
/// consists of the elements that differ only in their indices along `axes`.
package protocol LanewiseOperator: ArithmeticOperator {
  /// The axes of a lane, ascending, at least one.
  var axes: [Int] { get }

  /// Creates an operator with the same settings for other axes.
  init(axes: [Int])
}

extension OperatorDeclaration where Operation: LanewiseOperator {
  /// Declares an operator that computes each lane y[i] from the lane x[i].
  ///
  /// - Parameter axes: The meaning of its axes.
  static func lanewise(_ formula: String, _ axes: String) -> OperatorDeclaration {
    OperatorDeclaration(
      formula, of: .float,
      attributes: AttributeSchema(Operation.init(axes:), .axes(\.axes, axes)), concepts: [.lanes])
  }
}

extension LanewiseOperator {
  /// The shape rule: the input's type.
  func laneTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat, axes.allSatisfy(inputs[0].shape.indices.contains) else {
      throw ShapeError("takes floating-point numbers with axes \(axes), not \(inputs[0])")
    }
    return [inputs[0]]
  }

  package func permutingAxes(_ order: [Int]) -> Self? {
    Self(axes: order.indices.filter { axes.contains(order[$0]) })
  }
}

extension LanewiseOperator where Self: CompositeOperator {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    try laneTypes(of: inputs)
  }
}

extension Tensor {
  /// A tensor of the same shape, computed lane by lane. A lane consists of the elements that differ
  /// only in their indices along `axes`.
  ///
  /// - Parameters:
  ///   - axes: At least one; a lane's elements are in row-major order of these axes.
  ///   - transform: Computes the new lane, of the same length.
  func mappingLanes(
    along axes: [Int], workers: Workers, _ transform: @Sendable (ArraySlice<Double>) -> [Double]
  ) -> Tensor {
    let order = shape.indices.filter { !axes.contains($0) } + axes
    let transposed = permuted(order)
    let elements = transposed.doubles
    let size = axes.map { shape[$0] }.reduce(1, *)
    let lanes = workers.mapInBatches(size == 0 ? 0 : elements.count / size) { index in
      transform(elements[index * size..<(index + 1) * size])
    }
    let inverse = order.inversePermutation
    return Tensor(elementType, shape: transposed.shape, lanes.flatMap { $0 }).permuted(inverse)
  }
}
