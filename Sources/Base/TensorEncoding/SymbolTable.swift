import Bytes

/// The frequencies of 256 symbols in units of 1/4096, as used by an entropy coder.
struct SymbolTable {
  /// The sum of all frequencies.
  static let sum = 4096

  /// 256 numbers that add up to ``sum``.
  let frequencies: [UInt16]
  /// The table's bytes in a file.
  let serialized: [UInt8]

  /// Reads a table.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  init(_ cursor: inout ByteCursor, _ bytes: RawSpan) throws(WeighbridgeError) {
    let start = cursor.offset
    let first = Int(try cursor.integer(UInt8.self, from: bytes))
    let last = Int(try cursor.integer(UInt8.self, from: bytes))
    guard first <= last else {
      throw Self.malformed(
        "runs from symbol \(first) to \(last), which "
          + "must not be less")
    }
    var frequencies = [UInt16](repeating: 0, count: 256)
    var sum = 0
    for symbol in first...last {
      let low = Int(try cursor.integer(UInt8.self, from: bytes))
      let high = low < 128 ? 0 : Int(try cursor.integer(UInt8.self, from: bytes))
      let frequency = low & 127 | high << 7
      sum += frequency
      guard frequency <= Self.sum, sum <= Self.sum, low < 128 || high > 0 else {
        throw Self.malformed("has a frequency of \(frequency), expected at most \(Self.sum) in all")
      }
      frequencies[symbol] = UInt16(frequency)
    }
    guard sum == Self.sum else { throw Self.malformed("adds up to \(sum), expected \(Self.sum)") }
    self.frequencies = frequencies
    serialized = bytes.copied(start..<cursor.offset)
  }

  /// Creates the table that takes the fewest bits for symbols with these counts; `nil` when all are
  /// 0.
  init?(counts: [Int]) {
    let total = counts.reduce(0, +)
    guard total > 0, let first = counts.firstIndex(where: { $0 > 0 }),
      let last = counts.lastIndex(where: { $0 > 0 })
    else { return nil }
    var frequencies = counts.map { $0 == 0 ? 0 : max(1, $0 * Self.sum / total) }
    // Remaining units go where they save most; a surplus is removed where it costs least.
    while let surplus = Optional(frequencies.reduce(0, +) - Self.sum), surplus != 0 {
      let step = surplus > 0 ? -1 : 1
      let candidates = frequencies.indices.filter { frequencies[$0] > (surplus > 0 ? 1 : 0) }
      let best = candidates.max {
        gain(counts, frequencies, $0, step) < gain(counts, frequencies, $1, step)
      }
      guard let best else { return nil }
      frequencies[best] += step
    }
    self.frequencies = frequencies.map { UInt16($0) }
    var serialized = [UInt8(first), UInt8(last)]
    for frequency in frequencies[first...last] {
      if frequency < 128 {
        serialized.append(UInt8(frequency))
      } else {
        serialized += [UInt8(frequency & 127 | 128), UInt8(frequency >> 7)]
      }
    }
    self.serialized = serialized
  }

  /// Creates a table from given frequencies.
  init(frequencies: [UInt16], serialized: [UInt8]) {
    self.frequencies = frequencies
    self.serialized = serialized
  }

  /// Returns the number of bits that symbols with these counts take; infinite if the frequency of
  /// one is 0.
  func bits(_ counts: [Int]) -> Double {
    zip(counts, frequencies).reduce(0) { sum, pair in
      pair.0 == 0 ? sum : sum + Double(pair.0) * (12 - Logarithms.base2(Double(pair.1)))
    }
  }

  private static func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, "a table of symbols \(reason)")
  }
}

/// Returns the number of bits saved by changing a symbol's frequency by a step; negative for a
/// cost.
private func gain(_ counts: [Int], _ frequencies: [Int], _ symbol: Int, _ step: Int) -> Double {
  let frequency = Double(frequencies[symbol])
  return Double(counts[symbol])
    * (Logarithms.base2(frequency + Double(step)) - Logarithms.base2(frequency))
}
