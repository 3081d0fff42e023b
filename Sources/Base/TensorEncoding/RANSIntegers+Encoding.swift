import Bytes

extension RANSIntegers {
  /// Encodes integers with the number of row classes that makes them smallest.
  ///
  /// - Parameters:
  ///   - content: One step, or one for each row, finite; integers of at most 2^24 in magnitude.
  ///   - shape: The tensor's shape; not empty.
  package static func encode(_ content: Content, shape: [Int]) -> [UInt8] {
    let (rows, columns) = matrix(shape)
    precondition(content.integers.count == rows * columns && !content.integers.isEmpty)
    precondition(content.steps.count == 1 || content.steps.count == rows)
    let divided = RowClasses.best(content.integers, rows: rows, columns: columns)
    let lanes = RANSCoder.lanes(rows * columns / divided.classes.count)
    let (kind, steps) = stored(content.steps)
    let flag = content.isDependent ? RANSLayout.dependentFlag : 0
    var bytes = [
      kind.rawValue | flag, UInt8(lanes.trailingZeroBitCount), UInt8(divided.classes.count),
    ]
    bytes += steps
    bytes += divided.stored(rows: rows)
    for table in divided.tables { bytes += table.stored }
    var (directory, chunks): ([UInt8], [UInt8]) = ([], [])
    for (rows, table) in zip(divided.classes, divided.tables) {
      let integers = rows.flatMap { content.integers[$0 * columns..<($0 + 1) * columns] }
      var start = 0
      for size in RANSCoder.chunks(integers.count) {
        let (symbols, low, escapes) = table.split(Array(integers[start..<start + size]))
        let coded = RANSCoder.encode(symbols[...], table.symbols, lanes: lanes)
        directory.append(littleEndian: coded.count, byteCount: 4)
        directory.append(littleEndian: escapes.count, byteCount: 4)
        chunks += coded + low
        for escape in escapes { chunks.append(littleEndian: Int(escape), byteCount: 4) }
        start += size
      }
    }
    return bytes + directory + chunks
  }

  private static func stored(_ steps: [Float]) -> (RANSLayout.Steps, [UInt8]) {
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

/// The rows of a matrix divided into classes of similar magnitudes, and a table for each.
struct RowClasses {
  /// The rows of each class, in order.
  let classes: [[Int]]
  let tables: [DigitTable]
  /// The approximate number of bits that the integers take.
  let bits: Double

  /// Returns the division for which the integers take the fewest bits.
  static func best(_ integers: [Int32], rows: Int, columns: Int) -> RowClasses {
    let sizes = (0..<rows).map { row in
      integers[row * columns..<(row + 1) * columns].reduce(0) { $0 + Int($1.magnitude) }
    }
    let order = (0..<rows).sorted { (sizes[$0], $0) < (sizes[$1], $1) }
    var best = RowClasses([order], integers, columns: columns, rows: rows)
    for count in [2, 4, 8, 16] where count <= rows {
      // More classes are only tried while they reduce the size.
      let parts = (0..<count).map { Array(order[$0 * rows / count..<($0 + 1) * rows / count]) }
      let next = RowClasses(parts, integers, columns: columns, rows: rows)
      guard next.bits < best.bits else { break }
      best = next
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
    let each = classes.count == 1 ? 0 : Self.idBits(classes.count) * rows
    // Each chunk has an entry in the directory and the states of its lanes.
    let chunks = classes.reduce(0) { $0 + RANSCoder.chunks($1.count * columns).count }
    let lanes = RANSCoder.lanes(rows * columns / classes.count)
    bits = tables.reduce(Double(each + chunks * 32 * (2 + lanes))) { $0 + $1.bits }
  }

  private static func idBits(_ count: Int) -> Int {
    Int.bitWidth - (count - 1).leadingZeroBitCount
  }

  /// The class of each row, packed; nothing for one class.
  func stored(rows: Int) -> [UInt8] {
    guard classes.count > 1 else { return [] }
    var ids = [UInt32](repeating: 0, count: rows)
    for (index, rows) in classes.enumerated() { for row in rows { ids[row] = UInt32(index) } }
    return PackedBits.pack(ids, bits: Self.idBits(classes.count))
  }
}
