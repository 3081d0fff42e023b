package import Bytes

/// The bytes of a FlatBuffer, but for the data that its file contains after its tables.
///
/// Every table comes before what it refers to, so that all offsets are positive.
package struct FlatBufferContents: Sendable {
  /// The place of a vector of bytes.
  package struct Data: Hashable, Sendable {
    /// The number of zero bytes before the vector's length.
    package let padding: Int
    /// The number of its bytes.
    package let byteCount: Int

    /// The zeros, and the length before the data.
    package var prefix: [UInt8] {
      var bytes = [UInt8](repeating: 0, count: padding)
      bytes.append(littleEndian: byteCount, byteCount: 4)
      return bytes
    }
  }

  /// The tables, texts and vectors.
  package let bytes: [UInt8]
  /// The vectors of bytes that follow, in the order of the tables that have them.
  package let data: [Data]

  /// Data begins at multiples of this number of bytes.
  package static let dataAlignment = 16

  /// Lays out a table and everything that it contains.
  ///
  /// - Parameter identifier: The four characters of the file's type.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for 2 GB and more, which offsets do not reach.
  package init(root: FlatBufferTable, identifier: String) throws(WeighbridgeError) {
    var layout = FlatBufferLayout(identifier: identifier)
    layout.add(root)
    var end = layout.bytes.count
    var data: [Data] = []
    for (field, byteCount) in layout.data {
      let start = end.roundedUp(adding: 4, to: Self.dataAlignment)
      data.append(Data(padding: start - end, byteCount: byteCount))
      layout.setOffset(at: field, to: start)
      end = start + 4 + byteCount
      guard end <= Int(Int32.max) else {
        throw .unsupported("takes more than 2 GB, and a FlatBuffer has less")
      }
    }
    (bytes, self.data) = (layout.bytes, data)
  }
}

/// The tables of a FlatBuffer in the order of the file.
private struct FlatBufferLayout {
  private(set) var bytes: [UInt8] = [0, 0, 0, 0]
  /// Vectors of bytes, by the place of the offset that leads to them.
  private(set) var data: [(field: Int, byteCount: Int)] = []
  /// What is still to be written, by the place of the offset that leads to it.
  private var pending: [(field: Int, value: FlatBufferValue)] = []
  /// The places of tables of fields, which tables of one form share.
  private var forms: [[Int]: Int] = [:]

  init(identifier: String) { bytes += identifier.utf8.prefix(4) }

  mutating func setOffset(at field: Int, to target: Int) {
    let offset = target - field
    for index in 0..<4 { bytes[field + index] = UInt8(truncatingIfNeeded: offset >> (8 * index)) }
  }

  mutating func add(_ root: FlatBufferTable) {
    pending = [(0, .table(root))]
    var next = 0
    while next < pending.count {
      let (field, value) = pending[next]
      next += 1
      write(value, field)
      if next == 1 << 12 {
        pending.removeFirst(next)
        next = 0
      }
    }
  }

  private mutating func pad(adding count: Int = 0, to alignment: Int) {
    let end = bytes.count.roundedUp(adding: count, to: alignment)
    bytes += [UInt8](repeating: 0, count: end - bytes.count)
  }

  private mutating func write(_ value: FlatBufferValue, _ field: Int) {
    switch value {
    case .integer, .float: break
    case .data(let byteCount): data.append((field, byteCount))
    case .string(let text):
      begin(field, count: text.utf8.count, alignment: 1)
      bytes += text.utf8
      bytes.append(0)
    case .integers(let numbers, let byteCount):
      begin(field, count: numbers.count, alignment: byteCount)
      for number in numbers { bytes.append(littleEndian: number, byteCount: byteCount) }
    case .floats(let numbers):
      begin(field, count: numbers.count, alignment: 4)
      for number in numbers {
        bytes.append(littleEndian: Int(number.bitPattern), byteCount: 4)
      }
    case .tables(let tables):
      begin(field, count: tables.count, alignment: 4)
      for table in tables {
        pending.append((bytes.count, .table(table)))
        bytes += [0, 0, 0, 0]
      }
    case .table(let table): write(table, field)
    }
  }

  /// Begins a vector with its length.
  private mutating func begin(_ field: Int, count: Int, alignment: Int) {
    pad(adding: 4, to: max(4, alignment))
    setOffset(at: field, to: bytes.count)
    bytes.append(littleEndian: count, byteCount: 4)
  }

  private mutating func write(_ table: FlatBufferTable, _ field: Int) {
    let fields = table.fields.sorted { first, second in
      let sizes = (first.value.inlineByteCount, second.value.inlineByteCount)
      return sizes.0 == sizes.1 ? first.key < second.key : sizes.0 > sizes.1
    }
    var (offsets, end) = ([Int](repeating: 0, count: (table.fields.keys.max() ?? -1) + 1), 4)
    for (number, value) in fields {
      offsets[number] = end
      end += value.inlineByteCount
    }
    let form = place(of: [4 + 2 * offsets.count, end] + offsets)
    pad(adding: 4, to: fields.first?.value.inlineByteCount == 8 ? 8 : 4)
    let start = bytes.count
    setOffset(at: field, to: start)
    bytes.append(littleEndian: start - form, byteCount: 4)
    for (_, value) in fields {
      switch value {
      case .integer(let number, let byteCount):
        bytes.append(littleEndian: number, byteCount: byteCount)
      case .float(let number): bytes.append(littleEndian: Int(number.bitPattern), byteCount: 4)
      default:
        pending.append((bytes.count, value))
        bytes += [0, 0, 0, 0]
      }
    }
  }

  /// The place of a table of fields with these numbers of 16 bits.
  private mutating func place(of form: [Int]) -> Int {
    if let place = forms[form] { return place }
    pad(to: 2)
    let place = bytes.count
    for number in form { bytes.append(littleEndian: number, byteCount: 2) }
    forms[form] = place
    return place
  }
}

extension Int {
  /// The smallest number from this one on that is a multiple of `alignment` after adding `count`.
  fileprivate func roundedUp(adding count: Int, to alignment: Int) -> Int {
    (self + count + alignment - 1) / alignment * alignment - count
  }
}
