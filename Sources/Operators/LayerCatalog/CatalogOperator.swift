package import Bytes
package import GraphIR

/// An operator with everything there is to know about it, in one file.
///
/// The members stand in this order in each file: the settings (typed, without defaults), the
/// declaration, the shape rule, the reference kernel with its tolerance, the cost, the layout rule,
/// the decomposition. What operators have in common is said by the protocols below.
package protocol CatalogOperator: Operator {
  /// The inputs, outputs, formula and attributes: what they mean, and how they are stored.
  static var declaration: OperatorDeclaration<Self> { get }

  /// The reference kernel. It *defines* the operator: plain, accumulating in `Double`, rounding
  /// only its outputs.
  ///
  /// - Parameters:
  ///   - inputs: One tensor for each slot; their types have passed the shape rule.
  ///   - workers: The threads it may use.
  /// - Returns: Tensors of exactly the types that the shape rule gives.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an element cannot be (an index too large).
  func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor]

  /// How far another implementation may lie from the reference kernel, in float32.
  var tolerance: Tolerance { get }

  /// How many floating-point operations it takes.
  var cost: OperatorCost { get }

  /// The layout rule: the operator that, given data inputs whose axes were put in another order,
  /// makes the same outputs in that order; `nil` when there is none and a transpose is needed.
  ///
  /// - Parameter axes: Axis `axes[i]` of this operator's data is axis `i` of the new one's.
  func permutingAxes(_ axes: [Int]) -> Self?

  /// How to compute the same with other operators, for engines and formats without this one.
  var decomposition: Decomposition { get }
}

/// An operator on tensors of images, whose data has one of two orders of the axes.
package protocol ImageOperator: CatalogOperator {
  /// The order of the axes of its data.
  var layout: DataLayout { get }
}

/// An operator with a weight that has the axes of its data but the batch, and so must follow when
/// these are put in another order.
package protocol PositionWeightedOperator: CatalogOperator {
  /// The position of that weight among the inputs.
  static var positionWeight: Int { get }
}

/// An operator without settings.
package protocol PlainOperator: CatalogOperator {
  /// Makes the operator.
  init()
}

/// An operator that is not made of others: every engine and every target needs it as it is.
package protocol PrimitiveOperator: CatalogOperator {}

extension PrimitiveOperator {
  package var decomposition: Decomposition { .primitive }
}

/// An operator that moves, counts or compares elements and computes nothing that could be rounded, so
/// that every implementation gives the same.
package protocol ExactOperator: CatalogOperator {}

extension ExactOperator {
  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }

  package var cost: OperatorCost { .elements }
}

/// An operator that computes each element of its output with a few operations on floating-point
/// numbers, which implementations round in their own ways.
package protocol ArithmeticOperator: CatalogOperator {}

extension ArithmeticOperator {
  package var tolerance: Tolerance { .standard(for: .float32) }

  package var cost: OperatorCost { .elements }
}

// What follows from the declaration.
extension CatalogOperator {
  /// The definition as data.
  package static var definition: OperatorDefinition { declaration.definition }

  package var inputs: [InputSlot] { Self.declaration.inputs(of: self) }

  package var attributes: Attributes { Self.declaration.schema.attributes(of: self) }

  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    self = try Self.declaration.schema.read(&attributes)
  }

  /// Why such settings cannot be, if they cannot.
  package var problem: String? { Self.declaration.schema.problem(of: self) }
}

/// How an operator is made of others.
package enum Decomposition: Sendable {
  /// It is not: every engine and every target needs it as it is.
  case primitive
  /// Adds nodes that compute the same to a graph, each with the source of the node that they stand
  /// for, and returns their outputs.
  case nodes(
    @Sendable (
      _ graph: inout GraphBuilder, _ inputs: [ValueID], _ source: SourceScope
    ) throws(WeighbridgeError) -> [ValueID])
}
