import JSON
import TestSupport
import Testing
import Weighbridge

@testable import WeighbridgeCommand

/// The output of the commands when they succeed, or when a check fails.
@Suite struct ResultTests {
  @Test("verify --json has the promised members")
  func verifyJSON() throws {
    let folder = try TemporaryFolder()
    try Sample.convert(to: folder.file("model.wbm"))
    let outcome = try Program.run(
      "verify", folder.file("model.wbm"), "--against", Sample.detector, "--json")
    outcome.expect(0)
    let report = try outcome.json()
    #expect(report["passed"] == .bool(true))
    let list = try #require(report["checks"]?.array)
    let checks = list.compactMap(\.object)
    #expect(
      checks.compactMap { $0["name"]?.string }
        == ["container", "shapes", "weights", "source", "references", "engines"])
    #expect(checks.allSatisfy { $0["status"] == "passed" && $0["reason"]?.string != nil })
    for name in ["references", "engines"] {
      let check = try #require(checks.first { $0["name"]?.string == name })
      for member in ["max_abs", "max_rel", "cosine"] {
        #expect(check[member]?.real != nil, "\(name): \(member)")
      }
    }
  }

  @Test("verify fails with status 1, and names the check and the place")
  func verifyFails() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.wbm")
    try Sample.convert(to: path)
    var bytes = Array(try Files.read(path))
    bytes[bytes.count - 100_000] ^= 1
    try Files.write(bytes, to: path)
    let outcome = try Program.run("verify", path)
    outcome.expect(1)
    #expect(outcome.output.contains("FAILED   container"))
    let json = try Program.run("verify", path, "--json")
    json.expect(1)
    #expect(try json.json()["passed"] == .bool(false))
  }

  @Test("verify --against another source fails, and a missing one is an error")
  func against() throws {
    let folder = try TemporaryFolder()
    try Sample.convert(to: folder.file("model.wbm"))
    let other = Paths.sample("Models/sketch-classifier/sketch-classifier.h5")
    let outcome = try Program.run("verify", folder.file("model.wbm"), "--against", other)
    outcome.expect(1)
    #expect(outcome.output.contains("FAILED   source"))
    try Program.run("verify", folder.file("model.wbm"), "--against", "/nowhere/x").expect(
      3, "/nowhere/x: cannot open")
  }

  @Test("verify --layers uses given layer references")
  func verifyLayers() throws {
    let files = try TemporaryFolder()
    let layers = try ArrayFile.read(Sample.layers)
    try ArrayFile.write(layers, to: files.file("layers.npz"))
    let outcome = try Program.run(
      "verify", Sample.detector, "--layers", "--reference-inputs", Sample.input,
      "--reference-outputs", files.file("layers.npz"))
    outcome.expect(0)
    #expect(outcome.output.contains("all 22 layers agree with their references"))
    let strict = try Program.run(
      "verify", Sample.detector, "--layers", "--reference-inputs", Sample.input,
      "--reference-outputs", files.file("layers.npz"), "--atol", "0", "--rtol", "0")
    strict.expect(1)
    #expect(strict.output.contains("is the first layer that diverges"))
  }

  @Test("inspect --json describes model, layers, weights, provenance and references")
  func inspectJSON() throws {
    let folder = try TemporaryFolder()
    try Sample.convert(to: folder.file("model.wbm"))
    let json = try Program.run("inspect", folder.file("model.wbm"), "--json").json()
    for member in [
      "path", "format", "size", "description", "inputs", "outputs", "layers", "weights",
      "provenance", "references",
    ] {
      #expect(json[member] != nil, "\(member)")
    }
    #expect(json["layers"]?.array?.count == 23)
    #expect(json["weights"]?.object?["parameters"] == 78_304)
    let source = json["provenance"]?.object?["sources"]?.array?.first?.object
    #expect(source?["file"] == "shape-detector.h5")
    #expect(source?["sha256"]?.string?.count == 64)
    #expect(json["references"]?.array?.first?.object?["by"] == "keras 2.1.5")
  }

  @Test("inspect shows the layer table on request, and any format")
  func inspectText() throws {
    let plain = try Program.run("inspect", Sample.detector)
    plain.expect(0)
    #expect(!plain.output.contains("max_pooling2d_4"))
    let outcome = try Program.run("inspect", Sample.detector, "--layers")
    #expect(outcome.output.contains("max_pooling2d_4"))
    #expect(outcome.output.contains("from keras 2.1.5 on tensorflow"))
  }

  @Test("convert --json prints the inspection of what was written")
  func convertJSON() throws {
    let folder = try TemporaryFolder()
    let outcome = try Program.run(
      "convert", Sample.detector, "-o", folder.file("x.wbm"), "--json", "--author", "A")
    outcome.expect(0)
    let json = try outcome.json()
    #expect(json["path"] == .string(folder.file("x.wbm")))
    #expect(json["description"]?.object?["author"] == "A")
  }

  @Test("The options that describe a model arrive in the file")
  func modelCase() throws {
    let folder = try TemporaryFolder()
    try Program.run(
      "convert", Sample.detector, "-o", folder.file("x.wbm"), "--input-name", "image",
      "--output-name", "output", "--image-input", "image", "--image-scale", "1/255", "--author",
      "Joshua Newnham", "--license", "BSD", "--description", "Keras port",
      "--input-description", "image=RGB Image", "--output-description", "output=Grid [cx, cy]",
      "--detector", "region", "--anchors", Sample.anchors, "--labels", Sample.labels,
      "--reference-inputs", Sample.input, "--reference-outputs", Sample.outputs,
      "--reference-by", "keras 2.1.5", "--verify"
    ).expect(0)
    let description = try Model(contentsOf: folder.file("x.wbm")).metadata
    #expect(description.author == "Joshua Newnham" && description.license?.text == "BSD")
    #expect(description.inputs[0].image?.scale == 1.0 / 255)
    #expect(description.outputs.map(\.summary) == ["Grid [cx, cy]"])
    #expect(description.detector?.grid?.anchors.count == 3)
    #expect(description.labels == ["ellipse", "rectangle", "triangle"])
    try Program.run("verify", folder.file("x.wbm"), "--against", Sample.detector).expect(0)
  }

  @Test("Equal decisions are printed as one line with a count; JSON lists each")
  func decisions() throws {
    let folder = try TemporaryFolder()
    let line =
      "decision, 8 times: this optional input is removed; its default value is used "
      + "(features.0.weight, features.0.bias, features.1.weight and 5 more)"
    let (model, output) = (Paths.sample("ONNX/defaults.onnx"), folder.file("out.wbm"))
    let conversion = try Program.run("convert", model, "-o", output)
    conversion.expect(0, "weighbridge: \(line)\n")
    #expect(conversion.messages.split(separator: "decision").count == 2)
    for path in [model, output] {
      let lines = try Program.run("inspect", path).output.split(separator: "\n")
      #expect(lines.filter { $0.hasPrefix("decision") } == [line[...]])
      let json = try Program.run("inspect", path, "--json").json()
      let decisions = try #require(json["provenance"]?.object?["decisions"]?.array)
      let layers = decisions.compactMap { $0.object?["layer"]?.string }
      #expect(layers.count == 8 && layers.last == "fc.bias")
    }
  }

  @Test("Up to three names are listed, and single decisions are unchanged")
  func fewDecisions() throws {
    var provenance = Provenance()
    let names = ["a", "c", "", "b", "", "a", "x", "y", "z"]
    let texts = ["one", "one", "whole", "two", "whole", "one", "four", "four", "four"]
    provenance.decisions = zip(names, texts).map { .init(layer: $0, text: $1) }
    provenance.decisions += [.init(layer: "w", text: "four"), .init(layer: "", text: "last")]
    #expect(
      provenance.decisionLines == [
        "decision, 3 times: one (a, c, a)", "decision, 2 times: whole", "decision: b: two",
        "decision, 4 times: four (x, y, z and 1 more)", "decision: last",
      ])
    #expect(Provenance().decisionLines.isEmpty)
  }
}
