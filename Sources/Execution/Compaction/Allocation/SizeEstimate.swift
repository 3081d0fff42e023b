#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How much space integers take when each class of rows has a table of frequencies of its own.
enum SizeEstimate {
  /// The number of bits of an ideal code for integers in classes, with the tables.
  ///
  /// - Parameters:
  ///   - integers: `[columns, rows]`
  ///   - classOf: The class of the integer at an index.
  static func bits(_ integers: [Int32], classes: Int, _ classOf: (Int) -> Int) -> Double {
    var counts = [[Int32: Int]](repeating: [:], count: classes)
    // Small integers, which are most, are counted without a hash.
    let near: Int32 = 255
    var small = [Int](repeating: 0, count: classes * 512)
    for (index, integer) in integers.enumerated() {
      let number = classOf(index)
      if abs(integer) <= near {
        small[number * 512 + Int(integer + 256)] += 1
      } else {
        counts[number][integer, default: 0] += 1
      }
    }
    var bits = 0.0
    for number in 0..<classes {
      let all = small[number * 512..<(number + 1) * 512].filter { $0 > 0 } + counts[number].values
      let total = Double(all.reduce(0, +))
      for count in all { bits -= Double(count) * log2(Double(count) / total) }
      bits += 6 * Double(all.count)
    }
    return bits
  }
}
