import Bytes
import CONNX
import CProtobufC
import ProtobufWire
import Testing

/// What is refused of serialized messages before anything is unpacked.
@Suite struct ScannerTests {
  private func scan(
    _ hexadecimal: String, isLenient: Bool = false, keepingUnknownIn: Set<UInt32> = [],
    inPlace: Set<UInt32> = [], limits: ProtobufLimits = ProtobufLimits(), isModel: Bool = false
  ) throws {
    let tensor = try #require(MessageDescriptor(onnx_tensor_descriptor()))
    let model = try #require(MessageDescriptor(onnx_model_descriptor()))
    try ProtobufScanner.scan(
      WireTests.bytes(hexadecimal).span.bytes, as: isModel ? model : tensor,
      keepingUnknownIn: keepingUnknownIn, isLenient: isLenient, inPlace: [tensor: inPlace],
      limits: limits)
  }

  /// A message of all kinds of fields, as Google's library writes it.
  private let tensor = "0802080310014201774a04000102036a110a086c6f636174696f6e1205612e62696e7001"

  @Test("A message that Google's library wrote passes")
  func sound() throws {
    try scan("")
    try scan(tensor)
    try scan("080812017042040a00101172060a016b120176", isModel: true)
  }

  @Test(
    "What is not the wire format, or not of the field's type, is refused at its byte",
    arguments: [
      ("00", 0, "a field of number 0"), ("0b", 0, "a group"), ("0f", 0, "wire type 7"),
      ("08", 1, "a number that is not there"), ("0880", 1, "a number cut off"),
      ("08ffffffffffffffffffff01", 1, "11 bytes"), ("08ffffffffffffffffff02", 1, "65 bits"),
      ("f8ffffffffffffffff0108", 0, "a tag too large"), ("0d0100", 1, "fixed32 for a varint"),
      ("4203", 1, "a text that is not there"), ("42036161", 1, "a text cut off"),
      ("42ffffffffffffffff7f61", 1, "a huge length"), ("2203000000", 2, "half a float"),
      ("4a05000102", 1, "bytes cut off"), ("4201ff", 2, "a text that is not UTF-8"),
      ("420100", 2, "a text with a NUL"), ("1080808080" + "10", 1, "33 bits for an int32"),
      ("4008", 1, "a number for a text"), ("10011001", 3, "a field twice"),
      ("6a030a0561", 3, "an inner text that is longer than its message"),
    ])
  func malformed(_ hexadecimal: String, _ offset: Int, _ story: String) {
    let error = #expect(throws: WeighbridgeError.self) { try scan(hexadecimal) }
    #expect(error?.code == .malformed, "\(story)")
    guard case .byte(let byte)? = error?.place.position else {
      Issue.record("\(story): no byte")
      return
    }
    #expect(byte == offset, "\(story)")
  }

  @Test("A message that is cut off anywhere inside a field is refused")
  func truncation() throws {
    let whole = tensor.count / 2
    // Where a field ends, the message may.
    let ends: Set = [0, 2, 4, 6, 9, 15, 34, whole]
    for count in 0...whole {
      let error = failure { try scan(String(tensor.prefix(2 * count))) }
      #expect((error == nil) == ends.contains(count), "\(count) bytes: \(error?.reason ?? "")")
      #expect(error == nil || error?.code == .malformed)
    }
  }

  private func failure(_ body: () throws -> Void) -> WeighbridgeError? {
    do { try body() } catch { return error as? WeighbridgeError }
    return nil
  }

  /// Expects an error with a code and a reason that contains a phrase.
  private func expectFailure(
    _ code: WeighbridgeError.Code, _ phrase: String,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) {
    let error = failure(body)
    #expect(error?.code == code, "\(error as Any)", sourceLocation: sourceLocation)
    #expect(
      error?.reason.contains(phrase) == true, "\(error as Any)", sourceLocation: sourceLocation)
  }

  @Test("An unknown field is refused, or skipped where that is allowed")
  func unknown() throws {
    // Field 99 of the tensor; field 99 inside field 13; field 99 inside field 8 of the model.
    let own = "9a060161"
    let inner = "6a04" + own
    let error = #expect(throws: WeighbridgeError.self) { try scan(own) }
    #expect(error?.code == .unsupported && error?.reason.contains("field 99") == true)
    try scan(own, isLenient: true)
    expectFailure(.unsupported, "field external_data holds field 99") { try scan(inner) }
    try scan(inner, keepingUnknownIn: [13])
    expectFailure(.unsupported, "holds field 99") { try scan(own, keepingUnknownIn: [13]) }
    expectFailure(.malformed, "has 2 bytes, but 1 are left") {
      try scan("9a060261", isLenient: true)
    }
  }

  @Test("An error names the field by its path in the schema")
  func path() {
    let error = #expect(throws: WeighbridgeError.self) { try scan("6a030a01ff") }
    #expect(
      error?.reason.hasPrefix("field external_data.key is not UTF-8") == true, "\(error as Any)")
  }

  @Test("Every limit holds: what is at it passes, what is over it does not")
  func limits() throws {
    // Three lists of one number, and two messages inside.
    let text = "080108020803" + "6a00" + "6a00"
    var limits = ProtobufLimits()
    limits.fieldCount = 5
    limits.messageCount = 3
    limits.depth = 2
    try scan(text, limits: limits)
    for part in [\ProtobufLimits.fieldCount, \.messageCount, \.depth] {
      var less = limits
      less[keyPath: part] -= 1
      let error = #expect(throws: WeighbridgeError.self) { try scan(text, limits: less) }
      #expect(error?.code == .limitExceeded)
    }
    limits.memory = 100
    let error = #expect(throws: WeighbridgeError.self) { try scan(text, limits: limits) }
    #expect(error?.code == .limitExceeded)
  }

  @Test("Many empty messages are over the limit of memory before they are unpacked")
  func amplification() throws {
    var limits = ProtobufLimits()
    limits.memory = 1 << 20
    // Two bytes each, and 40 or more times as much in memory.
    let messages = String(repeating: "6a00", count: 15_000)
    let error = #expect(throws: WeighbridgeError.self) { try scan(messages, limits: limits) }
    #expect(error?.code == .limitExceeded)
  }

  @Test("Bytes that stay in place cost nothing, and are one run of whole numbers")
  func inPlace() throws {
    var limits = ProtobufLimits()
    limits.memory = 1000
    let numbers = "22c801" + String(repeating: "00", count: 200)
    try scan(numbers, inPlace: [4], limits: limits)
    expectFailure(.malformed, "occurs twice") { try scan(numbers + numbers, inPlace: [4]) }
    expectFailure(.malformed, "has 3 bytes, which is not a multiple of 4") {
      try scan("2203000000", inPlace: [4])
    }
    expectFailure(.malformed, "has wire type 5, expected 2") {
      try scan("2500000000", inPlace: [4])
    }
    try scan(numbers + numbers)
  }

  @Test("An unknown enumerator and an unsigned number beyond Int are refused by the reader")
  func values() throws {
    let descriptor = try #require(MessageDescriptor(onnx_tensor_descriptor()))
    for (hexadecimal, code) in [
      ("7007", WeighbridgeError.Code.unsupported), ("5a0affffffffffffffffff01", .malformed),
    ] {
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try ProtobufRecordReader.read(
          WireTests.bytes(hexadecimal).span.bytes, as: descriptor, limits: ProtobufLimits())
      }
      #expect(error?.code == code)
    }
  }

  @Test("The numbers of a message's first fields are listed, even if it is malformed")
  func leading() throws {
    let numbers = { (hexadecimal: String) in
      ProtobufRecordReader.leadingFieldNumbers(WireTests.bytes(hexadecimal).span.bytes)
    }
    #expect(numbers("") == [])
    #expect(numbers(tensor) == [1, 2, 8, 9, 13, 14])
    #expect(numbers("080142ff") == [1, 8])
    #expect(numbers("08010f") == [1])
    let many = [UInt8](repeating: 0x08, count: 200_002)
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try ProtobufRecordReader.fieldNumbers(many.span.bytes)
    }
    #expect(error?.code == .limitExceeded)
  }
}
