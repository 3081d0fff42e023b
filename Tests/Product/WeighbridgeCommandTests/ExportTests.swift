import JSON
import TestSupport
import Testing
import Weighbridge

/// `weighbridge export`
@Suite struct ExportTests {
  @Test("A detector becomes a .cfg with its weights beside it")
  func darknet() throws {
    let folder = try TemporaryFolder()
    let outcome = try Program.run(
      "export", Sample.detector, "-o", folder.file("m.cfg"), "--json")
    outcome.expect(0)
    #expect(try outcome.json()["files"]?.array?.count == 2)
    #expect(folder.names == ["m.cfg", "m.weights"])
    try Program.run(
      "export", Sample.detector, "-o", folder.file("m.cfg"), "--no-clobber"
    ).expect(4, "exists already")
    try Program.run("export", Sample.detector, "-o", folder.file("n"), "--to", "darknet").expect(0)
    #expect(folder.names == ["m.cfg", "m.weights", "n", "n.weights"])
  }

  @Test("A detector becomes an ONNX model of the requested version and axes")
  func onnx() throws {
    let folder = try TemporaryFolder()
    try Program.run(
      "export", Sample.detector, "-o", folder.file("m.onnx"), "--opset", "21", "--layout", "nchw",
      "--external-data"
    ).expect(0)
    #expect(folder.names == ["m.onnx", "m.onnx.data"])
    try Program.run(
      "export", Sample.detector, "-o", folder.file("n.onnx"), "--opset", "9"
    ).expect(2, "13 to 23")
    #expect(folder.names == ["m.onnx", "m.onnx.data"])
  }

  @Test("Exported safetensors weights can be inspected alone and converted with an architecture")
  func weights() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("m.safetensors")
    try Program.run("export", Sample.detector, "-o", file).expect(0, "--architecture")
    let inspected = try Program.run("inspect", file, "--json").json()
    #expect(inspected["format"]?.string == "safetensors")
    #expect(inspected["runs"]?.bool == false)
    #expect(inspected["tensors"]?.array?.isEmpty == false)
    try Program.run("inspect", file).expect(0)
    try Program.run("convert", file, "-o", folder.file("m.wbm")).expect(3, "--architecture")
    try Program.run(
      "convert", file, "-o", folder.file("m.wbm"), "--architecture", Sample.detector
    ).expect(0)
    try Program.run("diff", folder.file("m.wbm"), Sample.detector).expect(0)
    try Program.run(
      "diff", file, Sample.detector, "--architecture", Sample.detector
    ).expect(0)
  }

  @Test("An exported ONNX model reads back like its source")
  func onnxReadBack() throws {
    let folder = try TemporaryFolder()
    let model = folder.file("m.onnx")
    try Program.run("export", Sample.detector, "-o", model, "--fold-batch-norm").expect(0)
    try Program.run("export", Sample.detector, "-o", model).expect(0)
    let inspection = try Program.run("inspect", model, "--json")
    inspection.expect(0)
    #expect(try inspection.json()["format"]?.string == "onnx opset 17")
    try Program.run("diff", Sample.detector, model).expect(0)
    try Program.run("convert", model, "-o", folder.file("m.wbm")).expect(0)
    try Program.run("verify", folder.file("m.wbm"), "--against", model).expect(0)
    try Program.run("inspect", model, "--architecture", Sample.detector).expect(2, "ONNX")
  }

  @Test("Boxes need a detector, and heads or boxes are given, not both")
  func boxes() throws {
    let folder = try TemporaryFolder()
    let model = folder.file("m.onnx")
    try Program.run("export", Sample.detector, "-o", model, "--with-nms").expect(2, "--anchors")
    try Program.run(
      "export", Sample.detector, "-o", model, "--with-nms", "--without-nms"
    ).expect(2)
    #expect(folder.names.isEmpty)
  }

  @Test("A detector becomes a Core ML model of the requested version and number type")
  func coreml() throws {
    let folder = try TemporaryFolder()
    try Program.run(
      "export", Sample.detector, "-o", folder.file("m.mlmodel"), "--without-nms", "--spec-version",
      "5", "--precision", "float16"
    ).expect(0)
    #expect(folder.names == ["m.mlmodel"])
    let refused = ["export", Sample.detector, "-o", folder.file("n.mlmodel"), "--without-nms"]
    try Program.run(refused + ["--spec-version", "6"]).expect(2, "1 to 5")
    try Program.run(refused + ["--kind", "classifier"]).expect(2, "a classifier gives")
    try Program.run(refused + ["--spec-version", "1", "--precision", "float16"]).expect(3)
    #expect(folder.names == ["m.mlmodel"])
  }

  @Test(
    "Layers that a format cannot express are named with status 3; an unknown format has status 2")
  func refused() throws {
    let folder = try TemporaryFolder()
    let other = Paths.sample("Models/number-types/float64_recurrent.k2.h5")
    try Program.run("export", other, "-o", folder.file("m.cfg")).expect(3, "darknet")
    try Program.run("export", Sample.detector, "-o", folder.file("m.xyz")).expect(2)
    try Program.run("export", Sample.detector, "-o", folder.file("m"), "--to", "xyz").expect(2)
    #expect(folder.names.isEmpty)
  }
}
