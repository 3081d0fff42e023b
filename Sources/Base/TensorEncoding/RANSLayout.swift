import Bytes
import CKernels

/// The layout of the bytes of entropy-coded integers.
struct RANSLayout: Sendable {
  /// Consecutive integers of one class that are coded together.
  struct Chunk: Sendable {
    let classIndex: Int
    /// The index of the first integer within its class, and the number of integers.
    let first, size: Int
    let symbols, lowBits, escapes: Range<Int>
  }

  /// The storage of the rows' steps.
  enum Steps: UInt8 {
    /// One number for all rows.
    case one
    /// One number, and for each row an exponent of 2 in eighths by which it is multiplied.
    case eighths
    /// A number for each row.
    case each
  }

  /// The flag for dependent quantization in the byte that contains the kind of steps.
  static let dependentFlag: UInt8 = 4

  let rows, columns: Int
  /// Whether the integers represent multiples of the steps by dependent quantization.
  let isDependent: Bool
  let lanes: Int
  /// One number, or one for each row.
  let steps: [Float]
  /// The rows of each class.
  let classes: [[Int]]
  let digits: [DigitTable]
  /// The slots of each class's symbol table.
  let slots: [[UInt32]]
  let chunks: [Chunk]

  /// The number of integers.
  var count: Int { rows * columns }

  /// - Throws: ``WeighbridgeError/Code/malformed``.
  init(_ bytes: RawSpan, shape: [Int]) throws(WeighbridgeError) {
    _ = try Checked.product(shape + [4], of: "the size of a tensor")
    (rows, columns) = RANSIntegers.matrix(shape)
    var cursor = ByteCursor(0..<bytes.byteCount)
    let flags = try cursor.integer(UInt8.self, from: bytes)
    let laneBits = try cursor.integer(UInt8.self, from: bytes)
    let classCount = Int(try cursor.integer(UInt8.self, from: bytes))
    isDependent = flags & Self.dependentFlag != 0
    guard let kind = Steps(rawValue: flags & ~Self.dependentFlag), laneBits <= 5,
      (1...64).contains(classCount)
    else {
      throw .malformed("integers of kind \(flags) in \(classCount) classes are not known")
    }
    lanes = 1 << Int(laneBits)
    steps = try Self.steps(kind, rows: rows, &cursor, bytes)
    classes = try Self.classes(classCount, rows: rows, &cursor, bytes)
    var digits: [DigitTable] = []
    for _ in 0..<classCount { digits.append(try DigitTable(&cursor, bytes)) }
    self.digits = digits
    slots = digits.map { RANSCoder.slots($0.symbols) }
    chunks = try Self.chunks(classes, columns: columns, digits, &cursor, bytes)
  }

  private static func steps(
    _ kind: Steps, rows: Int, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> [Float] {
    guard rows <= cursor.remaining || kind == .one else {
      throw .malformed("\(cursor.remaining) bytes cannot hold \(rows) steps")
    }
    var steps: [Float] = []
    for _ in 0..<(kind == .each ? rows : 1) {
      let step = Float(bitPattern: try cursor.integer(from: bytes))
      guard step.isFinite else { throw .malformed("a step is \(step), expected a finite number") }
      steps.append(step)
    }
    guard kind == .eighths else { return steps }
    return try cursor.bytes(rows, from: bytes).map {
      StepScale.multiply(steps[0], eighths: Int8(bitPattern: $0))
    }
  }

  private static func classes(
    _ count: Int, rows: Int, _ cursor: inout ByteCursor, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> [[Int]] {
    guard count > 1 else { return [Array(0..<rows)] }
    let bits = Int.bitWidth - (count - 1).leadingZeroBitCount
    let packed = bytes.extracting(
      try cursor.skip(PackedBits.byteCount(rows, bits: bits), in: bytes))
    var classes = [[Int]](repeating: [], count: count)
    for (row, index) in PackedBits.unpack(packed, count: rows, bits: bits).enumerated() {
      let index = Int(index)
      guard index < count else {
        throw .malformed("row \(row) has class \(index), but there are \(count) classes")
      }
      classes[index].append(row)
    }
    return classes
  }

  private static func chunks(
    _ classes: [[Int]], columns: Int, _ digits: [DigitTable], _ cursor: inout ByteCursor,
    _ bytes: RawSpan
  ) throws(WeighbridgeError) -> [Chunk] {
    let sizes = try classes.map { (rows) throws(WeighbridgeError) in
      try ChunkSizes.of(rows.count * columns, cursor.remaining)
    }
    var directory = ByteCursor(
      try cursor.skip(8 * sizes.reduce(0) { $0 + $1.count }, in: bytes))
    var chunks: [Chunk] = []
    for (index, sizes) in sizes.enumerated() {
      var first = 0
      for size in sizes {
        let symbols = Int(try directory.integer(UInt32.self, from: bytes))
        let escapes = Int(try directory.integer(UInt32.self, from: bytes))
        let lowByteCount = PackedBits.byteCount(size, bits: digits[index].lowBits)
        guard escapes <= size else {
          throw .malformed("\(escapes) of \(size) integers are escapes, expected at most all")
        }
        chunks.append(
          Chunk(
            classIndex: index, first: first, size: size,
            symbols: try cursor.skip(symbols, in: bytes),
            lowBits: try cursor.skip(lowByteCount, in: bytes),
            escapes: try cursor.skip(4 * escapes, in: bytes)))
        first += size
      }
    }
    guard cursor.remaining == 0 else {
      throw .malformed("\(cursor.remaining) bytes follow the last chunk, expected none")
    }
    return chunks
  }
}
