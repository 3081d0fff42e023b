import Foundation
import JSON
import TestSupport
import Testing
import Weighbridge

/// Layers that are not Keras' own, with what the user says of them.
@Suite struct CustomLayerTests {
  /// The dense layers of `weights_only.h5` and layers of other classes between them.
  private func read(
    _ layers: String, mapping: String?, keeps: Bool = false
  ) throws -> Model {
    let folder = try TemporaryFolder()
    try Files.write(CustomArchitecture.json(layers).utf8, to: folder.file("net.json"))
    var options = ReadOptions()
    options.architecture = folder.file("net.json")
    options.keepUnknown = keeps
    if let mapping {
      try Files.write(mapping.utf8, to: folder.file("custom.json"))
      options.customLayers = folder.file("custom.json")
    }
    return try Model(contentsOf: Paths.sample("Hostile/keras/weights_only.h5"), options: options)
  }

  private func run(_ layers: String, mapping: String?) throws -> [Double] {
    let input = NamedTensor(name: "x", tensor: Tensor(.float32, shape: [1, 4], [1, -2, 3, 0.5]))
    let model = try read(layers, mapping: mapping)
    return try model.run([input]).outputs[0].tensor.doubles
  }

  @Test("A mapping by class takes settings and weights, named or in their order")
  func settingsAndWeights() throws {
    let plain = try run(CustomArchitecture.dense, mapping: nil)
    let custom = CustomArchitecture.dense.replacing("\"Dense\"", with: "\"MyDense\"")
      .replacing("\"units\"", with: "\"size\"")
    let forms = [
      #"{"class_name": "Dense", "config": {"units": "$settings.size", "activation": "$settings.activation"}}"#,
      #"{"class_name": "Dense", "config": {"units": "$settings.size", "activation": "$settings.activation"}, "weights": ["*nel", "bias"]}"#,
      #"[{"class_name": "Dense", "config": {"units": "$settings.size", "activation": "$settings.activation", "dtype": "float32"}}]"#,
      #"""
      {"steps": [
        {"class_name": "Dense", "config": {"units": "$settings.size", "activation": "$settings.activation", "use_bias": false},
         "weights": [0]},
        {"class_name": "Add", "inputs": ["step1", "$weights.bias"]}]}
      """#,
    ]
    for form in forms {
      let mapping = #"{"classes": {"My*": \#(form)}}"#
      #expect(try run(custom, mapping: mapping) == plain, "\(form)")
    }
  }

  @Test("The more exact entry is the one that counts, whatever their order")
  func exactness() throws {
    let layers = CustomArchitecture.dense(
      between: [("Lambda", "lambda_1"), ("Lambda", "lambda_12"), ("Odd", "odd")])
    let scaled = { (factor: Int) in
      #"{"kind": "rescaling", "attributes": {"scale": [\#(factor)], "offset": [0.0]}}"#
    }
    let model = try read(
      layers,
      mapping: """
        {"classes": {"Lambda": \(scaled(2)), "Odd": \(scaled(3))},
         "layers": {"*": \(scaled(5)), "lambda_1": \(scaled(7)), "lambda_*": \(scaled(11)),
                    "l*": \(scaled(13))}}
        """)
    let texts = model.provenance.decisions.map { "\($0.layer): \($0.text.prefix(15))" }
    #expect(texts.contains("lambda_1: layers.lambda_1"))
    #expect(texts.contains("lambda_12: layers.lambda_*"))
    #expect(texts.contains("odd: layers.* says t"))
    #expect(texts.contains(": classes.Lambda "))
    #expect(!texts.contains { $0.hasPrefix("a:") || $0.hasPrefix("b:") }, "Keras' own layers")
  }

  @Test("A function is mapped wherever a layer names it, also as an activation")
  func functions() throws {
    let plain = CustomArchitecture.dense.replacing("linear", with: "tanh")
    let custom = CustomArchitecture.dense.replacing("linear", with: "my_tanh")
    let mapping = #"{"functions": {"my_tanh": {"kind": "tanh"}}}"#
    #expect(try run(custom, mapping: mapping) == run(plain, mapping: nil))
    let lambda = CustomArchitecture.dense(
      between: [("Lambda", "l")], settings: #""function": "my_tanh", "function_type": "function""#)
    let activation = CustomArchitecture.dense(
      between: [("Activation", "l")], settings: #""activation": "tanh""#)
    #expect(try run(lambda, mapping: mapping) == run(activation, mapping: nil))
  }

  @Test("A setting that a mapping neither uses nor ignores is an error")
  func unusedSetting() throws {
    let layers = CustomArchitecture.dense(between: [("Odd", "odd")], settings: "\"power\": 3")
    let error = failure {
      _ = try read(layers, mapping: #"{"classes": {"Odd": {"kind": "tanh"}}}"#)
    }
    #expect(error?.code == .mismatch)
    #expect(error?.description.contains("#2 odd (Odd): classes.Odd does not use") == true)
    #expect(error?.reason.contains("power=3") == true)
    _ = try read(layers, mapping: #"{"classes": {"Odd": {"kind": "tanh", "ignore": ["pow*"]}}}"#)
  }

  @Test("A mapping must produce the output shape that the Lambda states")
  func statedShape() throws {
    let layers = CustomArchitecture.dense(
      between: [("Lambda", "l")],
      settings: #""output_shape": [6], "output_shape_type": "raw", "function": ["", null, null]"#)
    let error = failure { _ = try read(layers, mapping: #"{"layers": {"l": {"kind": "tanh"}}}"#) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("says that the layer makes float32 [?, 6]") == true)
    #expect(
      error?.reason.contains("if the file is wrong, say \"overrule_shape\": true in layers.l")
        == true)
  }

  @Test("A shape that the file states wrongly is overruled where the mapping says so, and recorded")
  func overruledShape() throws {
    let layers = CustomArchitecture.dense(
      between: [("Lambda", "l")],
      settings: #""output_shape": [6], "output_shape_type": "raw", "function": ["", null, null]"#)
    let plain = CustomArchitecture.dense(
      between: [("Activation", "l")], settings: #""activation": "tanh""#)
    let mapping = #"{"layers": {"l": {"kind": "tanh", "overrule_shape": true}}}"#
    #expect(try run(layers, mapping: mapping) == run(plain, mapping: nil))
    let decisions = try read(layers, mapping: mapping).provenance.decisions
    #expect(
      decisions.contains {
        $0.text == "layers.l makes float32 [batch, 3], and the file says that the layer makes "
          + "float32 [?, 6]; the file is overruled"
      })
    let list = failure { _ = try read(layers, mapping: #"{"layers": {"l": [{"kind": "tanh"}]}}"#) }
    #expect(list?.reason.hasSuffix("whose list then goes under \"steps\"") == true)
  }

  @Test("A mapping may contain constants, as arrays of any rank and of a given type")
  func constants() throws {
    let layers = CustomArchitecture.dense(between: [("Odd", "odd")])
    let doubled = #"{"kind": "rescaling", "attributes": {"scale": [2], "offset": [0]}}"#
    let plain = try run(layers, mapping: #"{"classes": {"Odd": \#(doubled)}}"#)
    for form in [
      #"{"kind": "multiply", "inputs": ["input", 2]}"#,
      #"{"kind": "multiply", "inputs": ["input", [2, 2.0, 2]]}"#,
      #"{"class_name": "Multiply", "inputs": ["input", [[2, 2, 2]]]}"#,
      #"{"kind": "multiply", "inputs": ["input", {"constant": [[2]], "dtype": "float32"}]}"#,
      #"""
      [{"kind": "gather", "attributes": {"axis": 1, "batch_axes": 0},
        "inputs": ["input", {"constant": [2, 1, 0], "dtype": "int64"}]},
       {"kind": "reverse", "attributes": {"axes": [1]}}, \#(doubled)]
      """#,
    ] {
      #expect(try run(layers, mapping: #"{"classes": {"Odd": \#(form)}}"#) == plain, "\(form)")
    }
  }

  @Test("Bad mappings are refused with their place", arguments: BadMapping.all)
  func bad(_ bad: BadMapping) throws {
    let layers = CustomArchitecture.dense(between: [("Odd", "odd")])
    let error = try #require(failure { _ = try read(layers, mapping: bad.text) })
    #expect(error.code == bad.code, "\(error)")
    #expect(error.description.contains(bad.message), "\(error)")
  }

  @Test("One error lists all unknown layers and shows a mapping to fill in")
  func unknown() throws {
    let layers = CustomArchitecture.dense(
      between: [("Odd", "odd"), ("Lambda", "l")], settings: "\"power\": 3")
    let error = try #require(failure { _ = try read(layers, mapping: nil) })
    #expect(error.code == .unsupported)
    #expect(error.reason.contains("2 layers of a class that is not supported:"))
    let start = try #require(error.reason.range(of: "{\n"))
    let template = error.reason[start.lowerBound...]
    let filled = template.replacing("\"...\"", with: "\"Activation\"")
      .replacing("\"$settings.power\"", with: "\"$settings.power\", \"activation\": \"tanh\"")
      .replacing("\"config\": {}", with: "\"config\": {\"activation\": \"tanh\"}")
    let again = try #require(failure { _ = try read(layers, mapping: String(filled)) })
    #expect(again.reason.contains("unknown setting power=3"), "\(again)")
    let unfilled = try #require(failure { _ = try read(layers, mapping: String(template)) })
    #expect(unfilled.reason.contains("\"...\", which is not a layer"), "\(unfilled)")
  }

  @Test("A layer that is kept is stored with its settings and weights, and does not run")
  func kept() throws {
    let folder = try TemporaryFolder()
    let layers = CustomArchitecture.dense.replacing(
      "\"Dense\", \"name\": \"b\"", with: "\"Odd\", \"name\": \"b\"")
    let model = try read(layers, mapping: nil, keeps: true)
    try model.write(to: folder.file("kept.wbm"))
    let stored = try Model(contentsOf: folder.file("kept.wbm"))
    let last = try #require(stored.content.graph.nodes.last)
    #expect(last.operation.kind == "opaque")
    #expect(last.inputs.count == 3)
    #expect(last.operation.attributes == model.content.graph.nodes.last?.operation.attributes)
    let report = try stored.verify()
    #expect(report.passed)
    #expect(report.results.contains { $0.name == "references" && $0.status == .skipped })
    let input = NamedTensor(name: "x", tensor: Tensor(.float32, shape: [1, 4], [1, 2, 3, 4]))
    let error = failure { _ = try stored.run([input]) }
    #expect(error?.code == .unsupported)
    #expect(error?.description.contains("b (Odd): has no known computation") == true)
    #expect(Inspection.problemsOfRunning(folder.file("kept.wbm")) == ["b"])
  }

  @Test("Python code is not kept, and a given output shape is used")
  func keptLambda() throws {
    let layers = CustomArchitecture.dense(
      between: [("Lambda", "l")],
      settings: #""function": ["c2VjcmV0", null, null], "function_type": "lambda", "kept": 7"#)
    let model = try read(
      layers, mapping: #"{"layers": {"l": {"keep": true, "output_shapes": [[null, 3]]}}}"#)
    let node = try #require(model.content.graph.nodes.first { $0.operation.kind == "opaque" })
    let text = "\(node.operation.attributes)"
    #expect(!text.contains("c2VjcmV0"))
    #expect(text.contains("kept"))
    #expect("\(model.content.graph[node.outputs[0]].type)" == "float32 [batch, 3]")
    let error = failure { _ = try read(layers, mapping: nil, keeps: true) }
    #expect(error?.description.contains("b (Dense)") == true, "Dense must know what it gets")
    let entry = #"{"layers":{"l":{"keep":true,"output_shapes":[[null,3]]}}}"#
    #expect(error?.reason.contains("it follows l, which is kept") == true)
    #expect(error?.reason.contains(entry) == true, "\(error as Any)")
    _ = try read(layers, mapping: entry)
  }
}

extension Inspection {
  /// The names of the steps that cannot run.
  fileprivate static func problemsOfRunning(_ path: String) -> [String] {
    ((try? Inspection(of: path))?.layers ?? []).filter { !$0.runs }.map(\.name)
  }
}

/// The Lambda of the reference files, in every container that holds it.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct LambdaFixtureTests {
  @Test(
    "A Lambda with a mapping computes what its own Keras computed",
    arguments: [
      ("keras/zoo/lambda_affine", "k2.h5", nil), ("keras/zoo/lambda_affine", "k2.keras", nil),
      ("keras/zoo/lambda_affine", "k3.h5", nil), ("keras/zoo/lambda_affine", "k3.keras", nil),
      ("keras/zoo/lambda_affine", "k2_w.h5", "k2.h5"),
      ("keras/zoo/lambda_affine", "k2.weights.h5", "k2.keras"),
      ("keras/zoo/lambda_affine", "k3.weights.h5", "k3.keras"),
      ("keras/oldzoo/k2.2.4/lambda_affine", "model.h5", nil),
    ] as [(String, String, String?)])
  func lambda(folder: String, file: String, architecture: String?) throws {
    let folder = Fixtures.file(folder)
    var options = ReadOptions()
    options.architecture = architecture.map { "\(folder)/\($0)" }
    options.customLayers =
      "\(Paths.project)/Tests/Conversion/ConversionTests/Files/lambda_affine.json"
    let model = try Model(contentsOf: "\(folder)/\(file)", options: options)
    let outputs = try model.run(ArrayFile.read("\(folder)/inputs.npz")).outputs
    let wanted = try ArrayFile.read(
      "\(folder)/\(file.hasPrefix("k3") ? "outputs_k3" : "outputs").npz")
    for distance in distances(actual: outputs, expected: wanted) { #expect(distance.error <= 1e-5) }
  }
}
