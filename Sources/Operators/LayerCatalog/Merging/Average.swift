import Bytes
import GraphIR

/// The mean of tensors, element by element.
///
/// - inputs: two or more of the same rank, with sizes that are equal or 1 along each axis
/// - output: the inputs' shape after broadcasting
package struct Average: BroadcastingOperator {
  package static let kind = "average"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>.merging(
    "y = (input 0 + input 1 + ...) / (number of inputs)", elements: .float)

  /// Creates the operator.
  package init() {}
}

extension Average {
  package func combine(_ element: Double, _ next: Double) -> Double { element + next }

  /// The mean of integers need not be an integer.
  package var takesIntegers: Bool { false }

  package func finish(_ element: Double, count: Int) -> Double { element / Double(count) }

  package var decomposition: Decomposition {
    Composition.of { (make) throws(WeighbridgeError) in
      let sum = try make.apply(Add(), make.inputs)
      return try make.linear(sum, scale: 1 / Double(make.inputs.count))
    }
  }
}
