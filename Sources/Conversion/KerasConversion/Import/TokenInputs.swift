import Bytes
import GraphIR
import JSON
import KerasFormat

/// The layers of a model that split and look up strings, and the model that starts at the token
/// ids.
struct TokenInputs {
  private static let classes = ["StringLookup", "TextVectorization"]
  /// The largest size in bytes of a vocabulary that is kept.
  private static let keptByteCount = 1 << 18

  private let model: KerasModelRecord
  private let layers: [TokenLayer]

  /// Finds the layers, except those inside nested models.
  init(_ model: KerasModelRecord, _ file: (any KerasModelFile)?) {
    self.model = model
    var counts: [String: Int] = [:]
    var layers: [TokenLayer] = []
    for record in model.layers where Self.classes.contains(record.className) {
      let number = counts[record.className, default: 0]
      counts[record.className] = number + 1
      guard record.registeredName == nil, record.config["invert"]?.bool != true else { continue }
      layers.append(
        TokenLayer(record: record, file: file?.vocabulary(of: record.className, number)))
    }
    self.layers = layers
  }

  /// Whether the model takes strings.
  var areNeeded: Bool { !layers.isEmpty }

  /// The error for a model that takes strings, whose lookup is not supported.
  var missing: WeighbridgeError {
    var lines = ["takes texts, which are not split and looked up here:"]
    for layer in layers {
      var line = "  \(layer.record.label)"
      if let input = try? input(of: layer) {
        line += ", whose token ids would be the input \(input.name), \(input.typeName)"
      }
      lines.append(line)
    }
    lines.append(
      "\(APIName.fromTokenIDs) reads the model from the token ids on: make them as these layers do, and "
        + "give them in place of the texts")
    return .unsupported(lines.joined(separator: "\n"))
  }

  /// An input of token ids.
  struct Input {
    let name: String
    /// The layer that produced the token ids in the original model.
    let layer: TokenLayer
    /// The shape with the batch axis, in Keras' form.
    let shape: [JSONValue]
    /// Whether the model has an explicit InputLayer for it.
    let isWritten: Bool

    var typeName: String {
      "int64 [" + shape.map { $0 == .null ? "?" : $0.text() }.joined(separator: ", ") + "]"
    }
  }

  /// Returns the model that starts at the token ids, and its token inputs.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a model that takes no strings;
  ///   ``WeighbridgeError/Code/unsupported`` where token ids cannot replace the strings.
  func replaced() throws(WeighbridgeError) -> (model: KerasModelRecord, inputs: [Input]) {
    guard areNeeded else {
      throw .mismatch(
        "has neither a TextVectorization nor a StringLookup among its layers: \(APIName.fromTokenIDs) does "
          + "not apply")
    }
    var replacements: [String: (className: String, config: JSONObject)] = [:]
    var first: (name: String, config: JSONObject)?
    var inputs: [Input] = []
    for layer in layers {
      try locating({ $0.at(layer: layer.record.label) }) { () throws(WeighbridgeError) in
        let input = try input(of: layer)
        let config: JSONObject = [
          "batch_input_shape": .array(input.shape), "dtype": "int64", "name": .string(input.name),
        ]
        if input.isWritten {
          replacements[input.name] = ("InputLayer", config)
        } else {
          first = (input.name, config)
        }
        replacements[layer.record.name] = try layer.replacement()
        inputs.append(input)
      }
    }
    return (model.replacing(replacements, first: first), inputs)
  }

  /// The input that replaces a layer's strings.
  private func input(of layer: TokenLayer) throws(WeighbridgeError) -> Input {
    let record = layer.record
    if model.isSequential, model.inputs.isEmpty, record.index == 0 {
      let stringShape = record.config["batch_input_shape"]?.array ?? model.buildInputShape?.array
      return Input(
        name: "\(record.name)_input", layer: layer,
        shape: try layer.shape(ofStrings: stringShape ?? [.null]),
        isWritten: false)
    }
    guard record.calls.count == 1, record.calls[0].allInputs.count == 1,
      case let reference = record.calls[0].allInputs[0],
      let source = model.layerIndices[reference.layer].map({ model.layers[$0] }),
      source.className == "InputLayer"
    else {
      throw .unsupported(
        "does not take an input of the model as it is, so token ids cannot take the texts' place")
    }
    let others = model.layers.filter { other in
      other.name != record.name
        && other.calls.contains { $0.allInputs.contains { $0.layer == source.name } }
    }
    guard others.isEmpty, !model.outputs.contains(where: { $0.layer == source.name }) else {
      throw .unsupported(
        "shares the texts \(source.name) with \(others.first?.name ?? "an output"), so token ids "
          + "cannot take their place")
    }
    let stringShape = (source.config["batch_input_shape"] ?? source.config["batch_shape"])?.array
    return Input(
      name: source.name, layer: layer, shape: try layer.shape(ofStrings: stringShape ?? [.null]),
      isWritten: true)
  }
}

extension TokenInputs {
  /// Describes the token inputs in a model's description and provenance.
  static func describe(_ inputs: [Input], in content: inout ModelContent) {
    for input in inputs {
      let record = input.layer.record
      let text = "The input \(input.name) takes token ids, as \(record.label) made them of texts"
      if let index = content.description.inputs.firstIndex(where: { $0.name == input.name }) {
        content.description.inputs[index].summary =
          "token ids, as \(record.name) (\(record.className)) makes them of texts"
      }
      let key = "\(record.name).vocabulary"
      let vocabulary = input.layer.vocabulary.map {
        JSONValue.array($0.map(JSONValue.string)).text()
      }
      let vocabularyNote: String
      if let vocabulary, vocabulary.utf8.count <= keptByteCount {
        content.description.userDefined[key] = vocabulary
        vocabularyNote = "its vocabulary is kept under \(key)"
      } else {
        vocabularyNote =
          vocabulary == nil ? "the file has no vocabulary" : "its vocabulary is too long to keep"
      }
      content.provenance.decisions.append(
        Provenance.Decision(layer: record.name, text: "\(text); \(vocabularyNote)."))
    }
  }
}
