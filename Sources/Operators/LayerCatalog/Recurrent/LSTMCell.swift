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
  ///
  /// - Parameters:
  ///   - sums: `[4, units, positions]`
  ///   - cell: `[units, positions]`
  ///   - positions: The number of pixels.
  func states(_ sums: [Double], cell: [Double], positions: Int = 1) -> [[Double]] {
    let size = cell.count
    func gate(_ index: Int, _ activation: CellActivation) -> [Double] {
      activation.apply(sums[index * size..<(index + 1) * size], positions: positions)
    }
    let (input, forget) = (gate(0, recurrentActivation), gate(1, recurrentActivation))
    let (candidate, output) = (gate(2, activation), gate(3, recurrentActivation))
    let cell = cell.indices.map { forget[$0] * cell[$0] + input[$0] * candidate[$0] }
    return [zip(output, activation.apply(cell[...], positions: positions)).map(*), cell]
  }

  /// Adds nodes for the states h and c after a step, from the sums of the gates along an axis and
  /// the previous c.
  func states(
    _ sums: ValueID, cell: ValueID, axis: Int, _ make: inout Composition
  ) throws(WeighbridgeError) -> [ValueID] {
    let gates = try make.split(sums, into: 4, axis: axis)
    let gate = recurrentActivation.placed(along: axis)
    let activation = activation.placed(along: axis)
    let (input, forget) = (try make(gate, gates[0]), try make(gate, gates[1]))
    let (candidate, output) = (try make(activation, gates[2]), try make(gate, gates[3]))
    let kept = try make.product(forget, cell)
    let cell = try make.sum(kept, try make.product(input, candidate))
    return [try make.product(output, try make(activation, cell)), cell]
  }
}
