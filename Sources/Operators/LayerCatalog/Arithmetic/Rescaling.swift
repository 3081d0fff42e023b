package import Bytes
package import GraphIR

/// y = x · scale + offset, computed in float64 and rounded once.
///
/// - input: any shape
/// - output: the same
///
/// Scale and offset are either single numbers for all elements, or have one number for each index
/// of the last axis.
package struct Rescaling: ArithmeticOperator, PointwiseOperator {
  /// The factor: one, or one for each index of the last axis.
  package let scale: [Double]
  /// The addend: one, or one for each index of the last axis.
  package let offset: [Double]

  package static let kind = "rescaling"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y[..., i] = x[..., i] * scale[i] + offset[i]; a list of one entry applies to every i",
    of: .float,
    attributes: AttributeSchema(
      Self.init(scale:offset:),
      .reals(
        "scale", \.scale, "The factor: one number, or one for each index of the last axis.",
        .minimumCount(1)),
      .reals(
        "offset", \.offset, "The summand: one number, or one for each index of the last axis.",
        .minimumCount(1))))

  /// Creates the operator.
  package init(scale: [Double], offset: [Double]) {
    self.scale = scale
    self.offset = offset
  }
}

extension Rescaling {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard input.elementType.isFloat else {
      throw ShapeError("takes floating-point numbers, not \(input)")
    }
    for numbers in [scale, offset] where numbers.count > 1 {
      guard let last = input.shape.last, last.agrees(with: .fixed(numbers.count)) else {
        throw ShapeError(
          "has \(numbers.count) factors or offsets, and needs one, or one for each element of "
            + "the last axis of \(input)")
      }
    }
    return [input]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    if let function = pointwise(inputs.map(\.elementType)) {
      return try evaluate(inputs, to: inputs[0].elementType, workers: workers, function)
    }
    var elements = inputs[0].doubles
    for index in elements.indices {
      // The last axis is the innermost, so the remainder is its index.
      elements[index] =
        elements[index] * scale[index % scale.count] + offset[index % offset.count]
    }
    return [Tensor(inputs[0].elementType, shape: inputs[0].shape, elements)]
  }

  package func pointwise(_ types: [ElementType]) -> PointwiseFunction? {
    guard scale.count == 1, offset.count == 1 else { return nil }
    return { [scale = scale[0], offset = offset[0]] in $0[0].map { $0 * scale + offset } }
  }

  package func permutingAxes(_ axes: [Int]) -> Rescaling? {
    let isUniform = scale.count == 1 && offset.count == 1
    return isUniform || axes.last == axes.count - 1 ? self : nil
  }

  package var decomposition: Decomposition {
    if scale.count == 1, offset.count == 1 { return .primitive }
    return Composition.of { [self] (make) throws(WeighbridgeError) in
      let type = make.type(make.inputs[0])
      let ones = [Int](repeating: 1, count: type.rank - 1)
      let factor = Tensor(type.elementType, shape: ones + [scale.count], scale)
      let addend = Tensor(type.elementType, shape: ones + [offset.count], offset)
      return try make.sum(
        try make.product(make.inputs[0], try make.constant(factor)), try make.constant(addend))
    }
  }
}
