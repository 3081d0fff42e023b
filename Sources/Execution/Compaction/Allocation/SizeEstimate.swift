import TensorEncoding

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Estimates the entropy-coded size of integers with a frequency table for each class of rows.
enum SizeEstimate {
  /// The number of bits of an ideal code, including its tables and steps.
  static func bits(_ matrix: QuantizedMatrix) -> Double {
    let sizes = (0..<matrix.rows).map { row in
      matrix.content.integers[row * matrix.columns..<(row + 1) * matrix.columns]
        .reduce(0) { $0 + Int($1.magnitude) }
    }
    let order = sizes.indices.sorted { (sizes[$0], $0) < (sizes[$1], $1) }
    var best = Double.infinity
    for classCount in [1, 2, 4, 8, 16] where classCount <= matrix.rows {
      var bits = classCount == 1 ? 0 : Double(matrix.rows) * log2(Double(classCount))
      for number in 0..<classCount {
        let rows = order[
          order.count * number / classCount..<order.count * (number + 1) / classCount]
        bits += self.bits(of: rows, matrix)
      }
      guard bits < best else { break }
      best = bits
    }
    return best + 32 * Double(matrix.content.steps.count) + 256
  }

  /// The bits of the integers of some rows, by their entropy, and of their frequency table.
  private static func bits(of rows: ArraySlice<Int>, _ matrix: QuantizedMatrix) -> Double {
    // Small integers are the most common and are counted without hashing.
    let near = 255
    var small = [Int](repeating: 0, count: 2 * near + 1)
    var large: [Int32: Int] = [:]
    for row in rows {
      for index in row * matrix.columns..<(row + 1) * matrix.columns {
        let integer = matrix.content.integers[index]
        if abs(integer) <= near {
          small[Int(integer) + near] += 1
        } else {
          large[integer, default: 0] += 1
        }
      }
    }
    let total = Double(rows.count * matrix.columns)
    var bits = 0.0
    // Large ones are sorted so that the sum is reproducible.
    for count in small + large.sorted(by: { $0.key < $1.key }).map(\.value) where count > 0 {
      bits -= Double(count) * log2(Double(count) / total)
    }
    let used = small.reduce(0) { $0 + ($1 > 0 ? 1 : 0) }
    return bits + min(56, 8 * Double(used))
  }
}
