import Bytes
import CONNX
import Foundation
import ONNXFormat
import ProtobufWire
import TestSupport
import Testing

/// Written files, as the protobuf library reads them.
@Suite struct WriterTests {
  private let weight = ONNXInitializer(name: "weight", elementType: .float32, shape: [40, 10])
  private let scale = ONNXInitializer(name: "scale", elementType: .float16, shape: [])

  private func model(_ initializers: [ONNXInitializer]) -> ONNXModel {
    let feature = ONNXFeature(
      name: "x", elementType: .float32, shape: [.named("batch"), .fixed(0), .unknown],
      summary: "What comes in")
    let body = ONNXGraph(name: "body", nodes: [], inputs: [feature], outputs: [feature])
    let node = ONNXNode(
      name: "n", operation: "Scan", inputs: ["x", "", "weight"], outputs: ["y"],
      attributes: [
        ("body", .graph(body)), ("count", .integer(0)), ("factor", .float(0.5)),
        ("lists", .integers([1, -2])), ("numbers", .floats([0.25])), ("word", .string("é")),
        ("words", .strings(["a", "b"])),
      ])
    return ONNXModel(
      irVersion: 8, opset: 17, producerName: "weighbridge", producerVersion: "1",
      summary: "A model", metadata: [(key: "k", value: "v")],
      graph: ONNXGraph(
        name: "g", nodes: [node], initializers: initializers, inputs: [feature],
        outputs: [feature]))
  }

  /// Writes a model in which the bytes of each weight count up from 0.
  private func write(
    _ model: ONNXModel, to path: String, _ storage: ONNXWriter.Storage = .embedded
  ) throws {
    var writer = try ONNXWriter(model, to: path, storage: storage)
    for initializer in model.graph.initializers {
      try writer.beginWeight()
      let count = initializer.shape.reduce(initializer.elementType.byteCount, *)
      for start in stride(from: 0, to: count, by: 100) {
        let bytes = (start..<min(start + 100, count)).map { UInt8(truncatingIfNeeded: $0) }
        try writer.append(bytes.span.bytes)
      }
    }
    try writer.commit(replacing: true)
  }

  /// Reads a file with the library, after our own scan.
  private func read<Result>(
    _ path: String, _ body: (Onnx__ModelProto) throws -> Result
  ) throws -> Result {
    let bytes = [UInt8](try Files.read(path))
    let descriptor = try #require(MessageDescriptor(onnx_model_descriptor()))
    try ProtobufScanner.scan(
      bytes.span.bytes, as: descriptor, keepingUnknownIn: [], limits: ProtobufLimits())
    let unpacked = try UnpackedMessage(bytes.span.bytes, as: descriptor)
    var message = Onnx__ModelProto()
    try unpacked.withMessage { (read) throws(WeighbridgeError) in
      message = UnsafeRawPointer(read).assumingMemoryBound(to: Onnx__ModelProto.self).pointee
    }
    // Keeps `unpacked` alive until the end of the call.
    let result = try body(message)
    _ = consume unpacked
    return result
  }

  @Test("What is written reads back")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    try write(model([weight, scale]), to: folder.file("m.onnx"))
    try read(folder.file("m.onnx")) { message in
      #expect(message.ir_version == 8)
      #expect(message.opset_import[0]?.pointee.version == 17)
      #expect(MessageParts.string(message.metadata_props[0]?.pointee.value) == "v")
      let graph = try #require(message.graph?.pointee)
      #expect(graph.n_node == 1 && graph.n_initializer == 2)
      let node = try #require(graph.node[0]?.pointee)
      #expect(node.n_input == 3 && node.n_attribute == 7)
      let count = try #require(node.attribute[1]?.pointee)
      #expect(count.has_i == 1 && count.i == 0)
      let word = try #require(node.attribute[5]?.pointee)
      #expect(MessageParts.string(word.s) == "é")
      let dimensions = try #require(graph.input[0]?.pointee.type.pointee.tensor_type.pointee.shape)
      #expect(dimensions.pointee.n_dim == 3)
      #expect(
        dimensions.pointee.dim[1]?.pointee.value_case
          == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
      let first = try #require(graph.initializer[0]?.pointee)
      #expect(first.n_dims == 2 && first.dims[0] == 40 && first.data_type == 1)
      let bytes = MessageParts.bytes(first.raw_data)
      #expect(bytes == (0..<1600).map { UInt8(truncatingIfNeeded: $0) })
      let second = try #require(graph.initializer[1]?.pointee)
      #expect(second.n_dims == 0 && second.data_type == 10)
      #expect(MessageParts.bytes(second.raw_data) == [0, 1])
    }
  }

  @Test("Large weights go into a file beside, and small ones stay")
  func externalData() throws {
    let folder = try TemporaryFolder()
    let other = ONNXInitializer(name: "other", elementType: .uint8, shape: [2001])
    try write(
      model([other, scale, weight]), to: folder.file("m.onnx"),
      .external(path: folder.file("m.onnx.data"), name: "m.onnx.data"))
    #expect(folder.names == ["m.onnx", "m.onnx.data"])
    let data = try Files.read(folder.file("m.onnx.data"))
    #expect(data.count == 2048 + 1600)
    #expect(data[2048 + 7] == 7)
    try read(folder.file("m.onnx")) { message in
      let graph = try #require(message.graph?.pointee)
      let weight = try #require(graph.initializer[2]?.pointee)
      #expect(weight.data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
      let entries = (0..<weight.n_external_data).map { index in
        MessageParts.string(weight.external_data[index]?.pointee.value)
      }
      #expect(entries == ["m.onnx.data", "2048", "1600"])
      #expect(graph.initializer[1]?.pointee.raw_data.len == 2)
    }
  }

  @Test("A file of more than 2 GB is refused before it is written")
  func tooLarge() throws {
    let folder = try TemporaryFolder()
    let huge = ONNXInitializer(name: "huge", elementType: .float32, shape: [1 << 29])
    let error = failure {
      _ = try ONNXWriter(model([huge]), to: folder.file("m.onnx"), storage: .embedded)
    }
    #expect(error?.code == .unsupported)
    #expect(folder.names.isEmpty)
  }

  @Test("An unfinished file leaves nothing behind, and an existing file stays")
  func unfinished() throws {
    let folder = try TemporaryFolder()
    try Files.write("old".utf8, to: folder.file("m.onnx"))
    do {
      var writer = try ONNXWriter(
        model([weight]), to: folder.file("m.onnx"),
        storage: .external(path: folder.file("m.onnx.data"), name: "m.onnx.data"))
      try writer.beginWeight()
    }
    #expect(folder.names == ["m.onnx"])
    #expect(try Files.read(folder.file("m.onnx")) == Data("old".utf8))
    let error = failure {
      _ = try ONNXWriter(model([]), to: folder.file("no/m.onnx"), storage: .embedded)
    }
    #expect(error?.code == .outputFailed)
  }
}
