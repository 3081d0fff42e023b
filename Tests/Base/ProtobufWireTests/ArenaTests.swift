import Bytes
import CONNX
import CProtobufC
import Testing

@testable import ProtobufWire

/// Messages that are built in an arena, packed and unpacked by the library.
@Suite struct ArenaTests {
  @Test("A message that is built, packed and unpacked has the same parts")
  func roundTrip() throws {
    let arena = MessageArena()
    let descriptor = try #require(MessageDescriptor(onnx_tensor_descriptor()))
    let base = arena.message(descriptor)
    let message = UnsafeMutableRawPointer(base).assumingMemoryBound(to: Onnx__TensorProto.self)
    message.pointee.name = try arena.string("größe")
    message.pointee.n_dims = 3
    message.pointee.dims = arena.numbers([3, 270, 86942])
    message.pointee.has_raw_data = 1
    message.pointee.raw_data = arena.bytes([1, 2, 3])
    let unknown = UnknownFields([.init(number: 99, wireType: 2, payload: [0x01, 0x61])])
    arena.addUnknownFields(unknown, to: &message.pointee.base)
    let bytes = arena.serialized(base)
    #expect(
      bytes
        == WireTests.bytes("0803088e02089ea705" + "42076772c3b6c39f65" + "4a03010203" + "9a060161"))
    let read = try UnpackedMessage(bytes.span.bytes, as: descriptor)
    try read.withMessage { (base) throws(WeighbridgeError) in
      let message = UnsafeRawPointer(base).assumingMemoryBound(to: Onnx__TensorProto.self).pointee
      #expect(MessageParts.string(message.name) == "größe")
      #expect(
        Array(UnsafeBufferPointer(start: message.dims, count: message.n_dims)) == [3, 270, 86942])
      #expect(MessageParts.bytes(message.raw_data) == [1, 2, 3])
      #expect(MessageParts.unknownFields(message.base) == unknown)
      #expect(MessageParts.string(nil) == "")
    }
  }

  @Test("Texts and lists of any size are kept while the arena lives")
  func sizes() throws {
    let arena = MessageArena()
    let strings = [0, 1, 15, 16, 17, 65_535, 65_536, 200_001].map { count in
      String(repeating: "x", count: count)
    }
    let pointers = try strings.map { try arena.string($0) }
    let list = try arena.list(strings) { (string) throws(WeighbridgeError) in
      try arena.string(string)
    }
    let numbers = (0..<50_000).map { Double($0) }
    let stored = arena.numbers(numbers)
    #expect(zip(pointers, strings).allSatisfy { MessageParts.string($0) == $1 })
    let copies = UnsafeBufferPointer(start: list, count: strings.count)
    #expect(copies.map { MessageParts.string($0) } == strings)
    #expect(Array(UnsafeBufferPointer(start: stored, count: numbers.count)) == numbers)
    #expect(arena.numbers([Int32]()) == nil && arena.bytes([]).len == 0)
  }

  @Test("A text with a NUL is refused, and so is a message that breaks its schema")
  func refused() throws {
    let error = #expect(throws: WeighbridgeError.self) { _ = try MessageArena().string("a\0b") }
    #expect(error?.code == .unsupported)
    let descriptor = try #require(MessageDescriptor(onnx_tensor_descriptor()))
    let broken = #expect(throws: WeighbridgeError.self) {
      _ = try UnpackedMessage(WireTests.bytes("4203").span.bytes, as: descriptor)
    }
    #expect(broken?.code == .malformed)
  }
}
