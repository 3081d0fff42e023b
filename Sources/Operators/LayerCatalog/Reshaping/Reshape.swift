package import Bytes
package import GraphIR

/// Reshapes the input in row-major order, keeping the batch axis.
///
/// - input: `[batch, ...]`
/// - output: `[batch, shape...]`
package struct Reshape: FormulaOperator, ExactOperator {
  /// The sizes after the batch axis; one of them may be -1 and is inferred.
  package let target: [Int]

  package static let kind = "reshape"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "The same elements in row-major order; the output has the shape [batch, shape...].",
    of: .any,
    attributes: AttributeSchema(
      Self.init(target:),
      .integers(
        "shape", \.target, "The sizes after the batch axis; one may be -1.", .atLeast(-1),
        .atMostOnce(-1)
      ).explained(by: .sizes)))

  /// Creates the operator.
  package init(target: [Int]) {
    self.target = target
  }
}

extension Reshape {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard let batch = input.shape.first else { throw ShapeError("has no batch axis: \(input)") }
    let dimensions = input.shape.dropFirst()
    let known = try Dimension.product(target.filter { $0 >= 0 }.map(Dimension.fixed))
    let total = try Dimension.product(dimensions)
    let inferred =
      target.contains(-1)
      ? try inferredSize(of: Array(dimensions), known: known.value ?? 0, total: total) : nil
    if inferred == nil, !total.agrees(with: known) {
      throw ShapeError(
        "\(total) elements of \(input) do not fit \(target), which takes \(known)")
    }
    return [input.with(shape: [batch] + target.map { $0 < 0 ? inferred ?? .unknown : .fixed($0) })]
  }

  /// The size for -1. It is the input's unknown size if the known sizes of input and output cancel.
  private func inferredSize(
    of dimensions: [Dimension], known: Int, total: Dimension
  ) throws(ShapeError) -> Dimension {
    guard let total = total.value else {
      let unknown = dimensions.filter { $0.value == nil }
      let fixed = try Dimension.product(dimensions.filter { $0.value != nil })
      return unknown.count == 1 && fixed.value == known ? unknown[0] : .unknown
    }
    guard known > 0, total % known == 0 else {
      throw ShapeError("\(total) elements do not fit \(target)")
    }
    return .fixed(total / known)
  }

  package func permutingAxes(_ axes: [Int]) -> Reshape? {
    axes == Array(0..<target.count + 1) ? self : nil
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let shape: [Dimension]
    do throws(ShapeError) {
      shape = try outputTypes(of: [make.type(make.inputs[0])])[0].shape
    } catch { throw .malformed(error.reason) }
    // A size that is known does not depend on the batch, which may be empty.
    let sizes = shape.dropFirst().map { $0.value.map { ReshapeAxes.Size.fixed($0) } ?? .rest }
    return try make(ReshapeAxes([.axis(0)] + sizes), make.inputs[0])
  }
}
