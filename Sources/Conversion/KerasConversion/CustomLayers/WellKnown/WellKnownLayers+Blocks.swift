import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Composite layers known from keras.io's examples, with the settings and weights of that code.
extension WellKnownLayers {
  /// The encoder block of "Text classification with Transformer": attention and two dense layers,
  /// each with a residual connection and a normalization. Its first version had its own attention.
  static let transformerBlock: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let (input, type) = try layer.typedInput(inputs)
    var block = try TransformerWeights(&layer)
    if TransformerWeights.settings.allSatisfy({ layer.unreadSettings[$0] == nil }) {
      throw block.proposal(for: layer)
    }
    let width = try layer.integer("embed_dim")
    let (heads, hidden) = (try layer.integer("num_heads"), try layer.integer("ff_dim"))
    _ = try layer.optionalReal("rate")
    guard type.rank == 3, type.shape[2].value == width, heads >= 1, hidden >= 1 else {
      throw .unsupported(
        "has embed_dim=\(width), num_heads=\(heads), ff_dim=\(hidden), and takes \(type)")
    }
    guard layer.mask(of: input) == nil else {
      throw .unsupported("gets a mask, and what it does with it is not known")
    }
    layer.decideOnce(
      "is read as keras.io's TransformerBlock: attention of all to all, then dense layers with ReLU, each "
        + "added to its input and normalized with epsilon 1e-6")
    let attention = try block.addAttention(to: input, heads: heads, width: width, &layer)
    let first = try block.addNormalized(input, attention, "layernorm1", &layer)
    var dense = first
    for (number, units) in [hidden, width].enumerated() {
      var settings: JSONObject = ["units": .integer(units)]
      if number == 0 { settings["activation"] = "relu" }
      dense = try block.add(
        "Dense", settings, [dense], "ffn_\(number + 1)", in: block.denseNames[number], &layer)
    }
    return [try block.addNormalized(first, dense, "layernorm2", &layer)]
  }

  /// keras.io's sum of token and position embeddings.
  static let tokenAndPositionEmbedding: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let (input, type) = try layer.typedInput(inputs)
    guard type.rank == 2, let length = type.shape[1].value else {
      throw .unsupported("takes [batch, length] with a known length and has \(type)")
    }
    let hasPaths = layer.remainingPaths.contains { $0.name.hasSuffix("vars/0") }
    if hasPaths {
      let names = ["token_emb/vars/0", "pos_emb/vars/0"]
      try layer.moveToFront(names, called: { $0 }) { $0 == $2 }
    }
    let tables = layer.remainingPaths
    guard tables.count == 2, tables.allSatisfy({ $0.shape.count == 2 }) else {
      throw .unsupported(
        "has the weights \(tables.map(\.name)); the layer that is known has two tables")
    }
    let rows = tables.map(\.shape[0])
    // Without paths and settings, only the number of rows distinguishes the tables.
    let stated = [
      try layer.integer("vocab_size", default: hasPaths ? rows[0] : -1),
      try layer.integer("maxlen", default: hasPaths || rows[0] != length ? rows[1] : -1),
    ]
    let width = try layer.integer("embed_dim", default: tables[0].shape[1])
    guard stated[1] == rows[1], stated[0] == rows[0] || (stated[0] == -1 && rows[1] == length),
      length <= rows[1]
    else {
      throw .unsupported(
        "has the tables \(tables.map(\.shape)) for \(length) words, which its settings do not explain"
      )
    }
    layer.decideOnce(
      "is read as keras.io's TokenAndPositionEmbedding: the sum of a table of words and one of positions"
    )
    let tokens = try layer.addInner(
      ["input_dim": .integer(rows[0]), "output_dim": .integer(width)], [input], role: "token_emb",
      build: KerasMappings.builder(of: "Embedding"))
    var positions = [
      try layer.weight("pos_emb/embeddings", shape: [rows[1], width]) {
        $0.reshaped([1, rows[1], width])
      }
    ]
    if length < rows[1] {
      let range = Slice.Range(axis: 1, start: 0, stop: length, step: 1)
      positions = try layer.add(Slice([range]), positions, role: "pos_emb")
    }
    return try layer.add(Add(), tokens + positions)
  }

  /// The cast at the input of AutoKeras' networks.
  static let castToFloat32: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    layer.ignore("autocast")  // Keras 3 writes it; the result is float32 either way
    layer.decideOnce("is read as AutoKeras' layer: its input as float32")
    return try layer.add(Cast(to: .float32), [try layer.onlyInput(inputs)])
  }
}

/// The weights of a transformer block's parts: under paths in the newer layout, else in the order
/// in which the parts were created.
private struct TransformerWeights {
  /// Whether the weights are stored under paths.
  private let hasPaths: Bool
  /// The paths of the two dense layers.
  private(set) var denseNames = ["", ""]

  init(_ layer: inout KerasLayer) throws(WeighbridgeError) {
    let names = layer.remainingPaths.map(\.name)
    hasPaths = names.contains { $0.contains("vars/") }
    guard names.count == 16 else {
      throw .unsupported(
        "has \(names.count) weights, and keras.io's TransformerBlock has 16: "
          + names.joined(separator: ", "))
    }
    guard hasPaths else {
      let lastParts = names.map { String($0.split(separator: "/").last ?? "") }
      let expected = [String](repeating: "", count: 12).indices.map {
        $0 % 2 == 0 ? "kernel" : "bias"
      }
      guard lastParts == expected + ["gamma", "beta", "gamma", "beta"] else {
        throw .unsupported(
          "has the weights \(names), which are not those of keras.io's TransformerBlock")
      }
      // The dense layers were created before the normalization that precedes them.
      let weights = Array(layer.unreadWeights)
      layer.unreadWeights = (weights[..<8] + weights[12..<14] + weights[8..<12] + weights[14...])
      return
    }
    let dense = Set(
      names.filter { $0.hasPrefix("ffn/") }.map {
        $0.split(separator: "/").dropLast(2).joined(separator: "/")
      })
    guard dense.count == 2 else {
      throw .unsupported("has the dense layers \(dense.sorted()) under ffn, and two are expected")
    }
    denseNames = dense.sorted()
  }

  /// The settings of keras.io's block.
  static let settings = ["embed_dim", "num_heads", "ff_dim"]

  /// The error for a layer without settings, whose code has no `get_config`: the weights reveal
  /// them, except the number of heads of the first version. Only the layer's name suggests that it
  /// computes the same as keras.io's.
  func proposal(for layer: KerasLayer) -> WeighbridgeError {
    let weights = layer.remainingPaths
    let query = weights.first { $0.shape.count == 3 && !$0.name.contains("output") }?.shape
    let kernels = weights.filter { weight in
      weight.shape.count == 2
        && (hasPaths ? weight.name.hasPrefix("ffn/") : weight.name.hasSuffix("kernel"))
    }
    let hidden = kernels.suffix(2).first?.shape ?? [0, 0]
    let config: JSONObject = [
      "embed_dim": .integer(hidden[0]), "num_heads": query.map { .integer($0[1]) } ?? "...",
      "ff_dim": .integer(hidden[1]),
    ]
    let className = layer.source.className
    let mapping: JSONValue = .object([
      "classes": .object([
        className: .object(["class_name": "TransformerBlock", "config": .object(config)])
      ])
    ])
    return .unsupported(
      "keeps no settings, and has the weights of keras.io's TransformerBlock (attention of all to all, then "
        + "dense layers with ReLU, each added to its input and normalized with epsilon 1e-6)\n"
        + "Proposed from its weights. Check that it computes the same"
        + (query == nil ? ", write how many heads it has, which the file does not say" : "")
        + ", save it as custom.json and add \(APIName.customLayers) custom.json:\n"
        + mapping.text(indented: true))
  }

  /// Adds a layer of Keras with its part of the weights.
  ///
  /// - Parameter path: Their path, if they are stored under paths.
  func add(
    _ className: String, _ settings: JSONObject, _ inputs: [ValueID], _ role: String,
    in path: String, _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> ValueID {
    let build = KerasMappings.builder(of: className)
    let record = KerasLayerRecord(name: role, className: className, config: settings)
    return try at(path, { record.order(ofVariables: $0, KerasMappings.parts) }, &layer) {
      (layer) throws(WeighbridgeError) in
      try layer.addInner(settings, inputs, role: role, build: build)
    }
  }

  private func at(
    _ path: String, _ order: ([String]) -> [Int], _ layer: inout KerasLayer,
    _ body: (inout KerasLayer) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> ValueID {
    let outputs =
      hasPaths
      ? try layer.withWeights(ofInner: path, where: { $0 == path }, order: order, body)
      : try body(&layer)
    return outputs[0]
  }

  /// Adds a sum and its normalization.
  func addNormalized(
    _ input: ValueID, _ other: ValueID, _ name: String, _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> ValueID {
    let sum = try layer.add(Add(), [input, other], role: "\(name)_input")
    return try add(
      "LayerNormalization", ["axis": -1, "epsilon": .real(1e-6)], sum, name, in: name, &layer)
  }

  /// Adds the attention: Keras' own, or that of the first version, whose four dense layers compute
  /// the same from weights of another shape.
  mutating func addAttention(
    to input: ValueID, heads: Int, width: Int, _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> ValueID {
    let own = ["query_dense", "key_dense", "value_dense", "combine_heads"]
    let shapes = layer.remainingPaths
    let isFirstVersion =
      hasPaths
      ? shapes.contains { $0.name.contains("combine_heads") } : shapes[0].shape.count == 2
    let keras = KerasLayerRecord(name: "att", className: "MultiHeadAttention", config: [:])
    let build = KerasMappings.builder(of: "MultiHeadAttention")
    return try at(
      "att",
      { (names: [String]) -> [Int] in
        guard isFirstVersion else { return keras.order(ofVariables: names, KerasMappings.parts) }
        let order = own.flatMap { ["\($0)/vars/0", "\($0)/vars/1"] }
        return names.indices.sorted {
          (order.firstIndex(of: names[$0]) ?? .max, $0) < (
            order.firstIndex(of: names[$1]) ?? .max, $1
          )
        }
      }, &layer
    ) { (layer) throws(WeighbridgeError) in
      if isFirstVersion { try layer.splitHeads(heads, width: width) }
      guard let kernel = layer.nextWeightShape, kernel.count == 3 else {
        throw .unsupported("has no weights of attention that are known")
      }
      return try layer.addInner(
        ["num_heads": .integer(heads), "key_dim": .integer(kernel[2])], [input, input], role: "att",
        build: build)
    }
  }
}

extension KerasLayer {
  /// Reshapes the next weights, of dense layers for query, key, value and output, to those of
  /// Keras' own attention.
  fileprivate mutating func splitHeads(_ heads: Int, width: Int) throws(WeighbridgeError) {
    let size = width / heads
    let (kernel, bias) = ([width, heads, size], [heads, size])
    let shapes = [kernel, bias, kernel, bias, kernel, bias, [heads, size, width], [width]]
    guard width % heads == 0, unreadWeights.count >= shapes.count,
      zip(unreadWeights, shapes).allSatisfy({
        $0.tensor.shape == ($1.count == 1 || $1 == bias ? [width] : [width, width])
      })
    else {
      throw .unsupported(
        "has weights of attention that \(heads) heads of \(width) features do not have")
    }
    let start = unreadWeights.startIndex
    for (index, shape) in shapes.enumerated() {
      let weight = unreadWeights[start + index]
      unreadWeights[start + index] = Weight(
        path: weight.path, tensor: weight.tensor.reshaped(shape), localName: weight.localName)
    }
  }
}
