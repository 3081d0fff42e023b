/// A weight as integers times steps, in the order of the tensor: the first axis counts the rows.
package struct QuantizedMatrix: Sendable {
  /// The size of the first axis.
  package let rows: Int
  /// The product of the other axes.
  package let columns: Int
  /// `[rows, columns]`, of at most 2^24 in magnitude.
  package let integers: [Int32]
  /// One number, or one for each row.
  package let steps: [Float]

  /// The numbers that the integers stand for: each times its row's step, in single precision.
  package var numbers: [Float] {
    var numbers = [Float](repeating: 0, count: integers.count)
    var target = numbers.mutableSpan
    for row in 0..<rows {
      let step = steps[steps.count == 1 ? 0 : row]
      for index in row * columns..<(row + 1) * columns {
        target[index] = Float(integers[index]) * step
      }
    }
    return numbers
  }
}
