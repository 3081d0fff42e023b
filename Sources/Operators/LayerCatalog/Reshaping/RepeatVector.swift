package import Bytes
package import GraphIR

/// Repeats a vector as the steps of a sequence.
///
/// - input: `[batch, features]`
/// - output: `[batch, repeats, features]`
package struct RepeatVector: FormulaOperator, ExactOperator {
  /// The number of repetitions, 1 to 2^24.
  package let count: Int

  package static let kind = "repeat_vector"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "output[n, t, f] = input[n, f]",
    of: .any,
    attributes: AttributeSchema(
      Self.init(count:),
      .integer("repeats", \.count, "The number of steps of the output.", .atLeast(1), .sizeLimit)))

  /// Creates the operator.
  package init(count: Int) {
    self.count = count
  }
}

extension RepeatVector {
  package func permutingAxes(_ axes: [Int]) -> RepeatVector? { nil }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let type = make.type(make.inputs[0])
    guard type.rank == 2 else { throw .malformed("takes [batch, features], not \(type)") }
    return try make(Tile(counts: [1, count, 1]), try make(ExpandDims(axes: [1]), make.inputs[0]))
  }
}
