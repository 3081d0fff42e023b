package import Bytes
package import GraphIR

/// An operator with everything there is to know about it, in one file.
///
/// The members stand in this order in each file: the settings (typed, without defaults), how they
/// are stored, the definition as data, the shape rule, the reference kernel with its tolerance, the
/// cost, the layout rule, the decomposition.
package protocol CatalogOperator: Operator {
  /// The definition as data: inputs, outputs, attributes, formula.
  static var definition: OperatorDefinition { get }

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

extension PlainOperator {
  package var attributes: Attributes { [:] }

  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) { self.init() }
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
