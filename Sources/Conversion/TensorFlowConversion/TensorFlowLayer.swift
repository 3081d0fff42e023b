import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TensorFlowFormat

/// An operation of a TensorFlow program that is being converted to nodes of the graph.
///
/// Attributes are marked as read; ``finish(_:)`` refuses those that were not.
struct TensorFlowLayer: PositionalLayer {
  typealias Context = TensorFlowContext

  let operation: TensorFlowOperation
  /// The origin that its nodes record.
  let source: SourceScope
  /// The state that it shares with the other operations.
  var network: TensorFlowNetwork
  private var unread: Set<String>
  /// Whether an operator follows that gives the result.
  private var endsLater = false

  init(_ operation: TensorFlowOperation, network: consuming TensorFlowNetwork) {
    (self.operation, self.network) = (operation, network)
    source = Self.source(operation)
    unread = Set(operation.attributes.filter(Self.matters).keys)
  }

  static func source(_ operation: TensorFlowOperation) -> SourceScope {
    SourceScope(layer: operation.name, className: operation.kind)
  }

  /// Whether an attribute says what is computed. The types of values follow from the values, the
  /// others are about how and where.
  private static func matters(_ name: String, _ value: TensorFlowAttribute) -> Bool {
    if case .type = value { return false }
    if case .list(let list) = value, case .type? = list.first { return false }
    return !name.hasPrefix("_")
      && ![
        "N", "use_cudnn_on_gpu", "shared_name", "container", "allowed_devices", "debug_name",
        "validate_indices", "grad_a", "grad_b", "grad_x", "grad_y", "bad_indices_policy",
      ].contains(name)
  }

  var outputNames: [String]? {
    endsLater ? nil : (0..<16).map { operation.value($0) }
  }

  mutating func finish(_ outputs: [SourceValue]) throws(WeighbridgeError) {
    if let name = unread.min() {
      throw unsupported("has the attribute \(name), which is not known for \(operation.kind)")
    }
    for (position, output) in outputs.enumerated() {
      try network.define(operation.value(position), output)
    }
  }

  /// Adds nodes that give something else than the result.
  mutating func intermediate<Value>(
    _ body: (inout Self) throws(WeighbridgeError) -> Value
  ) throws(WeighbridgeError) -> Value {
    endsLater = true
    let value = try body(&self)
    endsLater = false
    return value
  }

  func optional(_ position: Int) throws(WeighbridgeError) -> SourceValue? {
    guard position < operation.inputs.count else { return nil }
    let name = operation.inputs[position]
    guard let value = network.values[name] else {
      throw unsupported("reads \(name), a result that cannot be read")
    }
    return value
  }

  /// All inputs but some at the end.
  func inputs(dropping count: Int = 0) throws(WeighbridgeError) -> [SourceValue] {
    var values: [SourceValue] = []
    for position in operation.inputs.indices.dropLast(count) { values.append(try input(position)) }
    return values
  }
}

/// Attributes, with the values that they have where a file leaves them out.
extension TensorFlowLayer {
  private mutating func attribute(_ name: String) -> TensorFlowAttribute? {
    unread.remove(name)
    return operation.attributes[name]
  }

  /// Marks attributes as read that have no effect on a result.
  mutating func ignore(_ names: String...) { unread.subtract(names) }

  private func wrongType(_ name: String, _ expected: String) -> WeighbridgeError {
    malformed("has an attribute \(name) of another type than expected, \(expected)")
  }

  mutating func flag(_ name: String, default value: Bool = false) throws(WeighbridgeError) -> Bool {
    guard let attribute = attribute(name) else { return value }
    guard case .boolean(let flag) = attribute else { throw wrongType(name, "a boolean") }
    return flag
  }

  mutating func integer(_ name: String, default value: Int? = nil) throws(WeighbridgeError) -> Int {
    switch (attribute(name), value) {
    case (.integer(let integer)?, _), (nil, let integer?): return integer
    default: throw wrongType(name, "an integer")
    }
  }

  mutating func real(_ name: String, default value: Double) throws(WeighbridgeError) -> Double {
    guard let attribute = attribute(name) else { return value }
    guard case .real(let real) = attribute else { throw wrongType(name, "a number") }
    return real
  }

  mutating func string(_ name: String, default value: String) throws(WeighbridgeError) -> String {
    guard let attribute = attribute(name) else { return value }
    guard case .string(let string) = attribute else { throw wrongType(name, "a string") }
    return string
  }

  mutating func strings(_ name: String) throws(WeighbridgeError) -> [String] {
    try list(name, "a list of strings") { if case .string(let string) = $0 { string } else { nil } }
  }

  /// A list of integers; empty where there is none.
  mutating func integers(_ name: String) throws(WeighbridgeError) -> [Int] {
    try list(name, "a list of integers") {
      if case .integer(let integer) = $0 { integer } else { nil }
    }
  }

  private mutating func list<Element>(
    _ name: String, _ expected: String, _ element: (TensorFlowAttribute) -> Element?
  ) throws(WeighbridgeError) -> [Element] {
    guard let attribute = attribute(name) else { return [] }
    guard case .list(let list) = attribute else { throw wrongType(name, expected) }
    let elements = list.compactMap(element)
    guard elements.count == list.count else { throw wrongType(name, expected) }
    return elements
  }

  /// A type of elements.
  mutating func elementType(
    _ name: String, default value: ElementType? = nil
  ) throws(WeighbridgeError) -> ElementType {
    switch (attribute(name), value) {
    case (.type(let type)?, _): return try type.requiredElementType()
    case (nil, let type?): return type
    default: throw wrongType(name, "a type")
    }
  }

  mutating func tensor(_ name: String) throws(WeighbridgeError) -> Tensor {
    guard case .tensor(let tensor)? = attribute(name) else { throw wrongType(name, "a tensor") }
    return try tensor.tensor(in: network.context.store)
  }

  /// The order of the axes of an image.
  mutating func layout() throws(WeighbridgeError) -> DataLayout {
    let name = try string("data_format", default: "NHWC")
    switch name {
    case "NHWC", "NDHWC": return .channelsLast
    case "NCHW", "NCDHW": return .channelsFirst
    default:
      throw unsupported("has the order of axes \(name), expected NHWC, NCHW, NDHWC or NCDHW")
    }
  }
}
