import Bytes
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// Weights that were made smaller, in files of other tools.
@Suite struct EncodedExportTests {
  /// A sample's model, smaller.
  private static func model(_ encoding: String, _ name: String) throws -> Model {
    let model = try Model(contentsOf: Places.sample("Models/\(name)/\(name).h5"))
    var options = CompactOptions()
    options.budget = .encoding(encoding)
    return try model.compacted(options)
  }

  /// The outputs for made-up inputs.
  private func outputs(_ model: Model) throws -> [Tensor] {
    let inputs = try model.madeUpInputs(.random(seed: 3))
    return try model.run(inputs).outputs.map(\.tensor)
  }

  @Test(
    "An export keeps integers, tables and halves, and computes the same",
    arguments: ["int8", "int3", "palette4", "palette1", "float16"],
    [ExportTarget.onnx, .coreml])
  func kept(encoding: String, target: ExportTarget) throws {
    let folder = try TemporaryFolder()
    let name = "sketch-classifier"
    let (small, plain) = (
      folder.file("small.\(target.fileExtension)"), folder.file("plain.\(target.fileExtension)")
    )
    let model = try Self.model(encoding, name)
    let report = try model.export(to: small, as: target)
    #expect(!report.losses.contains { $0.contains("numbers of full size") }, "\(report.losses)")
    try Model(contentsOf: Places.sample("Models/\(name)/\(name).h5")).export(to: plain, as: target)
    let share = Double(try Files.read(small).count) / Double(try Files.read(plain).count)
    // ONNX has nothing smaller than a byte for them here.
    let bits =
      encoding == "float16"
      ? 16.0 : target == .onnx ? 8 : Double(encoding.last?.wholeNumberValue ?? 8)
    #expect(share < bits / 32 + 0.08, "\(share)")
    let again = try Model(contentsOf: small)
    for (got, want) in zip(try outputs(again), try outputs(model)) {
      let difference = TensorDifference(got: got.reshaped(want.shape), want: want)
      #expect(difference.maxAbsolute <= 1e-5, "\(difference)")
    }
  }

  @Test(
    "What a format has no form for is said",
    arguments: [ExportTarget.onnx, .coreml, .keras, .safetensors, .npz])
  func widened(target: ExportTarget) throws {
    let folder = try TemporaryFolder()
    let report = try Self.model("int4-block32", "sketch-classifier").export(
      to: folder.file("model.\(target.fileExtension)"), as: target)
    #expect(
      report.losses.contains { $0.contains("of 4-bit integers") && $0.contains("full size") },
      "\(report.losses)")
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
