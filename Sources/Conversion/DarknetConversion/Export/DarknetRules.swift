import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// How operators become sections.
enum DarknetRules {
  static let convolution: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    guard let operation = node.operation as? Convolution,
      let kernel = model.weight("kernel", of: node),
      kernel.shape.count == 4
    else { throw WeighbridgeError(.unsupported, "darknet convolves images only") }
    let input = try model.flow(node.inputs[0])
    let window = try DarknetWindowFit(operation.window, input: input)
    try model.select(input)
    let (normalization, activation, last) = model.followers(node)
    var section = DarknetSectionText("convolutional")
    section.flag("batch_normalize", normalization != nil)
    section.set("filters", kernel.shape[0])
    section.set("size", kernel.shape[2])
    section.set(strides: operation.window.strides)
    section.set(convolutionPadding: window.before, size: kernel.shape[2])
    section.set("dilation", window.dilation, unless: 1)
    section.set("groups", operation.groups, unless: 1)
    section.set("activation", activation)
    var weights = try model.affineWeights(node, normalization, count: kernel.shape[0])
    weights["kernel"] = kernel
    try model.add(section, last: last, layout: input.layout, weights: weights)
  }

  static let dense: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    guard let kernel = model.weight("kernel", of: node), model.shape(node.inputs[0]).count == 2
    else { throw WeighbridgeError(.unsupported, "darknet connects rows of numbers only") }
    let input = try model.plainFlow(node.inputs[0])
    try model.select(input)
    let (normalization, activation, last) = model.followers(node)
    var section = DarknetSectionText("connected")
    section.flag("batch_normalize", normalization != nil)
    section.set("output", kernel.shape[0])
    section.set("activation", activation)
    var weights = try model.affineWeights(node, normalization, count: kernel.shape[0])
    weights["kernel"] = kernel
    if !input.isInOrder, input.shape.count == 3 {  // a row of places becomes one of channels
      let dimensions = [input.shape[1], input.shape[2], input.shape[0]]
      weights["kernel"] = kernel.splitting(1, into: dimensions).permuted([0, 3, 1, 2])
        .contiguous().reshaped(kernel.shape)
    }
    try model.add(section, last: last, layout: .channelsFirst, weights: weights)
  }

  static let batchNormalization: DarknetTranslation.Rule = {
    (model, node) throws(WeighbridgeError) in
    let input = try model.plainFlow(node.inputs[0])
    guard model.fork == .alexeyab else {
      throw WeighbridgeError(.unsupported, "pjreddie's darknet crashes with [batchnorm]")
    }
    guard model.normalizesChannels(node, input.layout) else {
      throw WeighbridgeError(.unsupported, "darknet normalises channels only")
    }
    try model.select(input)
    try model.add(
      DarknetSectionText("batchnorm"), last: node, layout: input.layout,
      weights: try model.statistics(node, bias: nil))
  }

  static let activation: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    guard let name = DarknetLayer.activationName(of: [node.operation], fork: model.fork) else {
      throw WeighbridgeError(
        .unsupported, "\(model.fork.title) has no \(node.operation.kind) with these settings")
    }
    let input = try model.plainFlow(node.inputs[0])
    try model.select(input)
    var section = DarknetSectionText("activation")
    section.set("activation", name)
    try model.add(section, last: node, layout: input.layout)
  }

  static let softmax: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    let input = try model.plainFlow(node.inputs[0])
    let rank = model.shape(node.inputs[0]).count
    guard let operation = node.operation as? Softmax, rank == 2, operation.axes == [1] else {
      throw WeighbridgeError(.unsupported, "darknet takes the softmax of rows only")
    }
    try model.select(input)
    try model.add(DarknetSectionText("softmax"), last: node, layout: input.layout)
  }

  /// What passes on what it takes.
  static let identity: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    model.define(node, as: try model.flow(node.inputs[0]))
  }

  /// A row of an image is no section: those that take rows take images too.
  static let reshape: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    let input = try model.plainFlow(node.inputs[0])
    let target = model.shape(node.outputs[0])
    let isRow = target.count == 2
    // A row becomes an image of one place, and its other way round.
    let isPlace =
      input.shape.dropFirst().allSatisfy { $0 == 1 } && target.filter { $0 > 1 }.count <= 1
    guard isRow || isPlace else {
      throw WeighbridgeError(.unsupported, "darknet reshapes into rows only")
    }
    var flow = input
    if !isRow, let axis = target.indices.last(where: { target[$0] > 1 }), input.shape.count == 3 {
      flow.layout = axis == 1 ? .channelsFirst : .channelsLast
    }
    model.define(node, as: flow)
  }

  static let transpose: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    var flow = try model.plainFlow(node.inputs[0])
    guard let operation = node.operation as? Transpose, flow.shape.count == 3,
      let layout = flow.layout.permuted(by: operation.axes)
    else { throw WeighbridgeError(.unsupported, "darknet turns no axes") }
    flow.layout = layout
    model.define(node, as: flow)
  }
}

extension DarknetTranslation {
  /// The batch normalisation and the activation that follow a node and become part of its section.
  mutating func followers(
    _ node: Node
  ) -> (normalization: Node?, activation: String, last: Node) {
    var (last, normalization) = (node, Node?.none)
    if let next = follower(last), let layout = layout(of: next), normalizesChannels(next, layout) {
      (normalization, last) = (next, next)
      absorb(next)
    }
    if let next = follower(last),
      let name = DarknetLayer.activationName(of: [next.operation], fork: fork)
    {
      absorb(next)
      return (normalization, name, next)
    }
    return (normalization, "linear", last)
  }

  private func layout(of node: Node) -> DataLayout? {
    guard let operation = node.operation as? BatchNormalization else { return nil }
    return operation.axis == 1 ? .channelsFirst : .channelsLast
  }

  /// Whether a node is a batch normalisation of the channels.
  func normalizesChannels(_ node: Node, _ layout: DataLayout) -> Bool {
    guard let operation = node.operation as? BatchNormalization else { return false }
    let rank = shape(node.inputs[0]).count
    return operation.axis == (rank == 4 ? layout.channelAxis(rank: rank) : 1)
  }

  /// The weights of a convolution or dense layer besides its kernel.
  mutating func affineWeights(
    _ node: Node, _ normalization: Node?, count: Int
  ) throws(WeighbridgeError) -> [String: Tensor] {
    let bias = weight("bias", of: node)
    if let normalization { return try statistics(normalization, bias: bias) }
    return ["bias": bias ?? Tensor(.float32, shape: [1], [0]).broadcast(to: [count])]
  }
}
