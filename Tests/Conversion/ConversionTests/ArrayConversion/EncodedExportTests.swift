import ArrayConversion
import Bytes
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// Compacted weights in files of other tools.
@Suite struct EncodedExportTests {
  /// A sample's compacted model.
  private static func model(_ encoding: String, _ name: String) throws -> Model {
    let model = try Model(contentsOf: Paths.sample("Models/\(name)/\(name).h5"))
    var options = CompactOptions()
    options.budget = .encoding(encoding)
    return try model.compacted(options)
  }

  /// The outputs for generated inputs.
  private func outputs(_ model: Model) throws -> [Tensor] {
    let inputs = try model.generatedInputs(.random(seed: 3))
    return try model.run(inputs).outputs.map(\.tensor)
  }

  @Test(
    "An export keeps integers, tables and halves, and computes the same",
    arguments: ["int8", "int3", "palette4", "palette1", "float16"],
    [ExportFormat.onnx, .coreml])
  func kept(encoding: String, target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let name = "sketch-classifier"
    let (small, plain) = (
      folder.file("small.\(target.fileExtension)"), folder.file("plain.\(target.fileExtension)")
    )
    let model = try Self.model(encoding, name)
    let report = try model.export(to: small, as: target)
    #expect(!report.notes.contains { $0.contains("numbers of full size") }, "\(report.notes)")
    try Model(contentsOf: Paths.sample("Models/\(name)/\(name).h5")).export(to: plain, as: target)
    let ratio = Double(try Files.read(small).count) / Double(try Files.read(plain).count)
    // The default opset of ONNX has no type smaller than a byte for them.
    let bits =
      encoding == "float16"
      ? 16.0 : target == .onnx ? 8 : Double(encoding.last?.wholeNumberValue ?? 8)
    #expect(ratio < bits / 32 + 0.08, "\(ratio)")
    let copy = try Model(contentsOf: small)
    let (found, all) = (try outputs(copy), try outputs(model))
    #expect(found.count == all.count && !all.isEmpty)
    for (actual, expected) in zip(found, all) {
      let difference = TensorDifference(actual: actual.reshaped(expected.shape), expected: expected)
      #expect(difference.maxAbsolute <= 1e-5, "\(difference)")
    }
  }

  @Test(
    "Encodings that a format lacks are reported as losses",
    arguments: [ExportFormat.onnx, .coreml, .keras, .safetensors, .npz])
  func widened(target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let report = try Self.model("int4-block32", "sketch-classifier").export(
      to: folder.file("model.\(target.fileExtension)"), as: target)
    #expect(
      report.notes.contains { $0.contains("of 4-bit integers") && $0.contains("full size") },
      "\(report.notes)")
  }

  @Test(
    "ONNX has 4 bits and a scale for each block from opset 21 on, here and back",
    arguments: [("int4", 4.0), ("int4-block32", 4), ("int8-block32", 8), ("int3-block32", 4)])
  func blocks(encoding: String, bits: Double) throws {
    let folder = try TemporaryFolder()
    let (small, plain) = (folder.file("small.onnx"), folder.file("plain.onnx"))
    let model = try Self.model(encoding, "sketch-classifier")
    var options = ExportOptions()
    options.opset = 21
    let report = try model.export(to: small, as: .onnx, options: options)
    #expect(!report.notes.contains { $0.contains("numbers of full size") }, "\(report.notes)")
    try Model(contentsOf: Paths.sample("Models/sketch-classifier/sketch-classifier.h5")).export(
      to: plain, as: .onnx)
    let ratio = Double(try Files.read(small).count) / Double(try Files.read(plain).count)
    // A scale of 32 bits is added for each 32 numbers, and for layers with few inputs.
    #expect(ratio < (bits + (encoding == "int4" ? 0 : 1)) / 32 + 0.1, "\(ratio)")
    let copy = try Model(contentsOf: small)
    let (found, all) = (try outputs(copy), try outputs(model))
    #expect(found.count == all.count && !all.isEmpty)
    for (actual, expected) in zip(found, all) {
      #expect(TensorDifference(actual: actual, expected: expected).maxAbsolute <= 1e-5)
    }
    let file = folder.file("again.wbm")
    try copy.write(to: file)
    let titles = Set(try Inspection(of: file).encodings.map(\.name))
    #expect(titles.contains("\(encoding.dropFirst(3).first ?? "0")-bit integers"), "\(titles)")
  }

  @Test(
    "Files of arrays keep integers on request",
    arguments: ["int8", "int4-block32", "palette4", "bfloat16"],
    [ExportFormat.safetensors, .npz])
  func arrays(encoding: String, target: ExportFormat) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("weights.\(target.fileExtension)")
    let model = try Self.model(encoding, "sketch-classifier")
    var options = ExportOptions()
    options.keepIntegers = true
    let report = try model.export(to: path, as: target, options: options)
    #expect(!report.notes.contains { $0.contains("numbers of full size") }, "\(report.notes)")
    let file = try WeightFile(ByteStore(Array(Files.read(path))), path: path)
    let stored = Dictionary(uniqueKeysWithValues: file.weights.map { ($0.name, $0.tensor) })
    for weight in model.content.graph.weights where weight.tensor.count >= 256 {
      let (name, expected) = (weight.name, weight.tensor)
      let actual: [Double]
      switch encoding {
      case "bfloat16":
        let half = try #require(stored[name])
        // NumPy has no bfloat16.
        #expect(half.elementType == (target == .npz ? .float32 : .bfloat16))
        actual = half.doubles
      case "palette4":
        let table = try #require(stored["\(name)/table"]).doubles
        #expect(table.count == 16)
        actual = try #require(stored["\(name)/codes"]).doubles.map { table[Int($0)] }
      case _:
        let integers = try #require(stored["\(name)/quantized"])
        let scales = try #require(stored["\(name)/scale"])
        #expect(integers.elementType == .int8 && scales.shape.count == expected.shape.count)
        let scaleValues = scales.doubles
        actual = integers.doubles.enumerated().map { position, integer in
          var (remainder, block, stride) = (position, 0, 1)
          for axis in expected.shape.indices.reversed() {
            let width = (expected.shape[axis] + scales.shape[axis] - 1) / scales.shape[axis]
            block += remainder % expected.shape[axis] / width * stride
            remainder /= expected.shape[axis]
            stride *= scales.shape[axis]
          }
          return Double(Float(integer) * Float(scaleValues[block]))
        }
        #expect(stored[name] == nil)
      }
      #expect(actual == expected.doubles, "\(name)")
    }
    let error = #expect(throws: WeighbridgeError.self) {
      try model.export(to: folder.file("model.onnx"), as: .onnx, options: options)
    }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("does not apply to the format") == true, "\(error as Any)")
  }

  @Test("Integers of a Core ML file stay integers", arguments: ["int4", "palette6"])
  func imported(encoding: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.mlmodel")
    try Self.model(encoding, "sketch-classifier").export(to: path, as: .coreml)
    let file = folder.file("model.wbm")
    try Model(contentsOf: path).write(to: file)
    #expect(try Files.read(file).count < Files.read(path).count + 30_000)
    let titles = Set(try Inspection(of: file).encodings.map(\.name))
    #expect(titles.contains(encoding == "int4" ? "4-bit integers" : "6-bit lookup"), "\(titles)")
  }
}
