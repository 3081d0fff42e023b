import Bytes

extension RANSIntegers {
  /// Encodes integers with the number of row classes that takes the fewest bytes.
  ///
  /// - Parameters:
  ///   - content: Finite steps, one or one for each row, and integers of at most 2^24 in magnitude.
  ///   - shape: The tensor's shape; it has at least one element.
  package static func encode(_ content: Content, shape: [Int]) -> [UInt8] {
    let (rows, columns) = matrix(shape)
    precondition(content.integers.count == rows * columns && !content.integers.isEmpty)
    precondition(content.steps.count == 1 || content.steps.count == rows)
    let rowClasses = RowClasses.best(content.integers, rows: rows, columns: columns)
    let lanes = RANSCoder.lanes(rows * columns / rowClasses.classes.count)
    let (kind, steps) = serialized(content.steps)
    let flag = content.isDependent ? RANSLayout.dependentFlag : 0
    var bytes = [
      kind.rawValue | flag, UInt8(lanes.trailingZeroBitCount), UInt8(rowClasses.classes.count),
    ]
    bytes += steps
    bytes += rowClasses.serialized(rows: rows)
    for table in rowClasses.tables { bytes += table.serialized }
    var (directory, chunks): ([UInt8], [UInt8]) = ([], [])
    for (rows, table) in zip(rowClasses.classes, rowClasses.tables) {
      let integers = rows.flatMap { content.integers[$0 * columns..<($0 + 1) * columns] }
      var start = 0
      for size in RANSCoder.chunks(integers.count) {
        let (symbols, lowBits, escapes) = table.split(Array(integers[start..<start + size]))
        let coded = RANSCoder.encode(symbols[...], table.symbols, lanes: lanes)
        directory.append(littleEndian: coded.count, byteCount: 4)
        directory.append(littleEndian: escapes.count, byteCount: 4)
        chunks += coded + lowBits
        for escape in escapes { chunks.append(littleEndian: Int(escape), byteCount: 4) }
        start += size
      }
    }
    return bytes + directory + chunks
  }

  private static func serialized(_ steps: [Float]) -> (RANSLayout.Steps, [UInt8]) {
    func bytes(_ steps: [Float]) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(steps)
      return bytes
    }
    if Set(steps).count == 1 { return (.one, bytes([steps[0]])) }
    if let (step, eighths) = StepScale.eighths(of: steps) {
      return (.eighths, bytes([step]) + eighths.map { UInt8(bitPattern: $0) })
    }
    return (.each, bytes(steps))
  }
}

/// The rows of a matrix divided into classes of similar magnitudes, with a table for each class.
struct RowClasses {
  /// The rows of each class, in order.
  let classes: [[Int]]
  let tables: [DigitTable]
  /// The approximate number of bits that the integers take.
  let bits: Double

  /// Returns the division for which the integers take the fewest bits.
  static func best(_ integers: [Int32], rows: Int, columns: Int) -> RowClasses {
    let magnitudes = (0..<rows).map { row in
      integers[row * columns..<(row + 1) * columns].reduce(0) { $0 + Int($1.magnitude) }
    }
    let order = (0..<rows).sorted { (magnitudes[$0], $0) < (magnitudes[$1], $1) }
    var best = RowClasses([order], integers, columns: columns, rows: rows)
    for count in [2, 4, 8, 16] where count <= rows {
      // More classes are only tried while they reduce the size.
      let parts = (0..<count).map { Array(order[$0 * rows / count..<($0 + 1) * rows / count]) }
      let candidate = RowClasses(parts, integers, columns: columns, rows: rows)
      guard candidate.bits < best.bits else { break }
      best = candidate
    }
    return best
  }

  private init(_ classes: [[Int]], _ integers: [Int32], columns: Int, rows: Int) {
    self.classes = classes.map { $0.sorted() }
    let tables = self.classes.map { rows in
      DigitTable.best(
        for: IntegerCounts(rows.flatMap { integers[$0 * columns..<($0 + 1) * columns] }))
    }
    self.tables = tables.map(\.table)
    let idBitCount = classes.count == 1 ? 0 : Self.idBits(classes.count) * rows
    // Each chunk has an entry in the directory and the states of its lanes.
    let chunkCount = classes.reduce(0) { $0 + RANSCoder.chunks($1.count * columns).count }
    let lanes = RANSCoder.lanes(rows * columns / classes.count)
    bits = tables.reduce(Double(idBitCount + chunkCount * 32 * (2 + lanes))) { $0 + $1.bits }
  }

  private static func idBits(_ count: Int) -> Int {
    Int.bitWidth - (count - 1).leadingZeroBitCount
  }

  /// Returns the class of each row, packed; nothing if there is only one class.
  func serialized(rows: Int) -> [UInt8] {
    guard classes.count > 1 else { return [] }
    var ids = [UInt32](repeating: 0, count: rows)
    for (index, rows) in classes.enumerated() { for row in rows { ids[row] = UInt32(index) } }
    return PackedBits.pack(ids, bits: Self.idBits(classes.count))
  }
}
