import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A node of an ONNX file that is being converted to nodes of the graph.
///
/// Attributes are marked as read; ``finish(_:)`` refuses those that were not.
struct ONNXLayer: MappedLayer {
  let node: ONNXNode
  /// The origin that its operators record, in the file's terms.
  let source: SourceScope
  /// The state that it shares with the other nodes.
  var network: ONNXNetwork
  private var unread: [String: ONNXAttribute] = [:]
  /// Whether the outputs keep their names in the file; they do not in a body, which is added
  /// several times.
  private let keepsNames: Bool
  /// The types of the outputs if they have less than 8 bits; by default those of the inputs.
  var outputNarrowTypes: [ONNXNarrowType?]?
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

  mutating func finish(_ outputs: [ONNXValue]) throws(WeighbridgeError) {
    if let name = unread.keys.sorted().first {
      throw unsupported(
        "has the attribute \(name), which \(node.operation) does not have in any opset that can be read"
      )
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

  func type(_ value: ONNXValue) -> TensorType { network.type(value) }

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
        "reads \(node.inputs[position]), which has \(tensor.count) elements, and one "
          + "is expected")
    }
    return tensor.doubles[0]
  }

  /// Converts axes to non-negative indices in ascending order.
  func axes(_ axes: [Int], rank: Int) throws(WeighbridgeError) -> [Int] {
    let resolved = axes.map { $0 < 0 ? $0 + rank : $0 }
    if let position = resolved.firstIndex(where: { !(0..<rank).contains($0) }) {
      let description =
        rank == 0
        ? "without axes"
        : rank == 1 ? "that has axis 0 only" : "that has the axes 0 to \(rank - 1)"
      throw malformed("\(node.operation) names axis \(axes[position]) of a tensor \(description)")
    }
    guard Set(resolved).count == axes.count else {
      throw malformed("\(node.operation) names an axis twice: \(axes), and each can be named once")
    }
    return resolved.sorted()
  }

  func axis(_ axis: Int, rank: Int) throws(WeighbridgeError) -> Int {
    try axes([axis], rank: rank)[0]
  }

  /// Reads the axis of a value from an attribute.
  mutating func axis(
    of value: ONNXValue, named name: String = "axis", default defaultAxis: Int
  ) throws(WeighbridgeError) -> Int {
    try axis(try integer(name, default: defaultAxis), rank: type(value).rank)
  }
}

/// Operators.
extension ONNXLayer {
  /// Applies an operator: evaluates it if all inputs are constant, otherwise adds it as a node.
  ///
  /// - Parameter role: The operator's role in the file's node; empty for the one that produces its
  ///   outputs.
  mutating func apply(
    _ operation: any CatalogOperator, _ inputs: [ONNXValue], role: String = ""
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let tensors = inputs.compactMap(\.tensor)
    if tensors.count == inputs.count {
      return try evaluate(operation, tensors).enumerated().map { position, tensor in
        .constant(constantName(role, position), tensor)
      }
    }
    let scope = source.withRole(role)
    var ids: [ValueID] = []
    for input in inputs { ids.append(try network.id(input, scope)) }
    let names = role.isEmpty && keepsNames ? node.outputs : nil
    return try network.add(operation, ids, scope, outputNames: names).map { .computed($0) }
  }

  /// Applies an operator with one output.
  mutating func apply(
    _ operation: any CatalogOperator, to inputs: ONNXValue..., role: String = ""
  ) throws(WeighbridgeError) -> ONNXValue {
    try apply(operation, inputs, role: role)[0]
  }

  private func constantName(_ role: String, _ position: Int) -> String {
    if role.isEmpty, keepsNames, position < node.outputs.count { return node.outputs[position] }
    if role.isEmpty { return "\(source.layer):\(position)" }
    return position == 0 ? "\(source.layer)/\(role)" : "\(source.layer)/\(role):\(position)"
  }

  private mutating func evaluate(
    _ operation: any CatalogOperator, _ inputs: [Tensor]
  ) throws(WeighbridgeError) -> [Tensor] {
    let operation = operation.stating(.wrapping, for: inputs.map(\.type))
    let types: [TensorType]
    do throws(ShapeError) {
      types = try operation.checkedOutputTypes(of: inputs.map(\.type))
    } catch { throw malformed(error.reason) }
    for type in types {
      let size = try Checked.product(
        (type.fixedShape ?? []) + [8], of: "the size of a constant")
      try network.countConstant(type, byteCount: size)
    }
    return try operation.evaluate(inputs, workers: Workers(count: 1))
  }

  /// Creates a constant of this node.
  func newConstant(_ tensor: Tensor, _ role: String) -> ONNXValue {
    .constant("\(source.layer)/\(role)", tensor)
  }

  /// Creates a constant of one element, with the element type and rank of a value.
  func number(_ number: Double, like value: ONNXValue, _ role: String) -> ONNXValue {
    let ones = [Int](repeating: 1, count: type(value).rank)
    return newConstant(Tensor(type(value).elementType, shape: ones, [number]), role)
  }

  /// Returns a constant transposed or reshaped, as a view of the same bytes.
  func derived(
    _ value: ONNXValue, _ role: String, _ change: (Tensor) -> Tensor
  ) throws(WeighbridgeError) -> ONNXValue {
    guard case .constant(let name, let tensor) = value else {
      throw unsupported(
        "has a weight that is known only when the model runs, and \(node.operation) "
          + "can be read with constant ones only")
    }
    return .constant(role.isEmpty ? name : "\(name)/\(role)", change(tensor))
  }

  /// Returns values of a common rank, with leading axes of size 1 added, as ONNX broadcasts them.
  mutating func aligned(_ values: [ONNXValue]) throws(WeighbridgeError) -> [ONNXValue] {
    let rank = values.map { type($0).rank }.max() ?? 0
    var result: [ONNXValue] = []
    for (position, value) in values.enumerated() {
      let missing = rank - type(value).rank
      guard missing > 0 else {
        result.append(value)
        continue
      }
      if case .constant(let name, let tensor) = value {
        let ones = [Int](repeating: 1, count: missing)
        result.append(.constant(name, tensor.reshaped(ones + tensor.shape)))
      } else {
        result.append(
          try apply(
            ExpandDims(axes: Array(0..<missing)), to: value, role: "expand_dims_\(position)"))
      }
    }
    return result
  }

  /// Returns the sizes with which a reshape keeps some axes of a type.
  func keptSizes(_ type: TensorType, _ axes: Range<Int>) -> [ReshapeAxes.Size] {
    axes.map { axis in type.shape[axis].value.map { .fixed($0) } ?? .axis(axis) }
  }

  mutating func transposed(
    _ value: ONNXValue, _ axes: [Int], role: String = ""
  ) throws(WeighbridgeError) -> ONNXValue {
    if axes == Array(axes.indices) { return value }
    return try apply(Transpose(axes: axes), to: value, role: role)
  }
}

extension Tensor {
  /// The elements as integers; fractions are truncated, and values out of range are clamped.
  var integers: [Int] {
    guard elementType == .int64 else {
      return doubles.map { number in
        Int(exactly: number.rounded(.towardZero)) ?? (number > 0 ? .max : .min)
      }
    }
    let bytes = contiguousBytes()
    return (0..<count).map { index in
      (0..<8).reduce(0) { $0 | Int(bytes[index * 8 + $1]) << (8 * $1) }
    }
  }
}
