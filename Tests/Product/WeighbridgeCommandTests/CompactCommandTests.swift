import Foundation
import JSON
import LayerCatalog
import TestSupport
import Testing
import Vision
import Weighbridge

/// `weighbridge compact`, from the arguments to the contents of the file.
@Suite struct CompactCommandTests {
  private static let folderOfSketches = Paths.sample("Models/sketch-classifier")
  private static let sketches: [String] = {
    let folder = "\(folderOfSketches)/sketches"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().map { "\(folder)/\($0)" }
  }()

  private let folder = Result { try TemporaryFolder() }

  private func file(_ name: String) throws -> String { try folder.get().file(name) }

  /// The sketch classifier with its image settings, labels and the outputs that Keras computed.
  private func classifier() throws -> String {
    let (sample, path) = (Self.folderOfSketches, try file("sketches.wbm"))
    try Program.run(
      "convert", "\(sample)/sketch-classifier.h5", "-o", path, "--input-name", "sketch",
      "--image-input", "sketch", "--image-scale", "1/255", "--labels", "\(sample)/labels.names",
      "--reference-inputs", "\(sample)/input.npy", "--reference-outputs", "\(sample)/outputs.npz",
      "--reference-by", "keras 2.1.5", "--quiet"
    ).expect(0)
    return path
  }

  /// The logits: the last layer, computed here from its input.
  private func scores(of model: Model, for image: Tensor) throws -> [Double] {
    let layers = try model.run([NamedTensor(name: "sketch", tensor: image)], keepsLayers: true)
      .layers
    let features = try #require(layers.first { $0.name == "dense_1" }).tensor.doubles
    let weights = Dictionary(
      uniqueKeysWithValues: model.content.graph.weights.map { ($0.name, $0.tensor.doubles) })
    let (kernel, bias) = (
      try #require(weights["dense_2/kernel"]), try #require(weights["dense_2/bias"])
    )
    try #require(features.count == 64 && kernel.count == 512 && bias.count == 8)
    return bias.indices.map { row in
      features.indices.reduce(bias[row]) { $0 + kernel[64 * row + $1] * features[$1] }
    }
  }

  /// ||actual - expected|| / ||expected||
  private func error(_ actual: [Double], _ expected: [Double]) -> Double {
    let (difference, magnitude) = zip(actual, expected).reduce((0.0, 0.0)) { sum, pair in
      (sum.0 + (pair.0 - pair.1) * (pair.0 - pair.1), sum.1 + pair.1 * pair.1)
    }
    return (difference / magnitude).squareRoot()
  }

  @Test("Without a budget nothing is lost, and the references of Keras still hold")
  func lossless() throws {
    let (plain, small) = (try classifier(), try file("small.wbm"))
    let outcome = try Program.run("compact", plain, "-o", small)
    outcome.expect(0)
    try Program.run("verify", small, "--against", plain).expect(0)
    try Program.run("diff", plain, small).expect(0)
    #expect(try Files.read(small).count < Files.read(plain).count)
    let numbers = try [plain, small].map { path in
      try Program.run(
        "run", path, "--inputs", "\(Self.folderOfSketches)/input.npy", "--outputs", file("out.npz")
      ).expect(0)
      return try Array(Files.read(file("out.npz")))
    }
    #expect(numbers[0] == numbers[1])
    let record = try Program.run("inspect", small, "--json").json()
    #expect(record["compaction"] == nil)
    let stored = try #require(record["encodings"]?.array).compactMap {
      $0.object?["bytes"]?.integer
    }
    // 80,200 parameters in single precision.
    #expect(stored.reduce(0, +) * 100 < 320_800 * 87)
  }

  @Test("A budget holds on sketches not used for calibration, as measured independently")
  func budget() throws {
    try #require(Self.sketches.count == 200)
    let (plain, small) = (try classifier(), try file("small.wbm"))
    let (calibration, evaluation) = (Self.sketches[..<64], Self.sketches[100..<160])
    let outcome = try Program.run(
      ["compact", plain, "-o", small, "--max-error", "0.01", "--json", "--calibration"]
        + calibration + ["--evaluation"] + evaluation)
    outcome.expect(0)
    let record = try #require(try outcome.json()["compaction"]?.object)
    #expect(record["input_count"]?.integer == 90)
    #expect(record["inputs"]?.string == "60 images, and 30 generated images of 5 kinds")
    let losses = try #require(record["outputs"]?.array?.first?.object)
    let stated = try #require(losses["bound"]?.real)
    #expect(try #require(losses["worst"]?.real) <= stated)
    let models = try [Model(contentsOf: plain), Model(contentsOf: small)]
    var worst = 0.0
    for path in evaluation {
      let image = try models[0].imageTensor("sketch", [Image(contentsOf: path)])
      let results = try models.map { try scores(of: $0, for: image) }
      worst = max(worst, error(results[1], results[0]))
    }
    // Generated images are measured too, and the bound is above what was measured.
    #expect(worst <= stated && stated <= 0.01 && worst > 0.002)
    #expect(try Files.read(small).count * 3 < Files.read(plain).count)
    let predictions = try #require(record["answers"]?.object)
    #expect(predictions["total"]?.integer == 60)
    #expect(try #require(predictions["kept"]?.integer) >= 59)
    try Program.run("verify", small).expect(0)
    // The references are Keras' outputs, with the error of the smaller model as their tolerance.
    let references = try #require(Inspection(of: small).references.first)
    #expect(references.author == "keras 2.1.5" && references.toleranceSource == .compaction)
    #expect(try #require(references.tolerance.relativeL2) < 0.05)
    // Another budget needs the original model.
    try Program.run("compact", small, "-o", file("again.wbm"), "--max-error", "0.1").expect(
      2, "has already been compacted with a loss")
    try Program.run("compact", small, "-o", file("again.wbm")).expect(0)
  }

  @Test("A size budget is met")
  func size() throws {
    let (plain, small) = (try classifier(), try file("small.wbm"))
    let outcome = try Program.run(
      ["compact", plain, "-o", small, "--max-size", "50000", "--json", "--calibration"]
        + Self.sketches[..<32])
    outcome.expect(0)
    let stored = try #require(try outcome.json()["encodings"]?.array)
      .compactMap { $0.object?["bytes"]?.integer }.reduce(0, +)
    #expect(stored <= 50_000 && stored > 40_000)
  }

  @Test("A folder of arrays is the same as the files in it")
  func folderOfArrays() throws {
    let plain = try classifier()
    let folder = try file("arrays")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let arrays = (0..<8).map { "\(folder)/\($0).npy" }
    for array in arrays {
      try FileManager.default.copyItem(atPath: "\(Self.folderOfSketches)/input.npy", toPath: array)
    }
    let results = try [[folder], arrays].map { examples in
      let small = try file("small.wbm")
      try Program.run(
        ["compact", plain, "-o", small, "--max-error", "0.05", "--calibration"] + examples
      ).expect(0)
      return try Array(Files.read(small))
    }
    #expect(results[0] == results[1])
  }

  @Test(
    "A budget that is out of range, or with options that do not go with it, is bad usage",
    arguments: [
      ["--max-error", "0"], ["--max-error", "-1"], ["--max-error", "nan"], ["--max-error", "inf"],
      ["--max-size", "0"], ["--keep-answers", "0"], ["--keep-answers", "1.1"],
      ["--max-error", "0.1", "--lossless"], ["--calibration", "x.png"], ["--proof"],
    ])
  func badBudgets(_ arguments: [String]) throws {
    let workspace = try Workspace()
    try Program.run(["compact", Sample.detector, "-o", workspace.output] + arguments).expect(2)
    try workspace.expectUntouched()
  }

  @Test("Unusable or too few examples are reported, and nothing is written")
  func badExamples() throws {
    let (plain, workspace) = (try classifier(), try Workspace())
    let use = ["compact", plain, "-o", workspace.output, "--max-error", "0.1", "--calibration"]
    try Program.run(use + ["\(Self.folderOfSketches)/labels.names"]).expect(3, "labels.names")
    try Program.run(use + ["/nowhere/a.png"]).expect(3, "/nowhere/a.png")
    try Program.run(use + [Sample.input]).expect(2, "the input sketch takes")
    try workspace.expectUntouched()
  }

  @Test("One sketch that is given many times counts once, and the record says so")
  func sameExamples() throws {
    let (plain, small) = (try classifier(), try file("small.wbm"))
    let outcome = try Program.run(
      ["compact", plain, "-o", small, "--max-error", "0.1", "--calibration"]
        + [String](repeating: Self.sketches[7], count: 12))
    outcome.expect(0, "caution: these 12 images are all the same")
    #expect(try Inspection(of: small).compaction?.inputs == "40 generated images of 5 kinds")
    try Program.run("inspect", small).expect(0)
  }

  @Test("The stated error is measured anew on other inputs, against the original")
  func measuringAnew() throws {
    let (plain, small) = (try classifier(), try file("small.wbm"))
    try Program.run(
      ["compact", plain, "-o", small, "--max-error", "0.05", "--quiet", "--calibration"]
        + Self.sketches[..<64]
    ).expect(0)
    let others = ["--evaluation"] + Self.sketches[100...]
    let outcome = try Program.run(["verify", small, "--against", plain] + others)
    outcome.expect(0)
    #expect(outcome.output.contains("of 100 images"), "\(outcome.output)")
    // Int2 loses far more than what the other file states.
    let record = try #require(try Model(contentsOf: small).content.compaction)
    var coarse = try Model(contentsOf: plain)
    var options = CompactOptions()
    options.budget = .encoding("int2")
    coarse = try coarse.compacted(options)
    coarse.content.compaction?.outputs = record.outputs
    try coarse.write(to: file("coarse.wbm"))
    let found = try Program.run(
      ["verify", file("coarse.wbm"), "--against", plain, "--json"] + others)
    #expect(found.status == 1)
    let checks = try #require(try found.json()["checks"]?.array).compactMap(\.object)
    let bound = try #require(checks.first { $0["name"]?.string == "bound" })
    #expect(bound["status"]?.string == "failed")
    #expect(bound["reason"]?.string?.contains("does not hold for them") == true)
    // Without the original, a loss, or inputs that fit, nothing can be measured.
    try Program.run(["verify", small] + others).expect(2, "needs the original")
    let exact = try Program.run(["verify", plain, "--against", plain] + others)
    #expect(exact.status == 1 && exact.output.contains("states no error"))
    let other = try Program.run(
      "verify", small, "--against", plain, "--evaluation", Sample.input)
    #expect(other.status == 1 && other.output.contains("the input sketch takes"))
  }

  @Test("Keeping answers needs a model that gives answers")
  func noAnswers() throws {
    let workspace = try Workspace()
    try Program.run(
      "compact", Paths.sample("Models/softening/softening.h5"), "-o", workspace.output,
      "--keep-answers", "0.9"
    ).expect(2, "no answers that can be counted")
    try workspace.expectUntouched()
  }

  @Test(
    "convert --compact writes what convert and compact write one after the other",
    arguments: [
      ["--lossless"], ["--encoding", "int8"], ["--encoding", "palette6"],
      ["--activations", "int8", "--max-error", "0.2"],
    ])
  func converting(_ budget: [String]) throws {
    let source = "\(Self.folderOfSketches)/sketch-classifier.h5"
    let (plain, two, one) = (try file("plain.wbm"), try file("two.wbm"), try file("one.wbm"))
    try Program.run("convert", source, "-o", plain, "--quiet").expect(0)
    try Program.run(["compact", plain, "-o", two, "--quiet"] + budget).expect(0)
    try Program.run(["convert", source, "-o", one, "--compact", "--quiet"] + budget).expect(0)
    let weights = try [one, two].map { path in
      try Model(contentsOf: path).content.graph.weights.map(\.tensor.doubles)
    }
    #expect(!weights[0].isEmpty && weights[0] == weights[1])
    #expect(try Files.read(one).count < Files.read(plain).count)
    // The error of each weight is the recorded one.
    try Program.run("verify", one, "--against", source).expect(0)
  }

  @Test("A weight that differs from the source by more than the file records is found")
  func furtherOff() throws {
    let source = "\(Self.folderOfSketches)/sketch-classifier.h5"
    let (fine, other) = (try file("fine.wbm"), try file("other.wbm"))
    for (path, encoding) in [(fine, "int8"), (other, "int4")] {
      try Program.run(
        "convert", source, "-o", path, "--compact", "--encoding", encoding, "--quiet"
      ).expect(0)
    }
    // Two files with different numbers both pass by their own records, and differ from each other.
    try Program.run("verify", other, "--against", source).expect(0)
    try Program.run("verify", other, "--against", fine).expect(1)
  }

  @Test("A model with folded batch normalizations is compared with its source folded likewise")
  func folded() throws {
    let (source, small) = (
      Paths.sample("Models/shape-detector/shape-detector.h5"), try file("small.wbm")
    )
    for encoding in ["int8", "float16"] {
      try Program.run(
        "convert", source, "-o", small, "--compact", "--encoding", encoding, "--fold-batch-norm",
        "--quiet"
      ).expect(0)
      let kinds = try Model(contentsOf: small).content.graph.nodes.map(\.operation.kind)
      #expect(!kinds.isEmpty && !kinds.contains("batch_normalization"))
      try Program.run("verify", small, "--against", source).expect(0)
    }
    // Another model is not the source of this one.
    try Program.run(
      "verify", small, "--against", Paths.sample("Models/scene-detector/scene-detector.h5")
    ).expect(1)
  }

  @Test(
    "Layers run in int8 or bfloat16, and the stated error equals an independent measurement",
    arguments: ["int8", "bfloat16"])
  func activations(type: String) throws {
    try #require(Self.sketches.count == 200)
    let (plain, fast) = (try classifier(), try file("fast.wbm"))
    let (calibration, evaluation) = (Self.sketches[..<32], Self.sketches[100..<130])
    let outcome = try Program.run(
      ["compact", plain, "-o", fast, "--activations", type, "--json", "--calibration"]
        + calibration + ["--evaluation"] + evaluation)
    outcome.expect(0)
    let json = try outcome.json()
    let layers = try #require(json["quantization"]?.object)
    #expect(layers[type]?.integer == 5 && layers["of"]?.integer == 5)
    let stated = try #require(
      json["compaction"]?.object?["outputs"]?.array?.first?.object?["bound"]?.real)
    let models = try [Model(contentsOf: plain), Model(contentsOf: fast)]
    // The scores are those of a dense layer, which may itself be computed with integers.
    let scoreModels = try models.map { model in
      var scoreModel = model
      let last = try #require(model.content.graph.nodes.last { $0.operation.kind == "softmax" })
      scoreModel.content.graph = model.content.graph.replacingOutputs([
        Port(name: "scores", value: last.inputs[0])
      ])
      return scoreModel
    }
    var worst = 0.0
    for path in evaluation {
      let image = try models[0].imageTensor("sketch", [Image(contentsOf: path)])
      let scores = try scoreModels.map {
        try $0.run([NamedTensor(name: "sketch", tensor: image)]).outputs[0].tensor.doubles
      }
      worst = max(worst, error(scores[1], scores[0]))
    }
    #expect(worst <= stated && stated <= 0.05 && worst > 0.0005)
    try Program.run("verify", fast, "--against", plain).expect(0)
    let differences = try Program.run("diff", fast, plain)
    #expect(differences.status == 1 && differences.output.contains("and in the second by floats"))
    let inspected = try Program.run("inspect", fast).output
    #expect(inspected.contains("runs in \(type): 5 of 5 layers"))
    let input = "\(Self.folderOfSketches)/input.npy"
    let profile = try Program.run(
      "run", fast, "--inputs", input, "--outputs", file("out.npz"), "--profile")
    #expect(profile.status == 0 && profile.output.contains("\(type) convolution"))
    // An edited description keeps the activation type; a file for another tool has floats.
    let (named, exported) = (try file("named.wbm"), try file("fast.onnx"))
    try Program.run("metadata", fast, "--set", "author=me", "-o", named).expect(0)
    let quantizations = try [fast, named].map { path in
      try Model(contentsOf: path).content.graph.nodes.map(\.quantization)
    }
    #expect(quantizations[0] == quantizations[1] && quantizations[0].contains { $0 != nil })
    try Program.run("export", fast, "-o", exported).expect(0, "become floating-point layers")
    #expect(try Model(contentsOf: exported).content.graph.quantizedLayerCounts == (0, 0))
    try Program.run("cut", fast, "--output", "conv2d_2", "-o", file("part.wbm")).expect(0)
    #expect(try Model(contentsOf: file("part.wbm")).content.graph.quantizedLayerCounts != (0, 0))
  }

  @Test("Invalid int8 options and budgets are refused")
  func badActivations() throws {
    let workspace = try Workspace()
    let source = "\(Self.folderOfSketches)/sketch-classifier.h5"
    for (arguments, code, message) in [
      (["--activations", "int4"], 2, "int4"),
      (["--activations", "int8", "--encoding", "int8"], 2, "goes with --max-error"),
      (["--activations", "int8", "--lossless"], 2, "goes with --max-error"),
      (["--activations", "int8", "--max-error", "1e-9"], 5, "cannot be met with 8-bit integers"),
    ] as [([String], Int32, String)] {
      try Program.run(["compact", source, "-o", workspace.output] + arguments).expect(code, message)
    }
    try workspace.expectUntouched()
  }

  @Test("A budget without --compact is bad usage")
  func budgetAlone() throws {
    let workspace = try Workspace()
    let source = "\(Self.folderOfSketches)/sketch-classifier.h5"
    try Program.run("convert", source, "-o", workspace.output, "--max-error", "0.1")
      .expect(2, "need --compact")
    try workspace.expectUntouched()
  }
}
