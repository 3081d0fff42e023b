package import Bytes
import CProtobufC

/// Checks a serialized message against its descriptor and the limits before it is unpacked.
///
/// It is stricter than the library: a singular field or a oneof must not occur twice, numbers must
/// fit their type, and strings must be UTF-8 without NUL (which ends the library's strings).
package struct ProtobufScanner {
  private var budget: ScanBudget
  private let lenientFields: Set<UInt32>
  private let inPlace: ProtobufFieldsInPlace
  private var path: [FieldDescriptor] = []

  /// Scans a message.
  ///
  /// - Parameters:
  ///   - bytes: The serialized message.
  ///   - descriptor: Its type.
  ///   - keepingUnknownIn: The numbers of fields of the outermost message within which unknown
  ///     fields are allowed at any level; elsewhere they are rejected.
  ///   - isLenient: Whether fields unknown to the descriptor are allowed everywhere.
  ///   - inPlace: Fields that will not be unpacked; their bytes are not counted, and a list of
  ///     numbers must be packed in one piece.
  ///   - limits: The limits of what is accepted.
  /// - Throws: ``WeighbridgeError/Code/malformed``, ``WeighbridgeError/Code/unsupported`` for an
  ///   unknown field, ``WeighbridgeError/Code/limitExceeded``; the place is the byte in `bytes`.
  package static func scan(
    _ bytes: RawSpan, as descriptor: MessageDescriptor, keepingUnknownIn: Set<UInt32>,
    isLenient: Bool = false, inPlace: ProtobufFieldsInPlace = [:], limits: ProtobufLimits
  ) throws(WeighbridgeError) {
    var scanner = ProtobufScanner(
      limits: limits, lenientFields: keepingUnknownIn, inPlace: inPlace)
    var reader = WireReader(0..<bytes.byteCount)
    do {
      try scanner.message(&reader, bytes, descriptor, depth: 1, isLenient: isLenient)
    } catch {
      throw scanner.located(error, at: reader.offset)
    }
  }

  private init(
    limits: ProtobufLimits, lenientFields: Set<UInt32>, inPlace: ProtobufFieldsInPlace
  ) {
    budget = ScanBudget(limits: limits)
    self.lenientFields = lenientFields
    self.inPlace = inPlace
  }

  /// Scans fields up to the end of `reader`; after a failure, the path and the reader give its
  /// location.
  private mutating func message(
    _ reader: inout WireReader, _ bytes: RawSpan, _ descriptor: MessageDescriptor, depth: Int,
    isLenient: Bool
  ) throws(WeighbridgeError) {
    try budget.message(of: descriptor, depth: depth)
    var seen = FieldSet()
    let fieldsInPlace = inPlace[descriptor] ?? []
    while !reader.isAtEnd {
      let tag = try reader.tag(bytes)
      try budget.field()
      guard let field = descriptor.field(tag.number) else {
        guard isLenient else {
          throw .unsupported("holds field \(tag.number), which this version does not know")
        }
        try budget.allocate(32 + reader.skip(tag.wireType, bytes))
        continue
      }
      path.append(field)
      let staysInPlace = fieldsInPlace.contains(tag.number)
      if !field.isRepeated || staysInPlace {
        guard seen.insert(descriptor.slot(of: field)) else {
          throw malformed("occurs twice, or together with another member of its oneof")
        }
      }
      if staysInPlace {
        try skipInPlace(&reader, bytes, field, tag.wireType)
        path.removeLast()
        continue
      }
      let inner = isLenient || (depth == 1 && lenientFields.contains(tag.number))
      try value(&reader, bytes, field, tag.wireType, depth: depth, isLenient: inner)
      path.removeLast()
    }
  }

  /// Skips the bytes of a field that is not unpacked.
  private func skipInPlace(
    _ reader: inout WireReader, _ bytes: RawSpan,
    _ field: FieldDescriptor, _ wireType: UInt8
  ) throws(WeighbridgeError) {
    guard wireType == 2 else {
      throw malformed("has wire type \(wireType), expected 2 (length-delimited)")
    }
    let section = try reader.section(bytes)
    let size = field.wireType == 5 ? 4 : 1
    guard section.remaining.isMultiple(of: size) else {
      throw malformed(
        "has \(section.remaining.counted("byte")), which is not a multiple of \(size)")
    }
  }

  private mutating func value(
    _ reader: inout WireReader, _ bytes: RawSpan,
    _ field: FieldDescriptor, _ wireType: UInt8, depth: Int,
    isLenient: Bool
  ) throws(WeighbridgeError) {
    let type = field.type
    let expected = WireReader.wireType(of: type)
    if wireType == 2, expected != 2, field.isRepeated {
      var packed = try reader.section(bytes)
      while !packed.isAtEnd {
        try packed.number(type, bytes)
        try budget.packedNumber()
      }
      return
    }
    guard wireType == expected else {
      throw malformed("has wire type \(wireType), expected \(expected)")
    }
    guard expected == 2 else {
      try reader.number(type, bytes)
      return try budget.allocate(8)
    }
    var section = try reader.section(bytes)
    switch type {
    case PROTOBUF_C_TYPE_MESSAGE:
      guard let inner = field.message else { return }
      do {
        try message(&section, bytes, inner, depth: depth + 1, isLenient: isLenient)
      } catch {
        throw error.at(.byte(section.offset))
      }
    case PROTOBUF_C_TYPE_STRING:
      try budget.allocate(24 + section.remaining)
      try section.validateString(bytes)
    default:
      try budget.allocate(24 + section.remaining)
    }
  }

  private func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, reason)
  }

  /// The error with the field's path before its reason and the byte offset of the problem.
  private func located(_ error: WeighbridgeError, at offset: Int) -> WeighbridgeError {
    let names = path.map(\.name)
    guard !names.isEmpty else { return error.at(.byte(offset)) }
    let reason = "field \(names.joined(separator: ".")) \(error.reason)"
    return WeighbridgeError(error.code, reason, place: error.place).at(.byte(offset))
  }
}
