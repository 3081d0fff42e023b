import Bytes

/// A table of symbols in seven bytes, for integers from -width to width. From 1 on, each weight is
/// the one before it times a ratio, which itself decreases by a constant factor; this covers
/// distributions between Laplace and normal. All arithmetic is in integers.
struct SymmetricShape {
  /// The largest integer, 0 to 127.
  let width: Int
  /// The weight of 0 in units of 1/32768 of the weight of 1.
  let center: UInt16
  /// The weight of 2 in units of 1/65536 of the weight of 1.
  let ratio: UInt16
  /// The decrease of the ratio from one integer to the next, in units of 1/65536.
  let fall: UInt16

  /// The symbol of 0; symbol 0 is the escape.
  var zero: Int { width + 1 }

  /// Reads a shape.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  init(_ cursor: inout ByteCursor, _ bytes: RawSpan) throws(WeighbridgeError) {
    let width = Int(try cursor.integer(UInt8.self, from: bytes))
    let center = try cursor.integer(UInt16.self, from: bytes)
    let ratio = try cursor.integer(UInt16.self, from: bytes)
    let fall = try cursor.integer(UInt16.self, from: bytes)
    guard width <= 127, center > 0 else {
      throw .malformed(
        "a table has a width of \(width) and a center of \(center), expected at most 127 and at least 1"
      )
    }
    self.init(width: width, center: center, ratio: ratio, fall: fall)
  }

  private init(width: Int, center: UInt16, ratio: UInt16, fall: UInt16) {
    (self.width, self.center, self.ratio, self.fall) = (width, center, ratio, fall)
  }

  /// The weights of 0 and of the integers from 1 to the width.
  private var weights: [UInt64] {
    var weights = [UInt64(center) << 5]
    var (weight, ratio) = (UInt64(1) << 20, UInt64(ratio))
    for _ in 0..<width {
      weights.append(weight)
      weight = (weight * ratio) >> 16
      ratio = (ratio * (65536 - UInt64(fall))) >> 16
    }
    return weights
  }

  /// The frequencies: 1 for the escape, and for the other symbols 1 plus a proportional part of
  /// what is left; the symbol of 0 receives the remainder.
  var table: SymbolTable {
    let weights = weights
    let distributable = UInt64(SymbolTable.sum - 2 * width - 2)
    let sum = weights[0] + 2 * weights[1...].reduce(0, +)
    var frequencies = [UInt16](repeating: 0, count: 256)
    frequencies[0] = 1
    var remainder = UInt16(SymbolTable.sum - 1)
    for integer in stride(from: 1, through: width, by: 1) {
      let frequency = UInt16(1 + weights[integer] * distributable / sum)
      frequencies[zero + integer] = frequency
      frequencies[zero - integer] = frequency
      remainder -= 2 * frequency
    }
    frequencies[zero] = remainder
    var serialized = [UInt8(width)]
    for number in [center, ratio, fall] {
      serialized.append(littleEndian: Int(number), byteCount: 2)
    }
    return SymbolTable(frequencies: frequencies, serialized: serialized)
  }

  /// Returns the shape for which symbols take the fewest bits, by a search with decreasing steps.
  static func best(width: Int, for counts: [Int]) -> SymmetricShape {
    let sides = counts[1...].enumerated().filter { $0.offset != width }
    let mean =
      Double(sides.reduce(0) { $0 + abs($1.offset - width) * $1.element })
      / Double(max(1, sides.reduce(0) { $0 + $1.element }))
    // Starts with a geometric distribution of this mean; then each parameter is changed while that
    // helps.
    let ratio = max(0.01, min(0.999, 1 - 1 / max(1.01, mean)))
    var best = [32768 / max(ratio, 0.5), ratio * 65536, 0].map { UInt16(min(65535, $0)) }
    func bits(_ parameters: [UInt16]) -> Double {
      SymmetricShape(width: width, center: parameters[0], ratio: parameters[1], fall: parameters[2])
        .table.bits(counts)
    }
    var bestBits = bits(best)
    var step = 8192
    while step > 16 {
      var hasImproved = false
      for index in 0..<3 {
        for change in [step, -step] {
          var candidate = best
          let number = Int(candidate[index]) + change
          guard (1...65535).contains(number) else { continue }
          candidate[index] = UInt16(number)
          let candidateBits = bits(candidate)
          if candidateBits < bestBits {
            (best, bestBits, hasImproved) = (candidate, candidateBits, true)
          }
        }
      }
      if !hasImproved { step /= 2 }
    }
    return SymmetricShape(width: width, center: best[0], ratio: best[1], fall: best[2])
  }
}
