package import Bytes

/// A table of a FlatBuffer, whose fields are read by their numbers in the schema.
package struct FlatBufferView: Sendable {
  private let reader: FlatBufferReader
  /// The byte at which the table begins.
  package let offset: Int
  /// The entries of its table of fields.
  private let form: Range<Int>
  private let byteCount: Int

  init(
    _ reader: FlatBufferReader, at offset: Int, budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) {
    let distance = Int(Int32(bitPattern: try reader.integer(UInt32.self, at: offset)))
    let form = offset - distance
    guard form >= reader.range.lowerBound, form <= reader.range.upperBound - 4 else {
      throw .malformed("has a table whose table of fields is at byte \(form), outside of the file")
        .at(.byte(offset))
    }
    let formByteCount = Int(try reader.integer(UInt16.self, at: form))
    byteCount = Int(try reader.integer(UInt16.self, at: form + 2))
    guard formByteCount >= 4, formByteCount % 2 == 0,
      formByteCount <= reader.range.upperBound - form, byteCount >= 4,
      byteCount <= reader.range.upperBound - offset
    else {
      throw .malformed(
        "has a table of \(byteCount) bytes with a table of fields of \(formByteCount) bytes, which "
          + "do not fit the file"
      ).at(.byte(form))
    }
    (self.reader, self.offset, self.form) = (reader, offset, form + 4..<form + formByteCount)
    try budget.spend(offset..<offset + byteCount, isTable: true)
    budget.reach(self.form)
  }

  /// The number of fields that its table of fields has entries for.
  private var fieldCount: Int { form.count / 2 }

  /// The numbers of the fields that are present.
  package func fields() throws(WeighbridgeError) -> [Int] {
    var numbers: [Int] = []
    for number in 0..<fieldCount where try place(number, byteCount: 1) != nil {
      numbers.append(number)
    }
    return numbers
  }

  /// The byte of a field's value; `nil` for a field that is absent.
  private func place(_ field: Int, byteCount: Int) throws(WeighbridgeError) -> Int? {
    guard field < fieldCount else { return nil }
    let entry = form.lowerBound + 2 * field
    let place = Int(try reader.integer(UInt16.self, at: entry))
    guard place > 0 else { return nil }
    guard place >= 4, place <= self.byteCount - byteCount else {
      throw .malformed(
        "has the field \(field) at byte \(place) of a table of \(self.byteCount), "
          + "expected inside the table"
      ).at(.byte(entry))
    }
    return offset + place
  }

  /// A number of a type, or its default in the schema.
  private func number<Number: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ field: Int, _ type: Number.Type
  ) throws(WeighbridgeError) -> Number? {
    guard let place = try place(field, byteCount: MemoryLayout<Number>.size) else { return nil }
    return try reader.integer(type, at: place)
  }

  /// A signed integer of 8 bits.
  package func int8(_ field: Int, default value: Int = 0) throws(WeighbridgeError) -> Int {
    try number(field, UInt8.self).map { Int(Int8(bitPattern: $0)) } ?? value
  }

  /// An unsigned integer of 8 bits.
  package func uint8(_ field: Int) throws(WeighbridgeError) -> Int {
    Int(try number(field, UInt8.self) ?? 0)
  }

  /// A signed integer of 32 bits.
  package func int32(_ field: Int, default value: Int = 0) throws(WeighbridgeError) -> Int {
    try number(field, UInt32.self).map { Int(Int32(bitPattern: $0)) } ?? value
  }

  /// An unsigned integer of 32 bits.
  package func uint32(_ field: Int) throws(WeighbridgeError) -> Int {
    Int(try number(field, UInt32.self) ?? 0)
  }

  /// An unsigned integer of 64 bits.
  package func uint64(_ field: Int) throws(WeighbridgeError) -> UInt64 {
    try number(field, UInt64.self) ?? 0
  }

  /// A number in single precision.
  package func float(_ field: Int, default value: Float = 0) throws(WeighbridgeError) -> Float {
    try number(field, UInt32.self).map { Float(bitPattern: $0) } ?? value
  }

  /// A boolean.
  package func bool(_ field: Int, default value: Bool = false) throws(WeighbridgeError) -> Bool {
    try number(field, UInt8.self).map { $0 != 0 } ?? value
  }
}

// Vectors, texts and other tables.
extension FlatBufferView {
  private func vector(
    _ field: Int, byteCount: Int
  ) throws(WeighbridgeError) -> (bytes: Range<Int>, count: Int)? {
    guard let place = try place(field, byteCount: 4) else { return nil }
    return try reader.vector(atOffset: place, byteCount: byteCount)
  }

  /// The range of a vector of bytes in the store; `nil` for one that is absent.
  package func data(
    _ field: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> Range<Int>? {
    guard let (bytes, _) = try vector(field, byteCount: 1) else { return nil }
    budget.reach(bytes)
    return bytes
  }

  /// A text; `nil` for one that is absent.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``, also for a text that is not UTF-8.
  package func string(
    _ field: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> String? {
    guard let (bytes, _) = try vector(field, byteCount: 1) else { return nil }
    try budget.spend(bytes)
    let text = reader.store.withBytes { String(validating: $0.copied(bytes), as: UTF8.self) }
    guard let text else {
      throw .malformed("has a text that is not UTF-8").at(.byte(bytes.lowerBound))
    }
    return text
  }

  /// A vector of signed integers of 32 or 64 bits; empty for one that is absent.
  package func integers(
    _ field: Int, byteCount: Int = 4, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> [Int] {
    guard let (bytes, count) = try vector(field, byteCount: byteCount) else { return [] }
    try budget.spend(bytes)
    var numbers: [Int] = []
    numbers.reserveCapacity(count)
    for place in stride(from: bytes.lowerBound, to: bytes.upperBound, by: byteCount) {
      numbers.append(
        byteCount == 8
          ? Int(Int64(bitPattern: try reader.integer(UInt64.self, at: place)))
          : Int(Int32(bitPattern: try reader.integer(UInt32.self, at: place))))
    }
    return numbers
  }

  /// A vector of numbers in single precision; empty for one that is absent.
  package func floats(
    _ field: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> [Float] {
    try integers(field, &budget).map { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
  }

  /// Another table; `nil` for one that is absent.
  package func table(
    _ field: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> FlatBufferView? {
    guard let place = try place(field, byteCount: 4) else { return nil }
    return try FlatBufferView(
      reader, at: try reader.target(ofOffsetAt: place), budget: &budget)
  }

  /// A vector of tables; empty for one that is absent.
  package func tables(
    _ field: Int, _ budget: inout FlatBufferBudget
  ) throws(WeighbridgeError) -> [FlatBufferView] {
    guard let (bytes, _) = try vector(field, byteCount: 4) else { return [] }
    try budget.spend(bytes)
    var tables: [FlatBufferView] = []
    for place in stride(from: bytes.lowerBound, to: bytes.upperBound, by: 4) {
      tables.append(
        try FlatBufferView(
          reader, at: try reader.target(ofOffsetAt: place), budget: &budget))
    }
    return tables
  }
}
