import GraphIR
import JSON
import TestSupport
import Testing
import Weighbridge

/// Models that split texts and look them up, read from the token ids on.
@Suite struct TokenInputTests {
  private static let files = ["2.15.0", "3.15.0"].flatMap { writer in
    Files.names(in: Paths.sample("TokenIDs/\(writer)"))
      .filter { $0.hasSuffix(".keras") || $0.hasSuffix(".h5") }.map { "\(writer)/\($0)" }
  }
  private func path(_ name: String) -> String { Paths.sample("TokenIDs/\(name)") }
  private func model(_ name: String) throws -> Model {
    var options = ReadOptions()
    options.fromTokenIDs = true
    return try Model(contentsOf: path(name), options: options)
  }

  @Test("There are samples of both generations, in both containers")
  func count() { #expect(Self.files.count == 23) }

  @Test("Given token ids, a model computes what Keras computed from the texts", arguments: files)
  func agrees(_ name: String) throws {
    let stem = String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)])
    let model = try model(name)
    let outputs = try model.run(ArrayFile.read(path("\(stem).ids.npz"))).outputs
    let wanted = try ArrayFile.read(path("\(stem).results.npz"))
    for distance in distances(actual: outputs, expected: wanted) { #expect(distance.error < 1e-6) }
    #expect(model.provenance.decisions.contains { $0.text.contains("takes token ids") })
    let folder = try TemporaryFolder()
    try model.write(to: folder.file("m.wbm"))
    let stored = try Model(contentsOf: folder.file("m.wbm"))
    #expect(stored.provenance.options["from-token-ids"] == "true")
    #expect(stored.metadata.userDefined == model.metadata.userDefined)
  }

  @Test("The input has the type of the ids, and the vocabulary is in the order of the ids")
  func interface() throws {
    let words = try model("3.15.0/sequence.keras")
    #expect("\(words.inputs[0].type)" == "int64 [batch, 6]")
    #expect(
      words.metadata.userDefined["words.vocabulary"]
        == #"["","[UNK]","the","sat","on","dog","ran","mat","grass","cat","a"]"#)
    #expect(words.metadata.inputs[0].summary?.contains("token ids, as words") == true)
    let colours = try model("2.15.0/colours.h5")
    #expect(colours.inputs.map { "\($0.type)" } == ["int64 [batch, 1]", "float32 [batch, 3]"])
    #expect(
      colours.metadata.userDefined["colour.vocabulary"] == #"["[UNK]","red","green","blue"]"#)
    let without = try model("3.15.0/sequence.h5")
    #expect(without.metadata.userDefined.isEmpty)
    #expect(without.provenance.decisions.contains { $0.text.contains("has no vocabulary") })
  }

  @Test(
    "Without the option the error says what to type and what the input will be", arguments: files)
  func missing(_ name: String) throws {
    let error = try #require(failure { _ = try Model(contentsOf: path(name)) })
    #expect(error.code == .unsupported)
    #expect(error.reason.contains("takes texts, which are not split and looked up here:"))
    #expect(error.reason.contains("whose token ids would be the input "), "\(error)")
    #expect(
      error.reason.contains("`ReadOptions.fromTokenIDs` reads the model from the token ids on"))
  }

  @Test("The option is refused where there are no strings")
  func idle() throws {
    var options = ReadOptions()
    options.fromTokenIDs = true
    let keras = failure {
      _ = try Model(
        contentsOf: Paths.sample("Models/shape-detector/shape-detector.h5"), options: options)
    }
    #expect(keras?.code == .mismatch)
    #expect(keras?.reason.contains("neither a TextVectorization nor a StringLookup") == true)
    let error = failure {
      _ = try Model(contentsOf: Paths.sample("ONNX/resnet.onnx"), options: options)
    }
    #expect(
      error?.reason.contains(
        "`ReadOptions.fromTokenIDs` does not apply") == true,
      "\(error as Any)")
  }

  /// A model of a StringLookup with some settings, and of what is added.
  private func refusal(
    settings: JSONObject = [:], others: [JSONValue] = [], sharing: Bool = false
  ) throws -> WeighbridgeError? {
    func layer(_ name: String, _ className: String, _ config: JSONObject, _ input: String?)
      -> JSONValue
    {
      var config = config
      config["name"] = .string(name)
      let call: JSONValue = [.array([.string(input ?? ""), 0, 0, .object([:])])]
      return .object([
        "class_name": .string(className), "name": .string(name), "config": .object(config),
        "inbound_nodes": input == nil ? [] : [call],
      ])
    }
    var lookup: JSONObject = ["vocabulary": ["a", "b"], "num_oov_indices": 1]
    for key in settings.keys { lookup[key] = settings[key] }
    let text: JSONObject = ["batch_input_shape": [.null, 2], "dtype": "string"]
    var layers = [layer("t", "InputLayer", text, nil), layer("w", "StringLookup", lookup, "t")]
    if sharing { layers.append(layer("v", "StringLookup", lookup, "t")) }
    let model: JSONObject = [
      "class_name": "Functional", "keras_version": "2.15.0",
      "config": .object([
        "name": "m", "layers": .array(layers), "input_layers": [["t", 0, 0]],
        "output_layers": [["w", 0, 0]],
      ]),
    ]
    let folder = try TemporaryFolder()
    try Files.write(JSONValue.object(model).text().utf8, to: folder.file("m.json"))
    try Files.write(
      Files.read(Paths.sample("WeightsAlone/2.15.0/net_weights.h5")), to: folder.file("w.h5"))
    var options = ReadOptions()
    options.architecture = folder.file("m.json")
    options.fromTokenIDs = true
    return failure { _ = try Model(contentsOf: folder.file("w.h5"), options: options) }
  }

  @Test("A vocabulary that is of no layer is refused")
  func otherVocabulary() {
    let path = "\(Paths.project)/Tests/Formats/KerasFormatTests/Files/assets.keras"
    let error = failure { _ = try Model(contentsOf: path) }
    #expect(error?.code == .malformed)
    #expect(
      error?.reason
        == "has vocabularies in assets/layers/lookup/vocabulary.txt, and only 0 of them "
        + "belong to layers of the model")
  }

  @Test("Layers that token ids cannot replace are refused")
  func refused() throws {
    let shared = try refusal(sharing: true)
    #expect(shared?.reason.contains("shares the texts t with v") == true, "\(shared as Any)")
    let sparse = try refusal(settings: ["sparse": true])
    #expect(sparse?.reason.contains("ragged or sparse") == true, "\(sparse as Any)")
    let mode = try refusal(settings: ["output_mode": "bag"])
    #expect(mode?.reason.contains("output_mode=bag is not known") == true, "\(mode as Any)")
    let size = try refusal(
      settings: ["output_mode": "count", "pad_to_max_tokens": true, "max_tokens": -4])
    #expect(size?.reason.contains("how many tokens there are") == true, "\(size as Any)")
    let weights = try refusal(
      settings: ["output_mode": "tf_idf", "idf_weights": ["x"], "vocabulary_size": 3])
    #expect(weights?.reason.contains("are no numbers") == true, "\(weights as Any)")
  }
}
