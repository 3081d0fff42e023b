import Bytes
import CoreMLFormat
import ProtobufWire
import TestSupport
import Testing

/// The files of `Samples/Hostile/coreml-syntax`, and the errors for them.
@Suite struct HostileTests {
  static let files: [HostileFile] = [
    .init("bias_cut", .malformed, "bias.bias.floatValue has 7 bytes, which is not a multiple of 4"),
    .init("bias_pieces", .malformed, "bias.bias.floatValue occurs twice"),
    .init("bias_unpacked", .malformed, "floatValue has wire type 5, expected 2"),
    .init("description_state", .unsupported, "the description holds state, which only ML Programs"),
    .init("enumerator_unknown", .unsupported, "type has the value 9, which is not known"),
    .init("feature_state", .unsupported, "the feature x has no type that can be read"),
    .init("field_twice", .malformed, "layers.activation occurs twice"),
    .init("field_unknown", .unsupported, "neuralNetwork.layers holds field 99999"),
    .init("kind_missing", .malformed, "the model has no type"),
    .init("kinds_two", .malformed, "is of the kinds neuralNetwork and mlProgram, expected one"),
    .init("layer_missing", .malformed, "layer a: has no type"),
    .init("layer_random", .unsupported, "layer a: is a layer randomNormalLike"),
    .init("length_huge", .malformed, "byte 4: has 4611686018427387904 bytes, but 1 are left"),
    .init("ml_program", .malformed, "description.functions has the invalid protobuf tag 108"),
    .init("nested", .limitExceeded, "nests messages deeper than the limit of 64"),
    .init("not_text", .malformed, "layers.name is not UTF-8"),
    .init("preprocessing_empty", .malformed, "the preprocessing of x is empty"),
    .init("tree_ensemble", .unsupported, "a Core ML model of the kind treeEnsembleClassifier"),
    .init("truncated", .malformed, "are left in the enclosing message"),
    .init("version_huge", .malformed, "specificationVersion is a number too large"),
  ]

  @Test("A hostile file is refused", arguments: files)
  func hostile(_ file: HostileFile) throws {
    let path = Paths.sample("Hostile/coreml-syntax/\(file.name).mlmodel")
    let bytes = [UInt8](try Files.read(path))
    let error = try #require(failure { _ = try CoreMLReader.read(bytes.span.bytes) })
    #expect(file.explains(error), "\(error)")
  }

  @Test("Every file of the folder is expected to be refused")
  func complete() {
    let names = Files.names(in: Paths.sample("Hostile/coreml-syntax")).filter {
      $0.hasSuffix(".mlmodel")
    }
    #expect(Set(names) == Set(Self.files.map { "\($0.name).mlmodel" }))
  }

  @Test("Millions of empty layers are refused before memory is taken for them")
  func manyLayers() {
    let layers = [UInt8](repeating: 0, count: 6_000_000).enumerated().map { index, _ in
      index.isMultiple(of: 2) ? 0x0A : 0 as UInt8
    }
    let bytes = [8, 1] + ProtobufField.header(500, byteCount: layers.count) + layers
    let error = failure { _ = try CoreMLReader.read(bytes.span.bytes) }
    #expect(error?.code == .limitExceeded)
  }

  @Test("Weights of two forms, and quantized ones of which nothing says how, are refused")
  func weights() {
    let value = ProtobufValue.byteRange(ProtobufByteRange(offset: 0, byteCount: 4))
    let quantization: ProtobufValue = .record([
      "numberOfBits": .integer(9), "linearQuantization": .record(["scale": .doubles([1])]),
    ])
    for record: ProtobufRecord in [
      ["floatValue": value, "float16Value": value], ["rawValue": value],
      ["rawValue": value, "quantization": quantization],
    ] {
      #expect(failure { _ = try CoreMLWeights(record) }?.code == .malformed)
    }
  }
}
