import JSON
import TestSupport
import Testing
import Weighbridge

/// `inspect` of models that cannot be converted, and of files with only weights.
@Suite struct InspectOutlineTests {
  private func inspect(_ sample: String, _ options: String...) throws -> Outcome {
    try Program.run(["inspect", Paths.sample(sample)] + options)
  }

  @Test("Unknown Keras layers are named, with their input shapes")
  func keras() throws {
    let outcome = try inspect("Hostile/keras/unknown_layers.h5")
    outcome.expect(0, "note: it cannot be converted as it is", "3 layers of a class")
    for part in [
      "#1 first (Hologram): is of a class that is not supported",
      "#4 third (Lambda): is of a class that is not supported",
      "from keras 2.15.0 on tensorflow", "x  float32 [?, 4]", "5 layers, 4 weights with 23",
    ] {
      #expect(outcome.output.contains(part), "\(outcome.output)")
    }
  }

  @Test("Weights of Keras alone are listed, with what they need")
  func weights() throws {
    let outcome = try inspect("Hostile/keras/weights_only.h5")
    outcome.expect(0, "note: it cannot be converted as it is", "--architecture")
    for part in [
      "a/a/kernel:0  float32 [4, 3]", "4 weights with 23 parameters (92 bytes)",
      "3 layers, 2 of them with weights", "from keras 2.15.0 on tensorflow",
    ] {
      #expect(outcome.output.contains(part), "\(outcome.output)")
    }
  }

  @Test("A custom layer of Core ML, and an unknown operator of ONNX, are named with their layers")
  func others() throws {
    let core = try inspect("Hostile/coreml/custom_layer.mlmodel")
    core.expect(0, "note: ")
    #expect(core.output.contains("magic (custom Teleport): is a custom layer"), "\(core.output)")
    let onnx = try inspect("Hostile/onnx/operators_unknown.onnx")
    onnx.expect(0, "note: ")
    #expect(onnx.output.contains("cannot be read"), "\(onnx.output)")
  }

  @Test("An ONNX file of trees, or of another set of operators, lists what it has")
  func otherOperators() throws {
    for (name, operation) in [
      ("forest", "ai.onnx.ml.TreeEnsembleClassifier"), ("optimized", "com.microsoft.FusedConv"),
    ] {
      let outcome = try inspect("ONNX/Exported/\(name).onnx")
      outcome.expect(0, "note: ")
      #expect(outcome.output.contains(operation), "\(outcome.output)")
    }
  }

  @Test("An unknown darknet section is named, with the shapes before it")
  func darknet() throws {
    let outcome = try inspect("Hostile/darknet/section_unknown.cfg")
    outcome.expect(0, "note: ")
    for part in [
      "#2 2_teleport ([teleport]): is a section that is not known",
      "data  float32 [batch, 3, 6, 8]",
      "leaky_relu  [batch, 4, 6, 8]",
    ] {
      #expect(outcome.output.contains(part), "\(outcome.output)")
    }
  }

  @Test("--json says the same, and --quiet suppresses the note")
  func json() throws {
    let outcome = try inspect("Hostile/keras/unknown_layers.h5", "--json", "--quiet")
    outcome.expect(0)
    #expect(outcome.messages.isEmpty)
    let json = try outcome.json()
    #expect(json["runs"] == false)
    #expect(json["problem"]?.string?.contains("3 layers of a class") == true)
    let layers = try #require(json["layers"]?.array).compactMap(\.object)
    #expect(layers.compactMap { $0["class"]?.string }.count == 5)
    #expect(layers[1]["operator"] == .null && layers[1]["problem"] != nil)
  }

  @Test(
    "A broken part of a file does not hide the rest",
    arguments: [
      ("keras/weight_unlisted.h5", "b/b/forgotten", ["a  Dense  dense  [batch, 3]"]),
      ("keras/layer_group_missing.h5", "model_weights/b", ["a  Dense  dense  [batch, 3]"]),
      ("keras/weight_bomb.h5", "over the limit", ["a  Dense  dense  [batch, 3]"]),
      ("keras/cycle.h5", "form a cycle", ["a  Dense", "x  float32 [?, 4]"]),
      ("keras/json_cut.h5", "not JSON", ["a  Dense", "4 weights with 23 parameters"]),
      ("keras/config_number.h5", "not one string", ["a/a/kernel:0  float32 [4, 3]"]),
      ("keras/keras_4.h5", "by Keras 4.0.0", ["a  Dense", "from keras 4.0.0"]),
      ("coreml/layer_unknown.mlmodel", "field 1999", ["new  field 1999", "of a kind that cannot"]),
      ("coreml/cut_off.mlmodel", "are left in the enclosing message", ["relu  no kind"]),
      ("coreml-syntax/layer_random.mlmodel", "randomNormalLike", ["a  randomNormalLike"]),
      (
        "onnx/constant_huge.onnx", "computes the constant float32",
        ["c (ConstantOfShape): computes the constant float32"]
      ),
      ("onnx/external_missing.onnx", "nowhere.bin", ["y  Conv", "108 parameters"]),
      ("onnx/truncated.onnx", "are left in the enclosing message", ["y  Conv"]),
      ("darknet/nul_byte.cfg", "a NUL byte", ["data  float32 [batch, 3, "]),
      ("darknet/weights_plain.weights", "comes first", ["trained on 0 images", "float32 [157]"]),
      ("safetensors/dtype_later.safetensors", "F8_E4M3", ["w: F8_E4M3 [2, 3]"]),
      ("safetensors/cut.safetensors", "is cut off", ["w  float32 [2, 3]"]),
    ])
  func broken(name: String, reason: String, parts: [String]) throws {
    let outcome = try inspect("Hostile/\(name)")
    outcome.expect(0, reason)
    let text = outcome.output.replacing(#/ {3,}/#, with: "  ")
    for part in parts { #expect(text.contains(part), "\(outcome.output)") }
  }

  @Test("An architecture without weights is shown as a model")
  func architecture() throws {
    for name in ["2.15.0/net.json", "2.5.0/net_architecture.yaml"] {
      let outcome = try inspect("WeightsAlone/\(name)")
      outcome.expect(0, "note: it cannot be converted as it is")
      #expect(outcome.output.contains("keras architecture") && outcome.output.contains("Dense"))
    }
  }

  /// Files of which nothing can be shown: not a model, or damaged before any of its contents.
  private static let empty: [String: Set<String>] = [
    "keras": [
      "empty.h5", "not_keras.h5", "text.h5", "truncated.h5", "truncated_half.h5",
      "truncated_signature.h5", "zeros.h5",
    ],
    "coreml": [
      "empty.mlmodel", "length_huge.mlmodel", "network_empty.mlmodel",
      "pipeline_of_pipelines.mlmodel", "pipeline_without_network.mlmodel", "program.mlmodel",
    ],
    "coreml-syntax": [
      "description_state.mlmodel", "feature_state.mlmodel", "kind_missing.mlmodel",
      "length_huge.mlmodel", "ml_program.mlmodel", "nested.mlmodel", "preprocessing_empty.mlmodel",
      "version_huge.mlmodel",
    ],
    "onnx": ["length_huge.onnx", "weight_unknown.onnx"],
    "darknet": [
      "key_before_section.cfg", "net_missing.cfg", "net_only.cfg", "section_open.cfg",
      "weights_counter.weights", "weights_empty.weights",
      "weights_half_number.weights", "weights_header_only.weights", "weights_not_darknet.weights",
      "weights_pointer.weights",
    ],
  ]

  @Test(
    "Something is shown of every hostile model, except those listed", arguments: empty.keys.sorted()
  )
  func hostile(folder: String) throws {
    let path = Paths.sample("Hostile/\(folder)")
    let endings = [".h5", ".keras", ".mlmodel", ".onnx", ".cfg", ".weights"]
    let names = Files.names(in: path).filter { name in endings.contains { name.hasSuffix($0) } }
    #expect(names.count >= 20)
    var hidden: Set<String> = []
    for name in names {
      guard let shown = try? Inspection(of: "\(path)/\(name)") else {
        hidden.insert(name)
        continue
      }
      #expect(
        !shown.layers.isEmpty || !shown.looseWeights.isEmpty || shown.contents != nil, "\(name)")
    }
    #expect(hidden == Self.empty[folder])
  }

  @Test("Errors in other given files, and files with nothing to show, remain errors")
  func otherErrors() throws {
    try inspect("Hostile/keras/weights_only.h5", "--architecture", "/nowhere.json").expect(
      3, "/nowhere.json: cannot open")
    try inspect("Hostile/keras/truncated.h5").expect(3, "is cut off")
    try Program.run("inspect", "/nowhere.h5").expect(3, "cannot open")
  }
}
