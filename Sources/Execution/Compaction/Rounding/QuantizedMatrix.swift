package import TensorEncoding

/// A weight as integers times steps, in the order of the tensor: the first axis counts the rows.
package struct QuantizedMatrix: Sendable {
  /// The size of the first axis.
  package let rows: Int
  /// The product of the other axes.
  package let columns: Int
  /// `[rows, columns]`, of at most 2^24 in magnitude, and one step or one for each row.
  package let content: RANSIntegers.Content

  /// The decoded values: each integer times its row's step, in single precision.
  package var numbers: [Float] { content.numbers(shape: [rows, columns]) }
}
