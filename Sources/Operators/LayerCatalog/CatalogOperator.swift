package import Bytes
package import GraphIR

/// An operator with its complete definition, in one file.
///
/// In each file, the members are in this order: the settings (typed, without defaults), the
/// declaration, the shape rule, the reference kernel with its tolerance, the cost, the layout rule,
/// the decomposition. The protocols below define what many operators have in common.
package protocol CatalogOperator: Operator {
  /// The first version that means the same, up to rounding, and is read as well; by default ``version``.
  static var earliestVersion: Int { get }

  /// The inputs, outputs, formula and attributes: their meaning and their stored form.
  static var declaration: OperatorDeclaration<Self> { get }

  /// The reference kernel. It *defines* the operator: simple, accumulating in `Double`, rounding
  /// only its outputs.
  ///
  /// - Parameters:
  ///   - inputs: One tensor for each slot; their types have passed the shape rule.
  ///   - workers: The threads that it may use.
  /// - Returns: Tensors of exactly the types given by the shape rule.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an element is invalid (such as an index out
  ///   of range).
  func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor]

  /// The allowed difference between another implementation and the reference kernel, in float32.
  var tolerance: Tolerance { get }

  /// The number of floating-point operations.
  var cost: OperatorCost { get }

  /// The layout rule: the operator that computes the same outputs, transposed, from transposed data
  /// inputs; `nil` if there is none, so that the data must be transposed back.
  ///
  /// - Parameter axes: Axis `i` of the new operator's data is axis `axes[i]` of this one's.
  func permutingAxes(_ axes: [Int]) -> Self?

  /// The same computation by other operators, for engines and formats that lack this one.
  var decomposition: Decomposition { get }
}

extension CatalogOperator {
  package static var earliestVersion: Int { version }
}

/// An operator on image tensors, whose data has one of two axis orders.
package protocol ImageOperator: CatalogOperator {
  /// The order of the axes of its data.
  var layout: DataLayout { get }
}

/// An operator with a weight that has the axes of its data except the batch, so that it must be
/// transposed together with the data.
package protocol PositionWeightedOperator: CatalogOperator {
  /// The index of that weight among the inputs.
  static var positionWeight: Int { get }
}

/// An operator without settings.
package protocol PlainOperator: CatalogOperator {
  /// Creates the operator.
  init()
}

/// An operator that is not composed of others: every engine and every target must implement it.
package protocol PrimitiveOperator: CatalogOperator {}

extension PrimitiveOperator {
  package var decomposition: Decomposition { .primitive }
}

/// An operator whose output has a size that depends on the elements of its inputs: its shape rule leaves it
/// unknown, and it is known only when the model runs.
package protocol DataDependentOperator: PrimitiveOperator {}

/// An operator that only moves, counts or compares elements. Nothing is rounded, so every
/// implementation has the same results.
package protocol ExactOperator: CatalogOperator {}

extension ExactOperator {
  package var tolerance: Tolerance { Tolerance(absolute: 0, relative: 0) }

  package var cost: OperatorCost { .elements }
}

/// An operator that computes each element of its output with a few floating-point operations, which
/// implementations round differently.
package protocol ArithmeticOperator: CatalogOperator {}

extension ArithmeticOperator {
  package var tolerance: Tolerance { .standard(for: .float32) }

  package var cost: OperatorCost { .elements }
}

// The members that follow from the declaration.
extension CatalogOperator {
  /// The definition as data.
  package static var definition: OperatorDefinition { declaration.definition }

  package var inputs: [InputSlot] { Self.declaration.inputs(of: self) }

  package var attributes: Attributes { Self.declaration.schema.attributes(of: self) }

  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    self = try Self.declaration.schema.read(&attributes)
  }

  /// Why the settings are invalid; `nil` if they are valid.
  package var problem: String? { Self.declaration.schema.problem(of: self) }
}

extension CatalogOperator {
  /// Whether it is not composed of other operators.
  package var isPrimitive: Bool {
    if case .primitive = decomposition { true } else { false }
  }
}

/// How an operator is composed of others.
package enum Decomposition: Sendable {
  /// It is not: every engine and every target must implement the operator.
  case primitive
  /// Adds nodes for the same computation to a graph and returns the values that take the place of
  /// the operator's outputs. Each node gets the source of the node that is replaced.
  case nodes(
    @Sendable (
      _ graph: inout GraphBuilder, _ inputs: [ValueID], _ source: SourceScope
    ) throws(WeighbridgeError) -> [ValueID])
}
