import Bytes

/// The mapping of the integers of a class to symbols, which are their upper bits and entropy-coded,
/// and low bits, which are stored unchanged.
struct DigitTable {
  /// The symbol of an integer that is stored in a separate list.
  static let escape: UInt8 = 0

  /// The symbol of the integers from 0 to 2^lowBits - 1; the next integers have the next symbols.
  let zero: Int
  /// The number of low bits that are stored unchanged, 0 to 16.
  let lowBits: Int
  /// The frequency of each symbol.
  let symbols: SymbolTable
  /// The table's bytes in a file.
  let serialized: [UInt8]

  /// Reads a table.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  init(_ cursor: inout ByteCursor, _ bytes: RawSpan) throws(WeighbridgeError) {
    let start = cursor.offset
    lowBits = Int(try cursor.integer(UInt8.self, from: bytes))
    let zero = Int(try cursor.integer(UInt8.self, from: bytes))
    guard lowBits <= 16 else {
      throw .malformed("integers have \(lowBits) low bits, expected 0 to 16")
    }
    if zero > 0 {
      self.zero = zero
      symbols = try SymbolTable(&cursor, bytes)
    } else {
      let shape = try SymmetricShape(&cursor, bytes)
      self.zero = shape.zero
      symbols = shape.table
    }
    serialized = bytes.copied(start..<cursor.offset)
  }

  private init(lowBits: Int, zero: Int, _ symbols: SymbolTable, isShaped: Bool) {
    self.lowBits = lowBits
    self.zero = zero
    self.symbols = symbols
    serialized = [UInt8(lowBits), isShaped ? 0 : UInt8(zero)] + symbols.serialized
  }

  /// Returns the table that encodes integers in the fewest bytes.
  static func best(for integers: IntegerCounts) -> (table: DigitTable, bits: Double) {
    var best: (table: DigitTable, bits: Double)?
    for lowBits in 0...16 {
      let counts = integers.shifted(by: lowBits)
      for candidate in candidates(counts, lowBits: lowBits) {
        let escapeCount = Double(candidate.counts[0])
        let bits =
          candidate.table.symbols.bits(candidate.counts) + 32 * escapeCount
          + Double(lowBits * integers.total + 8 * candidate.table.serialized.count)
        if bits < best?.bits ?? .infinity { best = (candidate.table, bits) }
      }
      if counts.lowest >= -8, counts.highest <= 8 { break }  // more low bits no longer help
    }
    guard let best else { preconditionFailure("16 low bits leave at most 255 symbols") }
    return best
  }

  private static func candidates(
    _ counts: IntegerCounts, lowBits: Int
  ) -> [(table: DigitTable, counts: [Int])] {
    // Symbols 1 to 255: all that occur, or those around 0.
    let allFit = counts.highest - counts.lowest < 255
    let range = allFit ? counts.lowest...counts.highest : -127...127
    let zero = 1 - range.lowerBound
    var result: [(table: DigitTable, counts: [Int])] = []
    if (1...255).contains(zero) {
      let symbols = counts.symbols(zero: zero, last: range.upperBound + zero)
      if let table = SymbolTable(counts: symbols) {
        result.append((DigitTable(lowBits: lowBits, zero: zero, table, isShaped: false), symbols))
      }
    }
    let width = min(127, max(-counts.lowest, counts.highest))
    if width >= 0 {
      let symbols = counts.symbols(zero: width + 1, last: 2 * width + 1)
      let shape = SymmetricShape.best(width: width, for: symbols)
      result.append(
        (DigitTable(lowBits: lowBits, zero: shape.zero, shape.table, isShaped: true), symbols))
    }
    return result
  }

  /// Splits integers into symbols, low bits and escapes.
  func split(_ integers: [Int32]) -> (symbols: [UInt8], lowBits: [UInt8], escapes: [Int32]) {
    var symbols = [UInt8](repeating: 0, count: integers.count)
    var escapes: [Int32] = []
    for (index, integer) in integers.enumerated() {
      let symbol = Int(integer >> Int32(lowBits)) + zero
      if (1...255).contains(symbol), self.symbols.frequencies[symbol] > 0 {
        symbols[index] = UInt8(symbol)
      } else {
        escapes.append(integer)
      }
    }
    let packedLowBits = PackedBits.pack(integers.lazy.map { UInt32(bitPattern: $0) }, bits: lowBits)
    return (symbols, packedLowBits, escapes)
  }
}

/// The number of occurrences of each integer.
struct IntegerCounts {
  /// The smallest and the largest integer.
  let lowest, highest: Int
  /// The number of integers.
  let total: Int
  private let counts: [Int]

  /// Counts integers; there must be at least one, and none above 2^24 in magnitude.
  init(_ integers: some Collection<Int32>) {
    let (lowest, highest) = (Int(integers.min() ?? 0), Int(integers.max() ?? 0))
    var counts = [Int](repeating: 0, count: highest - lowest + 1)
    for integer in integers { counts[Int(integer) - lowest] += 1 }
    (self.lowest, self.highest, total) = (lowest, highest, integers.count)
    self.counts = counts
  }

  private init(lowest: Int, counts: [Int], total: Int) {
    (self.lowest, self.counts, self.total) = (lowest, counts, total)
    highest = lowest + counts.count - 1
  }

  /// The counts of the integers without some of their low bits.
  func shifted(by bits: Int) -> IntegerCounts {
    let shiftedLowest = lowest >> bits
    var shifted = [Int](repeating: 0, count: (highest >> bits) - shiftedLowest + 1)
    for (offset, count) in counts.enumerated() {
      shifted[(lowest + offset) >> bits - shiftedLowest] += count
    }
    return IntegerCounts(lowest: shiftedLowest, counts: shifted, total: total)
  }

  /// The number of occurrences of each symbol; integers without a symbol count as escapes.
  func symbols(zero: Int, last: Int) -> [Int] {
    var symbols = [Int](repeating: 0, count: 256)
    for (offset, count) in counts.enumerated() where count > 0 {
      let symbol = lowest + offset + zero
      symbols[(1...last).contains(symbol) ? symbol : 0] += count
    }
    return symbols
  }
}
