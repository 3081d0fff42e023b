import Bytes
import CONNX
import CProtobufC
import ProtobufWire
import Testing

/// Messages that are built in an arena, packed and unpacked by the library.
@Suite struct ArenaTests {
  @Test("A message that is built, packed and unpacked has the same parts")
  func roundTrip() throws {
    let arena = MessageArena()
    let message = arena.message { onnx__tensor_proto__init($0) }
    message.pointee.name = try arena.text("größe")
    message.pointee.n_dims = 3
    message.pointee.dims = arena.numbers([3, 270, 86942])
    message.pointee.has_raw_data = 1
    message.pointee.raw_data = arena.bytes([1, 2, 3])
    let unknown = UnknownFields([.init(number: 99, wireType: 2, payload: [0x01, 0x61])])
    arena.keep(unknown, in: &message.pointee.base)
    let bytes = arena.serialized(message)
    #expect(
      bytes
        == WireTests.bytes("0803088e02089ea705" + "42076772c3b6c39f65" + "4a03010203" + "9a060161"))
    let descriptor = try #require(onnx_tensor_descriptor())
    let read = try UnpackedMessage<Onnx__TensorProto>(bytes.span.bytes, as: descriptor)
    try read.withMessage { (message) throws(WeighbridgeError) in
      #expect(MessageParts.text(message.name) == "größe")
      #expect(MessageParts.numbers(message.n_dims, message.dims) == [3, 270, 86942])
      #expect(MessageParts.bytes(message.raw_data) == [1, 2, 3])
      #expect(MessageParts.unknownFields(message.base) == unknown)
      #expect(MessageParts.text(nil) == "" && MessageParts.texts(0, nil) == [])
    }
  }

  @Test("Texts and lists of any size are kept while the arena lives")
  func sizes() throws {
    let arena = MessageArena()
    let texts = [0, 1, 15, 16, 17, 65_535, 65_536, 200_001].map { count in
      String(repeating: "x", count: count)
    }
    let pointers = try texts.map { try arena.text($0) }
    let list = try arena.texts(texts)
    let numbers = (0..<50_000).map { Double($0) }
    let stored = arena.numbers(numbers)
    #expect(zip(pointers, texts).allSatisfy { MessageParts.text($0) == $1 })
    #expect(MessageParts.texts(texts.count, list) == texts)
    #expect(MessageParts.numbers(numbers.count, stored) == numbers)
    #expect(arena.numbers([Int32]()) == nil && arena.bytes([]).len == 0)
    #expect(try arena.texts([]) == nil)
  }

  @Test("A text with a NUL is refused, and so is a message that breaks its schema")
  func refused() throws {
    let error = #expect(throws: WeighbridgeError.self) { _ = try MessageArena().text("a\0b") }
    #expect(error?.code == .unsupported)
    let descriptor = try #require(onnx_tensor_descriptor())
    let broken = #expect(throws: WeighbridgeError.self) {
      _ = try UnpackedMessage<Onnx__TensorProto>(
        WireTests.bytes("4203").span.bytes, as: descriptor)
    }
    #expect(broken?.code == .malformed)
  }
}
