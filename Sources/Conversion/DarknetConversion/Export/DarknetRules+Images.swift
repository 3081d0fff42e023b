import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

extension DarknetRules {
  static let maxPooling: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    guard let operation = node.operation as? MaxPooling else { return }
    try pool("maxpool", operation.window, &model, node)
  }

  static let averagePooling: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    guard let operation = node.operation as? AveragePooling else { return }
    let input = try model.plainFlow(node.inputs[0])
    let fit = try DarknetWindowFit(operation.window, input: input)
    guard !operation.countIncludePad || fit.isUnpadded else {
      throw WeighbridgeError(.unsupported, "darknet does not count padding in a mean")
    }
    try pool("local_avgpool", operation.window, &model, node)
  }

  private static func pool(
    _ name: String, _ window: Window, _ model: inout DarknetTranslation, _ node: Node
  ) throws(WeighbridgeError) {
    let input = try model.plainFlow(node.inputs[0])
    let fit = try DarknetWindowFit(window, input: input)
    guard fit.dilation == 1, let padding = fit.poolingPadding else {
      throw WeighbridgeError(.unsupported, "darknet pads a pooling alike on all sides")
    }
    try model.select(input)
    var section = DarknetSectionText(name)
    section.set("size", window.size[0])
    section.set(strides: window.strides)
    section.set("padding", padding, unless: window.size[0] - 1)
    try model.add(section, last: node, layout: input.layout)
  }

  static let globalAveragePooling: DarknetTranslation.Rule = {
    (model, node) throws(WeighbridgeError) in
    let input = try model.plainFlow(node.inputs[0])
    try model.select(input)
    try model.add(DarknetSectionText("avgpool"), last: node, layout: input.layout)
  }

  static let globalMaxPooling: DarknetTranslation.Rule = {
    (model, node) throws(WeighbridgeError) in
    let input = try model.plainFlow(node.inputs[0])
    guard input.shape.count == 3, input.shape[1] == input.shape[2] else {
      throw WeighbridgeError(.unsupported, "a window of darknet's is a square")
    }
    try model.select(input)
    var section = DarknetSectionText("maxpool")
    section.set("size", input.shape[1])
    section.set("stride", input.shape[1])
    section.set("padding", 0)
    try model.add(section, last: node, layout: input.layout)
  }

  static let upsampling: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    let input = try model.plainFlow(node.inputs[0])
    guard let operation = node.operation as? Upsampling, operation.interpolation == .nearest,
      Set(operation.factors).count == 1
    else {
      throw WeighbridgeError(.unsupported, "darknet repeats places alike along both axes only")
    }
    try model.select(input)
    var section = DarknetSectionText("upsample")
    section.set("stride", operation.factors[0])
    try model.add(section, last: node, layout: input.layout)
  }

  /// Becomes part of the convolutions that take it.
  static let zeroPadding: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    var flow = try model.plainFlow(node.inputs[0])
    guard let operation = node.operation as? ZeroPadding, flow.shape.count == 3 else {
      throw WeighbridgeError(.unsupported, "darknet pads images only")
    }
    flow.padding = operation.borders
    model.define(node, as: flow)
  }

  static let add: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    let terms = try model.sources(node)
    guard Set(terms.map(\.shape)).count == 1, Set(terms.map(\.isInOrder)).count == 1,
      Set(terms.map(\.layout)).count == 1
    else { throw WeighbridgeError(.unsupported, "darknet adds layers of the same sizes only") }
    guard model.fork == .alexeyab || terms.count == 2 else {
      throw WeighbridgeError(.unsupported, "pjreddie's darknet adds two layers only")
    }
    let ordered = terms.sorted { $0.section > $1.section }
    try model.select(ordered[0])
    var section = DarknetSectionText("shortcut")
    section.set("from", ordered.dropFirst().map { "\($0.section)" }.joined(separator: ","))
    let (_, activation, last) = model.followers(node)
    section.set("activation", activation)
    try model.add(section, last: last, layout: terms[0].layout)
  }

  static let concatenate: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    let terms = try model.sources(node)
    let rank = model.shape(node.outputs[0]).count
    guard let operation = node.operation as? Concatenate, Set(terms.map(\.layout)).count == 1,
      operation.axis == (rank == 4 ? terms[0].layout.channelAxis(rank: 4) : 1),
      rank == 4 || terms.allSatisfy({ $0.isInOrder && $0.shape.count == 3 })
    else { throw WeighbridgeError(.unsupported, "darknet joins channels only") }
    var section = DarknetSectionText("route")
    section.set("layers", terms.map { "\($0.section)" }.joined(separator: ","))
    try model.add(section, last: node, layout: terms[0].layout)
  }

  static let multiply: DarknetTranslation.Rule = { (model, node) throws(WeighbridgeError) in
    let terms = try model.sources(node)
    guard terms.count == 2, terms[0].layout == terms[1].layout || terms.contains(where: \.isInOrder)
    else { throw WeighbridgeError(.unsupported, "darknet multiplies two layers only") }
    let isElementwise = terms[0].shape == terms[1].shape
    let places = terms.map { $0.shape.dropFirst().reduce(1, *) }
    let ordered = places[0] < places[1] ? [terms[1], terms[0]] : terms
    try model.select(ordered[1])
    var section = DarknetSectionText(isElementwise ? "sam" : "scale_channels")
    section.set("from", ordered[0].section)
    section.set("activation", "linear")
    try model.add(section, last: node, layout: ordered[0].layout)
  }
}

extension DarknetTranslation {
  /// The layers that a node joins; each must be one that a section can name.
  fileprivate func sources(_ node: Node) throws(WeighbridgeError) -> [Flow] {
    var flows: [Flow] = []
    for id in node.inputs {
      guard !isConstant(id) else {
        throw WeighbridgeError(.unsupported, "darknet adds and multiplies no constants")
      }
      flows.append(try plainFlow(id))
    }
    guard flows.allSatisfy({ $0.section >= 0 }) else {
      throw WeighbridgeError(.unsupported, "takes the network's input, which no section can name")
    }
    return flows
  }
}

/// Where a window lies on an image, in darknet's terms.
struct DarknetWindowFit {
  /// How many elements are added in front, along height and width.
  let before: Int
  let dilation: Int
  /// Whether nothing is added anywhere.
  let isUnpadded: Bool
  private let window: Window
  private let dimensions: [Int]
  private let counts: [Int]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` for windows that are no squares, or that are
  ///   padded in front by another number along each axis.
  init(
    _ window: Window, input: DarknetTranslation.Flow
  ) throws(WeighbridgeError) {
    guard window.size.count == 2, input.shape.count == 3, window.size[0] == window.size[1],
      window.dilation[0] == window.dilation[1]
    else { throw WeighbridgeError(.unsupported, "a window of darknet's is a square on an image") }
    var (fronts, backs, counts) = ([Int](), [Int](), [Int]())
    for axis in 0..<2 {
      let added = input.padding.map { ($0.before[axis], $0.after[axis]) } ?? (0, 0)
      let dimension = input.shape[axis + 1] + added.0 + added.1
      do throws(ShapeError) {
        let place = try window.placement(axis, dimension: dimension)
        fronts.append(place.before + added.0)
        backs.append(place.after + added.1)
        counts.append(place.count)
      } catch { throw WeighbridgeError(.unsupported, error.reason) }
    }
    guard fronts[0] == fronts[1], fronts[0] % window.dilation[0] == 0 else {
      throw WeighbridgeError(.unsupported, "darknet pads all sides alike")
    }
    before = fronts[0] / window.dilation[0]
    dilation = window.dilation[0]
    isUnpadded = (fronts + backs).allSatisfy { $0 == 0 }
    self.window = window
    dimensions = Array(input.shape.dropFirst())
    self.counts = counts
  }

  /// What darknet adds on both sides of a pooling together, of which the smaller half goes in front;
  /// `nil` when no number leads to the same windows.
  var poolingPadding: Int? {
    [window.size[0] - 1, 2 * before, 2 * before + 1].first { padding in
      padding / 2 == before
        && dimensions.indices.allSatisfy {
          (dimensions[$0] + padding - window.size[$0]) / window.strides[$0] + 1 == counts[$0]
        }
    }
  }
}
