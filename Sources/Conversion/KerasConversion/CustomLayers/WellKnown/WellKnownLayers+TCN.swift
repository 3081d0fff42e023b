import Bytes
import GraphIR
import JSON
import LayerCatalog

/// keras-tcn's temporal convolutional network (Bai et al. 2018), of the versions 2.9 to 3.5.
extension WellKnownLayers {
  static let temporalConvolution: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let (input, type) = try layer.typedInput(inputs)
    guard type.rank == 3, let features = type.shape[2].value, type.elementType == .float32 else {
      throw .unsupported("takes float32 [batch, length, features] and has \(type)")
    }
    var network = try TemporalConvolution(&layer, length: type.shape[1].value)
    try network.sortWeights(of: &layer, features: features)
    layer.decideOnce("is read as keras-tcn's TCN, \(network.generation)")
    return try network.add(to: input, features: features, &layer)
  }
}

/// The settings of a TCN.
private struct TemporalConvolution {
  /// The versions of keras-tcn that compute differently.
  enum Generation: String {
    case first = "as version 2.9 computes it: with a convolution before the blocks"
    case second = "as version 3.1 computes it: with ReLU inside the blocks"
    case third = "as versions since 3.2 compute it"
  }

  let filters: [Int]
  let kernelSize: Int
  let dilations: [Int]
  let padding: String
  let addsSkips: Bool
  let returnsSequences: Bool
  let isReversed: Bool
  let activation: JSONValue
  /// The class of the normalizations, if any.
  let normalization: String?
  let length: Int?
  private(set) var generation: Generation

  /// Reads the settings, all of which every version writes.
  init(_ layer: inout KerasLayer, length: Int?) throws(WeighbridgeError) {
    self.length = length
    let isNewer = ["use_weight_norm", "go_backwards"].contains { layer.unreadSettings[$0] != nil }
    generation = isNewer ? .third : .second
    let written = layer.take("nb_filters")
    let rates = layer.take("dilations")?.integers ?? []
    let stacks = try layer.integer("nb_stacks")
    kernelSize = try layer.integer("kernel_size")
    padding = layer.take("padding")?.string ?? ""
    addsSkips = try Self.flag("use_skip_connections", &layer)
    returnsSequences = try Self.flag("return_sequences", &layer)
    let hasBatch = try Self.flag("use_batch_norm", &layer)
    let hasLayer = try Self.flag("use_layer_norm", &layer)
    let hasWeight = try layer.flag("use_weight_norm", default: false)
    isReversed = try layer.flag("go_backwards", default: false)
    try layer.require("return_state", toBe: false, because: "what the state would be is not known")
    _ = try layer.real("dropout_rate")
    activation = layer.take("activation") ?? .null
    layer.ignore("kernel_initializer")
    guard !rates.isEmpty, rates.count <= 64, (1...64).contains(stacks), kernelSize >= 1,
      ["causal", "same"].contains(padding), !hasWeight, !(hasBatch && hasLayer)
    else {
      throw .unsupported(
        "has dilations=\(rates), nb_stacks=\(stacks), kernel_size=\(kernelSize), "
          + "padding=\(padding), "
          + "use_weight_norm=\(hasWeight); weight normalization is not supported")
    }
    let numbers = written?.integer.map { [Int](repeating: $0, count: rates.count) }
    guard let each = numbers ?? written?.integers, each.count == rates.count,
      each.allSatisfy({ $0 >= 1 })
    else {
      throw .unsupported(
        "has nb_filters=\(written?.text() ?? "none"), expected a number, or one for each "
          + "dilation")
    }
    let all = [Int](0..<stacks)
    filters = all.flatMap { _ in each }
    dilations = all.flatMap { _ in rates }
    normalization = hasBatch ? "BatchNormalization" : hasLayer ? "LayerNormalization" : nil
  }

  private static func flag(
    _ key: String, _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> Bool {
    guard let value = layer.take(key)?.bool else {
      throw .unsupported("has no setting \(key), which keras-tcn's TCN has")
    }
    return value
  }

  /// Whether a block has a convolution that gives its input as many features as its output.
  private func hasMatch(_ block: Int, _ features: Int) -> Bool {
    if generation != .first { return filters[block] != features }
    return !addsSkips || block < filters.count - 1
  }

  /// Sorts the weights by their names into the order in which ``add(to:features:_:)`` takes them.
  mutating func sortWeights(
    of layer: inout KerasLayer, features: Int
  ) throws(WeighbridgeError) {
    if layer.placeholderLimit != nil {
      guard layer.sharesPlaceholders, generation == .third else {
        throw .unsupported(
          "has weights whose names are not known, and they say which version it is of")
      }
      return
    }
    let weights = Array(layer.unreadWeights)
    var indices: [String: Int] = [:]
    for (index, weight) in weights.enumerated() {
      let name = Self.name(of: weight)
      guard indices.updateValue(index, forKey: name) == nil else {
        throw .unsupported("has two weights \(name), of which there can be only one")
      }
    }
    if indices["kernel"] != nil { generation = .first }
    let order = weightNames(features: features).map { indices[$0] }
    let found = order.compactMap(\.self)
    guard found.count == order.count, found.count == weights.count else {
      throw .unsupported(
        "has the weights \(indices.keys.sorted().joined(separator: ", ")), which are not those of "
          + "keras-tcn's TCN with these settings")
    }
    layer.unreadWeights = found.map { weights[$0] }[...]
  }

  /// The name of a weight inside the layer, such as `residual_block_0/conv1D_0/kernel`.
  private static func name(of weight: KerasLayer.Weight) -> String {
    let path = weight.localName.contains("/") ? weight.localName : weight.path
    var parts = path.split(separator: "/").map { String($0.prefix { $0 != ":" }) }
    if let start = parts.firstIndex(where: { $0.hasPrefix("residual_block_") }) {
      parts.removeFirst(start)
    } else {
      parts = parts.suffix(1)
    }
    guard parts.count >= 4, parts[parts.count - 2] == "vars",
      let number = Int(parts[parts.count - 1])
    else { return parts.joined(separator: "/") }
    // Keras 3 numbers the variables of each layer, and names its lists of layers.
    let isNorm = parts[1].hasSuffix("_norm_layers")
    let role = isNorm ? "norm_\(parts[2].hasSuffix("_1") ? 1 : 0)" : parts[1]
    let names =
      isNorm ? ["gamma", "beta", "moving_mean", "moving_variance"] : ["kernel", "bias"]
    return "\(parts[0])/\(role)/\(names.indices.contains(number) ? names[number] : "\(number)")"
  }

  private func weightNames(features: Int) -> [String] {
    var names = generation == .first ? ["kernel", "bias"] : []
    var features = generation == .first ? filters[0] : features
    let statistics =
      normalization == "BatchNormalization" ? ["moving_mean", "moving_variance"] : []
    for block in filters.indices {
      let path = "residual_block_\(block)/"
      for number in 0..<2 {
        names += ["kernel", "bias"].map { "\(path)conv1D_\(number)/\($0)" }
        if normalization != nil {
          names += (["gamma", "beta"] + statistics).map { "\(path)norm_\(number)/\($0)" }
        }
      }
      if hasMatch(block, features) {
        let match = generation == .first ? path : "\(path)matching_conv1D/"
        names += ["kernel", "bias"].map { match + $0 }
      }
      features = filters[block]
    }
    return names
  }

  /// Adds the nodes.
  func add(
    to input: ValueID, features: Int, _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> [ValueID] {
    var (value, features) = (input, features)
    if isReversed { value = try layer.add(Reverse(axes: [1]), [value], role: "reversed")[0] }
    if generation == .first {
      let settings = convolution(filters[0], size: 1, dilation: 1, padding)
      value = try add("Conv1D", settings, [value], "conv1D", &layer)
      features = filters[0]
    }
    var skips: [ValueID] = []
    for block in filters.indices {
      let role = "residual_block_\(block)"
      let isLast = block == filters.count - 1
      let inner = try addConvolutions(to: value, block, role, &layer)
      skips.append(inner)
      let matches = hasMatch(block, features)
      if isLast, addsSkips {
        // The sum of the last block's input and output leads nowhere.
        if matches {
          try layer.ignoreWeight("\(role)/match", shape: [1, features, filters[block]])
          try layer.ignoreWeight("\(role)/match_bias", shape: [filters[block]])
        }
        break
      }
      if matches {
        let settings = convolution(filters[block], size: 1, dilation: 1, "same")
        value = try add("Conv1D", settings, [value], "\(role)/matching_conv1D", &layer)
      }
      value = try layer.add(Add(), [value, inner], role: "\(role)/sum")[0]
      value = try add("Activation", ["activation": activation], [value], "\(role)/act", &layer)
      features = filters[block]
    }
    if addsSkips {
      value = skips.count == 1 ? skips[0] : try layer.add(Add(), skips, role: "skips")[0]
    }
    return try addResult(of: value, &layer)
  }

  /// Adds the two dilated convolutions of a block.
  private func addConvolutions(
    to input: ValueID, _ block: Int, _ role: String, _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> ValueID {
    var value = input
    let inner = generation == .third ? activation : "relu"
    for number in 0..<2 {
      let settings = convolution(
        filters[block], size: kernelSize, dilation: dilations[block], padding)
      value = try add("Conv1D", settings, [value], "\(role)/conv1D_\(number)", &layer)
      if let normalization {
        let settings: JSONObject = ["axis": -1, "epsilon": .real(1e-3)]
        value = try add(normalization, settings, [value], "\(role)/norm_\(number)", &layer)
      }
      value = try add(
        "Activation", ["activation": inner], [value], "\(role)/act_\(number)", &layer)
    }
    guard generation == .third, activation != "relu" else { return value }
    return try add("Activation", ["activation": inner], [value], "\(role)/act_2", &layer)
  }

  /// Adds the element that the layer returns, if it does not return all.
  private func addResult(
    of value: ValueID, _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> [ValueID] {
    if returnsSequences { return try layer.add(Identity(), [value]) }
    var start = -1
    if padding == "same" {
      // Before 2.9.1 it was the last element.
      guard let length, generation != .first else {
        throw .unsupported("returns one element of a sequence, and which one is not known")
      }
      start = length / 2
    }
    let stop = start == -1 ? nil : start + 1
    let range = Slice.Range(axis: 1, start: start, stop: stop, step: 1)
    let element = try layer.add(Slice([range]), [value], role: "element")
    return try layer.add(Squeeze(axes: [1]), element)
  }

  private func convolution(
    _ filters: Int, size: Int, dilation: Int, _ padding: String
  ) -> JSONObject {
    [
      "filters": .integer(filters), "kernel_size": [.integer(size)],
      "dilation_rate": [.integer(dilation)], "padding": .string(padding),
    ]
  }

  private func add(
    _ className: String, _ settings: JSONObject, _ inputs: [ValueID], _ role: String,
    _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> ValueID {
    try layer.addInner(
      settings, inputs, role: role, build: KerasMappings.builder(of: className))[0]
  }
}
