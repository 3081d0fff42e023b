import CKernels
import LayerCatalog

/// A function of the units of one cell, in place.
typealias RowActivation = @Sendable (UnsafeMutableBufferPointer<Float>) -> Void

extension CellActivation {
  /// The activation of a row of units.
  var rowFunction: RowActivation {
    switch operation {
    case is Tanh: Self.function(kernels_function_tanh)
    case is Sigmoid: Self.function(kernels_function_logistic)
    case is Identity: { _ in }
    case let operation as any ElementwiseOperator: Self.function(operation)
    case let operation as any LanewiseOperator: Self.function(operation)
    default: { _ in }
    }
  }

  private static func function(_ function: kernels_function) -> RowActivation {
    { row in kernels_apply(function, 0, 0, row.baseAddress, Int64(row.count)) }
  }

  private static func function(_ operation: some ElementwiseOperator) -> RowActivation {
    { row in row.apply { Float(operation.apply(Double($0))) } }
  }

  private static func function(_ operation: some LanewiseOperator) -> RowActivation {
    { row in
      for (index, result) in operation.apply(row.map { Double($0) }[...]).enumerated() {
        row[index] = Float(result)
      }
    }
  }
}

/// A cell of a recurrent layer: what becomes of the sums of its gates.
enum RecurrentCell: Sendable {
  /// Of gates that are all computed at once, of the sums of the input's part and the state's.
  case joint(@Sendable (RecurrentRow) -> Void)
  /// Of the gates z, r, n, where the state's part of n's sum comes from a product of its own.
  case gru(RowActivation, gates: RowActivation, resetsAfter: Bool)
}

/// One row of a recurrent layer at one step.
struct RecurrentRow {
  /// The sums of the gates, one gate behind the other, which are lost.
  let sums: UnsafeMutablePointer<Float>
  /// The state h, which is replaced.
  let state: UnsafeMutablePointer<Float>
  /// The state c, which is replaced too, where there is one.
  var cellState: UnsafeMutablePointer<Float>?
  /// How many units each gate has.
  let units: Int

  func gate(_ number: Int) -> UnsafeMutableBufferPointer<Float> {
    UnsafeMutableBufferPointer(start: sums + number * units, count: units)
  }

  /// Computes the gates z and r of a GRU.
  ///
  /// - Parameters:
  ///   - stateSums: The state's part of their sums.
  ///   - product: Gets r times the state, where the reset comes before n's product.
  func applyGates(
    _ gates: RowActivation, stateSums: UnsafeMutablePointer<Float>,
    product: UnsafeMutablePointer<Float>?
  ) {
    for unit in 0..<2 * units { sums[unit] += stateSums[unit] }
    gates(gate(0))
    gates(gate(1))
    guard let product else { return }
    for unit in 0..<units { product[unit] = sums[units + unit] * state[unit] }
  }

  /// Computes a GRU's state of its gates.
  ///
  /// - Parameters:
  ///   - product: The state's part of the sum of n.
  ///   - resets: Whether that is still to be multiplied by r.
  func applyCandidate(
    _ activation: RowActivation, product: UnsafeMutablePointer<Float>, resets: Bool
  ) {
    let (update, reset, candidate) = (gate(0), gate(1), gate(2))
    for unit in 0..<units {
      candidate[unit] += resets ? reset[unit] * product[unit] : product[unit]
    }
    activation(candidate)
    for unit in 0..<units {
      state[unit] = update[unit] * state[unit] + (1 - update[unit]) * candidate[unit]
    }
  }
}
