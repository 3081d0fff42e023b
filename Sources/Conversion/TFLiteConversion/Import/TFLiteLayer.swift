import Bytes
import ConversionCore
import FlatBuffers
import GraphIR
import LayerCatalog
import TFLiteFormat

/// An operator of a TFLite file that is being converted to nodes of the graph.
///
/// Options are marked as read; ``finish(_:)`` refuses those that were not.
struct TFLiteLayer: PositionalLayer {
  typealias Context = TFLiteContext

  let node: TFLiteFile.Operator
  let scope: TFLiteScope
  /// The origin that its nodes record.
  let source: SourceScope
  /// The state that it shares with the other operators.
  var network: TFLiteNetwork
  /// The activation that the operator applies to its result, by its number in the schema.
  private var activation = 0
  /// Whether it computes with the numbers that integers stand for, so that its result must be
  /// quantized.
  var computesReals = false
  /// How results between two integers are rounded.
  var rounding = TFLiteRounding.toEven
  private var unread: Set<Int> = []
  /// The names of the outputs in the file; `nil` in a graph that runs several times.
  private let fileNames: [String]?
  private var isEnding = false

  init(
    _ node: TFLiteFile.Operator, scope: TFLiteScope, source: SourceScope, keepsNames: Bool,
    network: consuming TFLiteNetwork
  ) throws(WeighbridgeError) {
    (self.node, self.scope, self.source, self.network) = (node, scope, source, network)
    fileNames = keepsNames ? node.outputs.map { scope.names[$0] } : nil
    if let options = node.options { unread = Set(try options.fields()) }
  }

  /// The names of its outputs, unless its result is still to be activated or quantized.
  var outputNames: [String]? {
    let endsLater =
      activation != 0 || computesReals && node.outputs.first.map(isQuantized) == true
    return endsLater && !isEnding ? nil : fileNames
  }

  mutating func finish(_ outputs: [SourceValue]) throws(WeighbridgeError) {
    if let field = unread.sorted().first {
      throw unsupported("has the option \(field), which is not known for \(node.code.name)")
    }
    guard node.outputs.count <= outputs.count else {
      throw unsupported(
        "gives \(node.outputs.count) results, and only \(outputs.count) can be read")
    }
    for (position, (tensor, output)) in zip(node.outputs, outputs).enumerated() {
      var value = output
      let isQuantized = computesReals && isQuantized(tensor)
      if position == 0, activation != 0 {
        isEnding = !isQuantized
        value = try activated(value, role: isQuantized ? "activation" : "")
      }
      if isQuantized {
        isEnding = position == 0
        value = try quantized(value, tensor, role: position == 0 ? "" : "output_\(position)")
      }
      let declared = try scope.graph.tensors[tensor].elementType()
      guard type(value).elementType == declared else {
        throw malformed(
          "gives \(type(value)), and the file says that it is \(declared.rawValue)")
      }
      try network.define(scope.names[tensor], value)
    }
  }
}

/// Options, by their numbers in the table of the operator.
extension TFLiteLayer {
  /// Returns the options, if they are of the expected kind.
  private mutating func read<Number>(
    _ field: Int, _ value: (FlatBufferView) throws(WeighbridgeError) -> Number
  ) throws(WeighbridgeError) -> Number? {
    unread.remove(field)
    guard let options = node.options else { return nil }
    return try value(options)
  }

  /// Marks options as read that have no effect on a result.
  mutating func ignore(_ fields: Int...) { unread.subtract(fields) }

  mutating func integer(_ field: Int, default value: Int = 0) throws(WeighbridgeError) -> Int {
    try read(field) { (options) throws(WeighbridgeError) in
      try options.int32(field, default: value)
    } ?? value
  }

  /// A number of 8 bits that stands for a choice.
  mutating func choice(_ field: Int) throws(WeighbridgeError) -> Int {
    try read(field) { (options) throws(WeighbridgeError) in try options.int8(field) } ?? 0
  }

  mutating func flag(_ field: Int) throws(WeighbridgeError) -> Bool {
    try read(field) { (options) throws(WeighbridgeError) in try options.bool(field) } ?? false
  }

  mutating func float(_ field: Int) throws(WeighbridgeError) -> Double {
    Double(try read(field) { (options) throws(WeighbridgeError) in try options.float(field) } ?? 0)
  }

  mutating func integers(_ field: Int) throws(WeighbridgeError) -> [Int] {
    var budget = FlatBufferBudget(byteCount: 1 << 10)
    return try read(field) { (options) throws(WeighbridgeError) in
      try options.integers(field, &budget)
    } ?? []
  }

  /// Whether the operator applies an activation to its result.
  var hasActivation: Bool { activation != 0 }

  /// Reads the activation that the operator applies to its result.
  mutating func readActivation(_ field: Int) throws(WeighbridgeError) {
    activation = try choice(field)
  }

  private mutating func activated(
    _ value: SourceValue, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let operations: [Int: any CatalogOperator] = [
      1: ReLU(slope: 0, threshold: 0, maximum: nil), 2: Clip(minimum: -1, maximum: 1),
      3: ReLU(slope: 0, threshold: 0, maximum: 6), 4: Tanh(),
    ]
    guard let operation = operations[activation] else {
      throw unsupported(
        "has the activation number \(activation), and only ReLU, ReLU6, ReLU from -1 to 1 and "
          + "tanh can be read")
    }
    return try apply(operation, to: value, role: role)
  }
}

/// Inputs.
extension TFLiteLayer {
  /// The tensor at an input position; `nil` for one that is absent.
  func tensor(_ position: Int) -> Int? {
    guard position < node.inputs.count, node.inputs[position] >= 0 else { return nil }
    return node.inputs[position]
  }

  /// Returns an optional input as it is stored; `nil` when it is absent.
  func optional(_ position: Int) throws(WeighbridgeError) -> SourceValue? {
    guard let tensor = tensor(position) else { return nil }
    if let value = network.values[scope.names[tensor]] { return value }
    let name = scope.names[tensor]
    let reason =
      scope.graph.tensors[tensor].isVariable
      ? "reads the variable \(name), whose elements change from run to run; only models without "
        + "variables can be read"
      : "reads \(name), which has no elements in the file and which no operator before it gives"
    throw WeighbridgeError(
      scope.graph.tensors[tensor].isVariable ? .unsupported : .malformed, reason)
  }
}
