/// A table of a FlatBuffer, for tests of files that we wrote. It trusts the bytes.
struct FlatBufferView {
  private let bytes: [UInt8]
  private let start: Int

  /// The root of a FlatBuffer.
  init(_ bytes: [UInt8]) { self.init(bytes, at: 0) }

  /// The table to which the offset at a place leads.
  private init(_ bytes: [UInt8], at place: Int) {
    self.bytes = bytes
    start = place + Self.integer(bytes, place, 4)
  }

  private static func integer(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
    let bits = (0..<count).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    return bits >= 1 << (8 * count - 1) ? bits - 1 << (8 * count) : bits
  }

  /// The place of a field; `nil` if it is absent.
  private func place(_ field: Int) -> Int? {
    let form = start - Self.integer(bytes, start, 4)
    guard 4 + 2 * field < Self.integer(bytes, form, 2) else { return nil }
    let offset = Self.integer(bytes, form + 4 + 2 * field, 2)
    return offset == 0 ? nil : start + offset
  }

  /// The place and length of a vector; `nil` if it is absent.
  private func vector(_ field: Int) -> (place: Int, count: Int)? {
    place(field).map { field in
      let place = field + Self.integer(bytes, field, 4)
      return (place + 4, Self.integer(bytes, place, 4))
    }
  }

  func integer(_ field: Int, byteCount: Int = 4) -> Int? {
    place(field).map { Self.integer(bytes, $0, byteCount) }
  }

  func float(_ field: Int) -> Float? {
    integer(field).map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
  }

  func table(_ field: Int) -> FlatBufferView? {
    place(field).map { FlatBufferView(bytes, at: $0) }
  }

  func tables(_ field: Int) -> [FlatBufferView] {
    vector(field).map { vector in
      (0..<vector.count).map { FlatBufferView(bytes, at: vector.place + 4 * $0) }
    } ?? []
  }

  func data(_ field: Int) -> [UInt8] {
    vector(field).map { Array(bytes[$0.place..<$0.place + $0.count]) } ?? []
  }

  func string(_ field: Int) -> String? {
    place(field).map { _ in String(decoding: data(field), as: UTF8.self) }
  }

  func integers(_ field: Int) -> [Int] {
    vector(field).map { vector in
      (0..<vector.count).map { Self.integer(bytes, vector.place + 4 * $0, 4) }
    } ?? []
  }

  func floats(_ field: Int) -> [Float] {
    integers(field).map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
  }
}
