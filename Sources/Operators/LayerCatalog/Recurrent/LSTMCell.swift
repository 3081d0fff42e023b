import Bytes
import GraphIR

/// The cell of long short-term memory, of vectors or of images. Its gates are input, forget,
/// candidate and output; its states are the output h and the cell state c.
package protocol LSTMCell: CatalogOperator {
  /// The activation of the candidates and of the cell state.
  var activation: CellActivation { get }
  /// The activation of the gates.
  var recurrentActivation: CellActivation { get }
}

extension LSTMCell {
  /// The names of the states.
  package static var stateNames: [String] { ["h", "c"] }

  /// Returns the states h and c after a step, from the sums of the gates and the previous c.
  func states(_ sums: [Double], cell: [Double]) -> [[Double]] {
    let units = cell.count
    let input = recurrentActivation.apply(sums[0..<units])
    let forget = recurrentActivation.apply(sums[units..<2 * units])
    let candidate = activation.apply(sums[2 * units..<3 * units])
    let output = recurrentActivation.apply(sums[3 * units..<4 * units])
    let cell = cell.indices.map { forget[$0] * cell[$0] + input[$0] * candidate[$0] }
    return [zip(output, activation.apply(cell[...])).map(*), cell]
  }

  /// Adds nodes for the states h and c after a step, from the sums of the gates along an axis and
  /// the previous c.
  func states(
    _ sums: ValueID, cell: ValueID, axis: Int, _ make: inout Composition
  ) throws(WeighbridgeError) -> [ValueID] {
    let gates = try make.split(sums, into: 4, axis: axis)
    let input = try make(recurrentActivation.operation, gates[0])
    let forget = try make(recurrentActivation.operation, gates[1])
    let candidate = try make(activation.operation, gates[2])
    let output = try make(recurrentActivation.operation, gates[3])
    let kept = try make.product(forget, cell)
    let cell = try make.sum(kept, try make.product(input, candidate))
    return [try make.product(output, try make(activation.operation, cell)), cell]
  }
}
