import Bytes
import ConversionCore
import GraphIR
import ONNXFormat

/// Nodes of ONNX's opsets 1 to 6 in the form of opset 7 (ONNX, Changelog.md).
///
/// Until opset 6, a node said itself along which axis its second input is broadcast, and types, axes and
/// numbers that later became inputs were attributes, or the other way round.
struct ONNXEarlyNodes {
  /// The first opset in which a node needs no change.
  static let end = 7

  /// The node, in the form of opset 7.
  private(set) var node: ONNXNode
  /// Nodes that compute its inputs.
  private(set) var helpers: [ONNXNode] = []
  private let layer: String

  /// - Parameters:
  ///   - node: A node of an opset before 7.
  ///   - layer: The node's name, for those of its helpers.
  ///   - network: Gives the types of its inputs, and names to the outputs of its helpers.
  init(
    _ node: ONNXNode, layer: String, in network: inout ONNXNetwork
  ) throws(WeighbridgeError) {
    (self.node, self.layer) = (node, layer)
    self.node.attributes.removeAll { $0.name == "consumed_inputs" }
    switch node.operation {
    case "Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor":
      try broadcast(&network)
    case "BatchNormalization": stateTestMode(&network)
    case "Cast": try nameType()
    case "Concat" where network.opset < 4: set("axis", .integer(1))
    case "GRU", "LSTM", "RNN": _ = remove("output_sequence")  // the output is there if it is named
    case "Pad" where network.opset < 2: rename("paddings", to: "pads")
    case "PRelu": alignSlopes(&network)
    case "Selu" where network.opset < 6:
      set("alpha", .float(1.6732))
      set("gamma", .float(1.0507))
    case "Tile" where network.opset < 6: try repeatAxis(&network)
    case "Upsample": nameScales()
    default: break
    }
  }

  /// Adds the axes at the end of the second input that `axis` leaves out: of `[N, C, H, W]` and `[C]` with axis=1
  /// two.
  private mutating func broadcast(
    _ network: inout ONNXNetwork
  ) throws(WeighbridgeError) {
    let isBroadcast = remove("broadcast")
    guard case .integer(let axis)? = remove("axis"), case .integer(let flag)? = isBroadcast,
      flag != 0
    else { return }
    guard let firstRank = rank(0, network), let secondRank = rank(1, network) else { return }
    guard (-firstRank...firstRank).contains(axis) else {
      throw .malformed(
        "has axis=\(axis) for a first input of \(firstRank) axes, and one of these is expected")
    }
    addAxes((axis < 0 ? axis + firstRank : axis, firstRank), secondRank, &network)
  }

  /// Adds axes to slopes of channels, which are the second axis.
  private mutating func alignSlopes(_ network: inout ONNXNetwork) {
    guard let firstRank = rank(0, network), rank(1, network) == 1 else { return }
    addAxes((1, firstRank), 1, &network)
  }

  /// Adds axes of size 1 at the end of the second input, so that its first axis is the given one of a rank.
  private mutating func addAxes(
    _ first: (axis: Int, rank: Int), _ rank: Int, _ network: inout ONNXNetwork
  ) {
    let missing = first.rank - first.axis - rank
    guard missing > 0 else { return }
    let axes = ONNXAttribute.integers(Array(rank..<rank + missing))
    add("Unsqueeze", [node.inputs[1]], ["axes": axes], role: "axes", &network)
  }

  /// States how a normalization with one output and without `is_test` is computed.
  private mutating func stateTestMode(_ network: inout ONNXNetwork) {
    if case .integer(let flag)? = remove("is_test"), flag != 0 { return }
    guard node.outputs.dropFirst().allSatisfy(\.isEmpty) else { return }
    network.decide(
      layer,
      "has is_test=0, which is for training, and no outputs for the statistics of a batch; it is computed with "
        + "the stored ones")
  }

  /// Replaces the name of a type by its number.
  private mutating func nameType() throws(WeighbridgeError) {
    guard case .string(let name)? = node.attributes.first(where: { $0.name == "to" })?.value
    else { return }
    let renamed = ["float": "float32", "double": "float64"]
    guard let type = ElementType(rawValue: renamed[name.lowercased()] ?? name.lowercased()) else {
      throw .unsupported("converts to \(name), and only numbers and bool can be read")
    }
    set("to", .integer(Int(type.onnxNumber)), replacing: true)
  }

  /// Replaces a number of repetitions and an axis by repetitions of all axes.
  private mutating func repeatAxis(_ network: inout ONNXNetwork) throws(WeighbridgeError) {
    guard node.inputs.count == 3 else { return }
    let numbers = node.inputs[1...].compactMap { network.values[$0]?.tensor?.integers.first }
    guard let rank = rank(0, network), numbers.count == 2, (-rank..<rank).contains(numbers[1])
    else {
      throw .unsupported(
        "repeats a number of times or along an axis that is known only when the model runs, and only a constant "
          + "number and axis can be read")
    }
    var repeats = [Int](repeating: 1, count: rank)
    repeats[numbers[1] < 0 ? numbers[1] + rank : numbers[1]] = numbers[0]
    node.inputs.removeLast()
    add("Constant", [], ["value_ints": .integers(repeats)], role: "repeats", &network)
  }

  /// Replaces the scales of height and width by those of all axes.
  private mutating func nameScales() {
    guard case .float(let height)? = remove("height_scale"),
      case .float(let width)? = remove("width_scale")
    else { return }
    set("scales", .floats([1, 1, height, width]))
  }

  private func rank(_ position: Int, _ network: ONNXNetwork) -> Int? {
    guard position < node.inputs.count else { return nil }
    return network.values[node.inputs[position]].map { network.type($0).rank }
  }

  /// Adds a node whose output becomes the second input.
  private mutating func add(
    _ operation: String, _ inputs: [String], _ attributes: KeyValuePairs<String, ONNXAttribute>,
    role: String, _ network: inout ONNXNetwork
  ) {
    let output = network.unusedName("\(layer)/\(role)")
    helpers.append(
      ONNXNode(
        name: "\(layer)/\(role)", operation: operation, inputs: inputs, outputs: [output],
        attributes: attributes.map { ($0.key, $0.value) }))
    node.inputs[1] = output
  }
}

/// Attributes.
extension ONNXEarlyNodes {
  private mutating func remove(_ name: String) -> ONNXAttribute? {
    guard let position = node.attributes.firstIndex(where: { $0.name == name }) else { return nil }
    return node.attributes.remove(at: position).value
  }

  /// Adds an attribute where it is absent.
  private mutating func set(_ name: String, _ value: ONNXAttribute, replacing: Bool = false) {
    if replacing { _ = remove(name) }
    guard !node.attributes.contains(where: { $0.name == name }) else { return }
    node.attributes.append((name, value))
  }

  private mutating func rename(_ name: String, to newName: String) {
    if let value = remove(name) { set(newName, value) }
  }
}
