/// Arithmetic on sizes and counts that come from a file. All results are non-negative.
package enum Checked {
  /// The product of all factors.
  ///
  /// A factor of 0 does not hide an overflow of the others: strides are products of some of the
  /// factors, and they must fit too.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a factor is negative or the product of
  ///   those that are not 0 does not fit an `Int`.
  package static func product(
    _ factors: some Sequence<Int>, of what: @autoclosure () -> String
  ) throws(WeighbridgeError) -> Int {
    var (product, hasZero) = (1, false)
    for factor in factors {
      let (next, overflow) = product.multipliedReportingOverflow(by: max(factor, 1))
      guard factor >= 0, !overflow else { throw tooLarge(what()) }
      product = next
      hasZero = hasZero || factor == 0
    }
    return hasZero ? 0 : product
  }

  /// The sum of two non-negative numbers.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when one is negative or the sum does not fit.
  package static func sum(
    _ lhs: Int, _ rhs: Int, of what: @autoclosure () -> String
  ) throws(WeighbridgeError) -> Int {
    let (result, overflow) = lhs.addingReportingOverflow(rhs)
    guard lhs >= 0, rhs >= 0, !overflow else { throw tooLarge(what()) }
    return result
  }

  /// Converts an integer of any width to an `Int`.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it is negative or does not fit.
  package static func count(
    _ value: some BinaryInteger, of what: @autoclosure () -> String
  ) throws(WeighbridgeError) -> Int {
    guard let result = Int(exactly: value), result >= 0 else { throw tooLarge(what()) }
    return result
  }

  private static func tooLarge(_ what: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, "\(what) is negative or too large")
  }
}
