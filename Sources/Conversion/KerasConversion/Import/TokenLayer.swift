import Bytes
import JSON
import KerasFormat

/// A layer that looks up strings, with the meaning of its token ids.
struct TokenLayer {
  let record: KerasLayerRecord
  /// The lines of its vocabulary file, if the model's file has one.
  let file: [String]?

  private var mode: String { record.config["output_mode"]?.string ?? "int" }
  private var splitsStrings: Bool {
    record.className == "TextVectorization" && record.config["split"] != .null
  }

  /// The number of ids for tokens outside the vocabulary.
  private var oovCount: Int {
    record.className == "TextVectorization"
      ? 1 : max(0, min(record.config["num_oov_indices"]?.integer ?? 1, 1 << 20))
  }

  /// The tokens in the order of their ids; `nil` where the file does not have them.
  var vocabulary: [String]? {
    guard let list = record.config["vocabulary"]?.array else { return file }
    let tokens = list.compactMap(\.string)
    guard tokens.count == list.count else { return nil }
    let isTextVectorization = record.className == "TextVectorization"
    let mask = isTextVectorization ? "" : record.config["mask_token"]?.string
    let oovToken = record.config["oov_token"]?.string ?? "[UNK]"
    let reserved =
      (mode == "int" ? mask.map { [$0] } ?? [] : [])
      + [String](repeating: oovToken, count: oovCount)
    return tokens.starts(with: reserved) ? tokens : reserved + tokens
  }

  /// The shape of the token ids for a shape of the strings, both with the batch axis.
  func shape(ofStrings strings: [JSONValue]) throws(WeighbridgeError) -> [JSONValue] {
    guard record.config["ragged"]?.bool != true, record.config["sparse"]?.bool != true else {
      throw .unsupported("gives ragged or sparse tensors, which are not supported")
    }
    guard splitsStrings else { return strings }
    guard strings.count == 1 || (strings.count == 2 && strings[1] == 1) else {
      throw .unsupported(
        "splits texts of the shape \(JSONValue.array(strings).text()), not one each")
    }
    let length = mode == "int" ? record.config["output_sequence_length"] ?? .null : .null
    return [strings[0], length]
  }

  /// The Keras layer that computes from the token ids what this one computes from strings.
  func replacement() throws(WeighbridgeError) -> (className: String, config: JSONObject) {
    guard mode != "int" else { return ("Activation", ["activation": "linear"]) }
    guard ["multi_hot", "count", "binary", "one_hot", "tf_idf"].contains(mode) else {
      throw .unsupported("output_mode=\(mode) is not known")
    }
    let isPadded = record.config["pad_to_max_tokens"]?.bool == true
    let stated = isPadded ? record.config["max_tokens"] : record.config["vocabulary_size"]
    guard let count = stated?.integer ?? vocabulary?.count, (1...1 << 24).contains(count) else {
      throw .unsupported("output_mode=\(mode), and the file does not say how many tokens there are")
    }
    // Ids are unchanged; -1 pads examples with fewer tokens than others.
    var config: JSONObject = [
      "vocabulary": .array((0..<count).map(JSONValue.integer)), "num_oov_indices": 0,
      "mask_token": -1, "output_mode": .string(mode), "dtype": "int64",
    ]
    if mode == "tf_idf" { config["idf_weights"] = try frequencies(count) }
    return ("IntegerLookup", config)
  }

  /// The inverse document frequency of each id: those of the settings, or zeros as placeholders for
  /// those computed by `adapt`, which are a weight.
  private func frequencies(_ count: Int) throws(WeighbridgeError) -> JSONValue {
    guard let written = record.config["idf_weights"]?.array else {
      return .array([JSONValue](repeating: 0, count: count))
    }
    let numbers = written.compactMap(\.real)
    guard numbers.count == written.count, !numbers.isEmpty else {
      throw .malformed("has idf_weights that are no numbers")
    }
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let all = [Double](repeating: mean, count: oovCount) + numbers
    guard all.count <= count else {
      throw .malformed("has \(all.count) idf_weights, and there are only \(count) tokens")
    }
    let padding = [Double](repeating: 0, count: count - all.count)
    return .array((all + padding).map(JSONValue.real))
  }
}
