import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// `[route]`, `[shortcut]`, `[scale_channels]`, `[sam]`, `[implicit]`.
enum DarknetRouting {
  static let sections: [String: DarknetSectionForm] = [
    "route": DarknetSectionForm(build: route) { (layer, section) throws(WeighbridgeError) in
      let slices = layer.nodes.filter { $0.operation is Slice }
      let sources = slices.isEmpty ? layer.nodes[0].inputs : slices.map { $0.inputs[0] }
      section.set("layers", try layer.list(sources))
      guard let slice = slices.first else { return }
      let range = try layer.operation(Slice.self).ranges[0]
      let (start, stop) = (range.start, range.stop)
      section.set("groups", try layer.inputShape(slice)[1] / (stop - start))
      section.set("group_id", start / (stop - start))
    },
    "shortcut": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        layer.fork == .alexeyab ? try layer.weightedSum() : try layer.scaledSum()
      },
      describe: { (layer, section) throws(WeighbridgeError) in
        section.set("from", try layer.list(try layer.addends()))
        if layer.fork == .alexeyab {
          try layer.describeWeights(&section)
        } else {
          try layer.describeFactors(&section)
        }
        section.set("activation", try layer.activation())
      }),
    "scale_channels": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        let other = try layer.singleOutput("from")
        let activation = try layer.activationName(default: "linear")
        let scalesPositions = try layer.flag("scale_wh")
        let (from, scale) = (try layer.image(other), try layer.image(layer.input))
        let fits =
          scalesPositions
          ? scale.channels == 1 && (scale.height, scale.width) == (from.height, from.width)
          : (scale.channels, scale.height, scale.width) == (from.channels, 1, 1)
        guard fits else {
          throw layer.malformed(
            "scales \(layer.shape(of: other)) by \(layer.shape(of: layer.input)), and the factors must be "
              + (scalesPositions ? "one channel of that size" : "one number for each channel"))
        }
        let product = try layer.add(Multiply(), [other, layer.input])
        return try layer.activated(product, activation)
      },
      describe: { (layer, section) throws(WeighbridgeError) in
        let (_, node) = try layer.node(Multiply.self)
        let scale = try layer.inputShape(node, 1)
        section.set("from", try layer.list([node.inputs[0]]))
        section.flag("scale_wh", scale[2] > 1 || scale[3] > 1)
        section.set("activation", try layer.activation())
      }),
    "sam": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        let other = try layer.singleOutput("from")
        let activation = try layer.activationName(default: "linear")
        guard layer.shape(of: other) == layer.shape(of: layer.input) else {
          throw layer.malformed(
            "multiplies \(layer.shape(of: other)) by \(layer.shape(of: layer.input)), and both must have "
              + "the same shape")
        }
        let product = try layer.add(Multiply(), [other, layer.input])
        return try layer.activated(product, activation)
      },
      describe: { (layer, section) throws(WeighbridgeError) in
        let (_, node) = try layer.node(Multiply.self)
        section.set("from", try layer.list([node.inputs[0]]))
        section.set("activation", try layer.activation())
      }),
    "implicit": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        let filters = try layer.integer("filters", default: 128, in: 1...1 << 24)
        let atoms = try layer.integer("atoms", default: 1, in: 1...1 << 24)
        try layer.checkLoading()
        let values = try layer.weight("values", shape: [1, filters, atoms, 1])
        return try layer.add(Identity(), [values])
      },
      describe: { (layer, section) throws(WeighbridgeError) in
        let shape = try layer.outputShape()
        section.set("filters", shape[1])
        section.set("atoms", shape[2])
      }),
  ]

  private static let route: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    guard let references = try layer.integers("layers") else {
      throw layer.malformed("has no layers=, which must name the layers to join")
    }
    var sources: [ValueID] = []
    for reference in references {
      sources.append(try layer.output(reference, key: "layers"))
    }
    let groups = try layer.integer("groups", default: 1, in: 1...1 << 24)
    let group = try layer.integer("group_id", default: 0, in: 0...max(0, groups - 1))
    if groups > 1 {
      for (position, source) in sources.enumerated() {
        let channels = try layer.image(source).channels
        guard channels % groups == 0 else {
          throw layer.malformed(
            "takes \(channels) channels, which groups=\(groups) does not divide")
        }
        let groupSize = channels / groups
        sources[position] = try layer.channels(
          group * groupSize..<(group + 1) * groupSize, of: source,
          role: sources.count == 1 ? "" : "part_\(position)")
      }
      if sources.count == 1 { return sources[0] }
    }
    return sources.count == 1
      ? try layer.add(Identity(), sources)
      : try layer.add(Concatenate(axis: 1), sources)
  }
}

extension DarknetLayer {
  /// Reads a setting that names one layer, and returns the output of that layer.
  mutating func singleOutput(_ key: String) throws(WeighbridgeError) -> ValueID {
    guard let references = try integers(key), let reference = references.first else {
      throw malformed("has no \(key)=, which must name a layer")
    }
    guard references.count == 1 else {
      throw malformed(
        "\(key)=\(references.map(String.init).joined(separator: ",")) names several layers, and "
          + "\(fork.title) reads only one here; leave one")
    }
    return try output(reference, key: key)
  }

  /// The outputs of the layers that `from` names.
  private mutating func addends() throws(WeighbridgeError) -> [ValueID] {
    guard let references = try integers("from") else {
      throw malformed("has no from=, which must name the layers to add")
    }
    var addends: [ValueID] = []
    for reference in references { addends.append(try output(reference, key: "from")) }
    return addends
  }

  /// Adds the shortcut of AlexeyAB's darknet: the sum of the input and other layers of the same
  /// height and width, weighted if there are weights. Of a layer with more channels, only the first
  /// ones are used; one with fewer channels is added to the first ones.
  mutating func weightedSum() throws(WeighbridgeError) -> ValueID {
    let addends = try addends()
    let activation = try activationName(default: "linear")
    let inputShape = try image(input)
    for addend in addends {
      let addendShape = try image(addend)
      guard (addendShape.height, addendShape.width) == (inputShape.height, inputShape.width)
      else {
        throw malformed(
          "adds \(shape(of: addend)) to \(shape(of: input)), and AlexeyAB's darknet adds images of the "
            + "same height and width only; pjreddie's adds others\(network.otherForkAdvice)")
      }
    }
    var terms = [input] + addends
    if let weights = try shortcutWeights(terms.count, channels: inputShape.channels) {
      for position in terms.indices {
        let channels = try image(terms[position]).channels
        let weight =
          try channels == inputShape.channels || shape(of: weights[position])[1] == 1
          ? weights[position]
          : self.channels(
            0..<min(channels, inputShape.channels), of: weights[position],
            role: "weight_\(position)/part")
        let part = try self.channels(
          0..<min(channels, inputShape.channels), of: terms[position], role: "part_\(position)")
        terms[position] = try add(Multiply(), [part, weight], role: "weighted_\(position)")
      }
    }
    let total = try sum(of: terms, channels: inputShape.channels)
    return try activated(total, activation)
  }

  /// Adds the sum of images. The first one has `channels` channels and determines the shape.
  private mutating func sum(
    of terms: [ValueID], channels: Int
  ) throws(WeighbridgeError) -> ValueID {
    var parts: [ValueID] = []
    var haveAllChannels = true
    for (position, term) in terms.enumerated() {
      let termChannels = try image(term).channels
      haveAllChannels = haveAllChannels && termChannels >= channels
      parts.append(
        try self.channels(
          0..<min(termChannels, channels), of: term, role: "part_\(position)"))
    }
    if haveAllChannels { return try add(Add(), parts) }
    var total = parts[0]
    for (position, part) in parts.enumerated().dropFirst() {
      let common = try image(part).channels
      let role = position == parts.count - 1 ? "" : "sum_\(position)"
      guard common < channels else {
        total = try add(Add(), [total, part], role: role)
        continue
      }
      let head = try self.channels(0..<common, of: total, role: "head_\(position)")
      let tail = try self.channels(common..<channels, of: total, role: "tail_\(position)")
      let mixed = try add(Add(), [head, part], role: "mixed_\(position)")
      total = try add(Concatenate(axis: 1), [mixed, tail], role: role)
    }
    return total
  }

  /// Reads the weights of a shortcut's inputs, each `[1, channels or 1, 1, 1]`; `nil` if there are
  /// none.
  private mutating func shortcutWeights(
    _ count: Int, channels: Int
  ) throws(WeighbridgeError) -> [ValueID]? {
    let type = try string("weights_type") ?? "none"
    let normalization = try string("weights_normalization") ?? "none"
    guard ["none", "per_feature", "per_layer", "per_channel"].contains(type) else {
      throw malformed(
        "has weights_type=\(type), and only none, per_feature and per_channel are known")
    }
    if type == "none" { return nil }
    try checkLoading()
    let width = type == "per_channel" ? channels : 1
    let stored = try weight("weights", shape: [count, width], range: 0.5...1)
    let raw = try add(Reshape(target: [width, 1, 1]), [stored], role: "weights/reshape")
    let normalized: ValueID
    switch normalization {
    case "relu", "avg_relu":
      // darknet raises weights to 0.001 when it fuses layers for inference (`lrelu` in network.c).
      let relu = try add(
        Clip(minimum: 0.001, maximum: .infinity), [raw], role: "weights/relu")
      normalized = try add(
        SumNormalization(axes: [0], epsilon: 1e-4), [relu], role: "weights/normalize")
    case "softmax":
      let maximum = try add(
        Reduce(.maximum, axes: [0], keepDims: true), [raw], role: "weights/maximum")
      let shifted = try add(Subtract(), [raw, maximum], role: "weights/lower")
      let exponential = try add(Exponential(), [shifted], role: "weights/exponential")
      normalized = try add(
        SumNormalization(axes: [0], epsilon: 1e-4), [exponential], role: "weights/normalize")
    default:
      throw malformed(
        "has weights_normalization=\(normalization), and weights must be normalized by relu or softmax"
      )
    }
    return try splitIntoRows(normalized, count: count, width: width)
  }

  /// Splits `[count, width, 1, 1]` into rows, each `[1, width, 1, 1]`.
  private mutating func splitIntoRows(
    _ value: ValueID, count: Int, width: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    let transposed = try add(Transpose(axes: [2, 0, 1, 3]), [value], role: "weights/transpose")
    var rows: [ValueID] = []
    for position in 0..<count {
      let row = try channels(
        position..<position + 1, of: transposed, role: "weight_\(position)/row")
      rows.append(
        try add(Reshape(target: [width, 1, 1]), [row], role: "weight_\(position)"))
    }
    return rows
  }
}

extension DarknetRecoveredLayer {
  /// The positions of the sections that produced some values, separated by commas.
  fileprivate func list(_ values: [ValueID]) throws(WeighbridgeError) -> String {
    var positions: [String] = []
    for value in values { positions.append(String(try section(of: value))) }
    return positions.joined(separator: ",")
  }

  /// The values that a shortcut adds to its input, which is the output of the previous section.
  fileprivate func addends() throws(WeighbridgeError) -> [ValueID] {
    let outputs = Set(nodes.flatMap(\.outputs))
    var sources: [ValueID] = []
    for id in nodes.flatMap(\.inputs) where graph[id].constant == nil && !outputs.contains(id) {
      if !sources.contains(id) { sources.append(id) }
    }
    let last = sectionIndices.values.max()
    let input = sources.first { sectionIndices[$0] == last }
    let others = sources.filter { $0 != input }
    return others.isEmpty ? sources : others
  }

  /// Adds the settings of a shortcut with weights.
  fileprivate func describeWeights(_ section: inout DarknetSectionText) throws(WeighbridgeError) {
    guard has("weights/reshape") else { return }
    let stored = try inputShape(try node(Reshape.self, "weights/reshape").node)
    section.set("weights_type", stored[1] == 1 ? "per_feature" : "per_channel")
    section.set("weights_normalization", has("weights/relu") ? "relu" : "softmax")
  }
}
