import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A node of an ONNX file that is being converted to nodes of the graph.
///
/// Attributes are marked as read; ``finish(_:)`` refuses those that were not.
struct ONNXLayer: ValueLayer {
  typealias Context = ONNXContext

  let node: ONNXNode
  /// The origin that its operators record, in the file's terms.
  let source: SourceScope
  /// The state that it shares with the other nodes.
  var network: ONNXNetwork
  private var unread: [String: ONNXAttribute] = [:]
  /// Whether the outputs keep their names in the file; they do not in a body, which is added
  /// several times.
  var keepsNames: Bool
  /// The types of the outputs if they have less than 8 bits; by default those of the inputs.
  var outputNarrowTypes: [ONNXNarrowType?]?
  /// What is read as the first input instead of it.
  var replacement: ONNXValue?
  /// The tensors of the list that is the only output; `nil` for tensors as outputs.
  var sequenceOutput: [ONNXValue]?
  /// The same of the outputs of the body that was added last.
  var bodyNarrowTypes: [ONNXNarrowType?] = []

  init(
    _ node: ONNXNode, source: SourceScope, keepsNames: Bool, network: consuming ONNXNetwork
  ) {
    self.node = node
    self.source = source
    self.keepsNames = keepsNames
    self.network = network
    for (name, value) in node.attributes { unread[name] = value }
  }

  var opset: Int { network.opset }
  var outputNames: [String]? { keepsNames ? node.outputs : nil }

  mutating func finish(_ outputs: [ONNXValue]) throws(WeighbridgeError) {
    if let name = unread.keys.sorted().first {
      throw unsupported(
        "has the attribute \(name), which \(node.operation) does not have in any opset that can be read"
      )
    }
    if let sequenceOutput {
      try network.defineSequence(node.outputs.first ?? "", sequenceOutput)
      return
    }
    let narrowTypes = try checkedNarrowTypes(outputCount: outputs.count)
    for (position, (name, value)) in zip(node.outputs, outputs).enumerated() where !name.isEmpty {
      try network.define(
        name, value, narrowType: position < narrowTypes.count ? narrowTypes[position] : nil)
    }
    if let name = node.outputs.dropFirst(outputs.count).first(where: { !$0.isEmpty }) {
      throw unsupported(
        "gives the optional output \(name), and only the outputs before it can be read")
    }
  }
}

/// Attributes.
extension ONNXLayer {
  /// Reads an attribute and marks it as read; returns `nil` when it is absent.
  ///
  /// - Parameters:
  ///   - expected: The expected type, for messages.
  ///   - convert: Converts the value; returns `nil` when it is of another type.
  private mutating func read<Value>(
    _ name: String, _ expected: String, _ convert: (ONNXAttribute) -> Value?
  ) throws(WeighbridgeError) -> Value? {
    guard let attribute = unread.removeValue(forKey: name) else { return nil }
    guard let value = convert(attribute) else { throw wrongType(name, expected) }
    return value
  }

  /// Whether an attribute is present and not read yet.
  func has(_ name: String) -> Bool { unread[name] != nil }

  /// Whether an attribute is present with a given string and not read yet.
  func has(_ name: String, equalTo string: String) -> Bool {
    if case .string(string)? = unread[name] { true } else { false }
  }

  /// Takes the type of a tensor in an attribute as that of the outputs, if it has less than 8 bits.
  mutating func readNarrowType(of name: String) {
    if case .tensor(let tensor)? = unread[name] { outputNarrowTypes = [tensor.narrowType] }
  }

  /// Marks attributes as read that have no effect when a model runs.
  mutating func ignore(_ names: String...) { for name in names { unread[name] = nil } }

  private func wrongType(_ name: String, _ expected: String) -> WeighbridgeError {
    malformed("the attribute \(name) of \(node.operation) is not of type \(expected)")
  }

  mutating func integer(_ name: String) throws(WeighbridgeError) -> Int? {
    try read(name, "integer") { if case .integer(let number) = $0 { number } else { nil } }
  }

  mutating func integer(
    _ name: String, default defaultValue: Int
  ) throws(WeighbridgeError) -> Int {
    try integer(name) ?? defaultValue
  }

  mutating func flag(
    _ name: String, default defaultValue: Bool = false
  ) throws(WeighbridgeError) -> Bool {
    try integer(name, default: defaultValue ? 1 : 0) != 0
  }

  mutating func float(
    _ name: String, default defaultValue: Double
  ) throws(WeighbridgeError) -> Double {
    try read(name, "number") { if case .float(let number) = $0 { number } else { nil } }
      ?? defaultValue
  }

  mutating func string(
    _ name: String, default defaultValue: String
  ) throws(WeighbridgeError) -> String {
    try read(name, "string") { if case .string(let string) = $0 { string } else { nil } }
      ?? defaultValue
  }

  mutating func integers(_ name: String) throws(WeighbridgeError) -> [Int]? {
    try read(name, "list of integers") {
      if case .integers(let numbers) = $0 { numbers } else { nil }
    }
  }

  mutating func floats(_ name: String) throws(WeighbridgeError) -> [Double]? {
    try read(name, "list of numbers") { if case .floats(let numbers) = $0 { numbers } else { nil } }
  }

  mutating func strings(_ name: String) throws(WeighbridgeError) -> [String]? {
    try read(name, "list of strings") {
      if case .strings(let strings) = $0 { strings } else { nil }
    }
  }

  mutating func tensor(_ name: String) throws(WeighbridgeError) -> Tensor? {
    let tensor = try read(name, "tensor") {
      if case .tensor(let tensor) = $0 { tensor } else { nil }
    }
    guard let tensor else { return nil }
    let elements = try network.readTensor(tensor)
    if keepsNames { network.countStored(elements) }
    return elements
  }

  mutating func body(_ name: String) throws(WeighbridgeError) -> ONNXGraph {
    let graph = try read(name, "graph") { if case .graph(let graph) = $0 { graph } else { nil } }
    guard let graph else { throw wrongType(name, "graph") }
    return graph
  }
}

/// Inputs.
extension ONNXLayer {
  /// Returns an optional input; `nil` when it is omitted.
  func optional(_ position: Int) throws(WeighbridgeError) -> ONNXValue? {
    guard position < node.inputs.count, !node.inputs[position].isEmpty else { return nil }
    if position == 0, let replacement { return replacement }
    let name = node.inputs[position]
    guard let value = network.values[name] else {
      throw malformed("reads \(name), which no node outputs")
    }
    return value
  }

  func input(_ position: Int = 0) throws(WeighbridgeError) -> ONNXValue {
    guard let value = try optional(position) else {
      throw malformed("has no input \(position), which \(node.operation) takes")
    }
    return value
  }

  /// Returns all inputs, none of which may be omitted.
  func allInputs() throws(WeighbridgeError) -> [ONNXValue] {
    var values: [ONNXValue] = []
    for position in node.inputs.indices { values.append(try input(position)) }
    return values
  }

  /// Whether every element of a value is known to equal a number.
  func isFilled(_ value: ONNXValue, with number: Int) -> Bool {
    network.fillValue(of: value) == Double(number)
  }

  /// Returns the elements of an input that must be constant; `nil` when it is omitted.
  func constant(_ position: Int) throws(WeighbridgeError) -> Tensor? {
    guard let value = try optional(position) else { return nil }
    guard let tensor = value.tensor else {
      throw unsupported(
        "the input \(node.inputs[position]) of \(node.operation) is known only when the model runs, and only a "
          + "constant can be read there")
    }
    return tensor
  }

  /// Returns integers that must be constant: from an input, or from an attribute as in older
  /// opsets.
  mutating func integers(
    _ position: Int, orAttribute name: String
  ) throws(WeighbridgeError) -> [Int]? {
    if let numbers = try integers(name) { return numbers }
    return try constant(position)?.integers
  }

  /// Returns a number that must be constant: from an input, or from an attribute as in older
  /// opsets.
  mutating func number(
    _ position: Int, orAttribute name: String
  ) throws(WeighbridgeError) -> Double? {
    if has(name) { return try float(name, default: 0) }
    guard let tensor = try constant(position) else { return nil }
    guard tensor.count == 1 else {
      throw malformed(
        "reads \(node.inputs[position]), which has \(tensor.count.counted("element")), and one "
          + "is expected")
    }
    return tensor.doubles[0]
  }

  /// Reads the axis of a value from an attribute.
  mutating func axis(
    of value: ONNXValue, named name: String = "axis", default defaultAxis: Int
  ) throws(WeighbridgeError) -> Int {
    try axis(try integer(name, default: defaultAxis), rank: type(value).rank)
  }
}
