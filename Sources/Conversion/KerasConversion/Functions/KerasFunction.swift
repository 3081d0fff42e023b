package import Bytes
package import GraphIR
package import JSON
package import KerasFormat
import LayerCatalog

/// A call of a function that a Keras model uses without a layer, while it is being converted to
/// nodes: `x + 1`, `tf.reduce_mean(x)`, `keras.ops.concatenate([x, y])`.
///
/// Its arguments are tensors and constants in any order. Reading an argument consumes it;
/// ``build()`` throws if any remain.
package struct KerasFunction {
  /// Adds a function's nodes and returns its outputs.
  typealias Build = @Sendable (inout KerasFunction) throws(WeighbridgeError) -> [ValueID]

  /// The layer of the call, which holds the graph.
  package var layer: KerasLayer
  let name: KerasFunctionName
  private let inputs: [ValueID]
  private var positional: [KerasOperand?]
  private var named: [String: KerasOperand]
  private var constantCount = 0
  /// The role of a node that produces the output of a part of the function; empty for the function's
  /// own output.
  var resultRole = ""

  /// Creates a call.
  ///
  /// - Parameters:
  ///   - inputs: The tensors among the arguments.
  ///   - settings: The record's settings; for Keras 3 they are arguments too.
  /// - Throws: ``WeighbridgeError/Code/malformed`` or ``WeighbridgeError/Code/unsupported`` for a
  ///   node of TensorFlow's graph that is not supported.
  package init(
    _ name: KerasFunctionName, layer: consuming KerasLayer, inputs: [ValueID],
    operands: KerasOperands, settings: JSONObject
  ) throws(WeighbridgeError) {
    var (name, operands) = (name, operands)
    if case .graphNode(let operation) = name {
      let node = try KerasGraphNode(operation, tensors: operands, settings: settings)
      (name, operands) = (node.name, node.operands)
    }
    self.name = name
    self.layer = layer
    self.inputs = inputs
    positional = operands.positional
    named = operands.named
    if case .tensorFlow(let text) = name, text.hasPrefix("compat.v1.") {
      for (older, newer) in Self.olderArguments where named[newer] == nil {
        named[newer] = named.removeValue(forKey: older)
      }
    }
    if case .tensorFlow(let text) = name, text.hasPrefix(KerasBackendFunctions.prefix) {
      nameArguments(by: .of(name))
    }
    guard case .operation = name else { return }
    for key in settings.keys where key != "name" {
      if named[key] == nil { named[key] = settings[key].map { .value($0) } }
    }
  }

  /// Gives the arguments after the tensors the names by which they are read, and adds defaults.
  private mutating func nameArguments(by signature: KerasFunctionSignature) {
    for (index, parameter) in signature.settings.enumerated() {
      let position = signature.tensors.count + index
      if positional.indices.contains(position), let operand = positional[position] {
        positional[position] = nil
        named[parameter.readName] = operand
      } else if let operand = named.removeValue(forKey: parameter.name) {
        named[parameter.readName] = operand
      } else if let json = parameter.defaultValue {
        named[parameter.readName] = .value(json)
      }
    }
  }

  /// The names that arguments have in TensorFlow 1, and those that they have now.
  static let olderArguments = [
    "dim": "axis", "dimension": "axis", "keep_dims": "keepdims", "reduction_indices": "axis",
    "squeeze_dims": "axis",
  ]

  /// Whether there is a mapping of the function.
  package static func isKnown(_ name: KerasFunctionName) -> Bool {
    if case .graphNode(let operation) = name {
      return KerasGraphNode.translations[operation] != nil
    }
    return KerasFunctionTable.builder(name) != nil
  }

  /// Adds the nodes.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for an argument that was not read, and what
  ///   the function's builder throws.
  package mutating func build() throws(WeighbridgeError) -> [ValueID] {
    guard let build = KerasFunctionTable.builder(name) else {
      throw .unsupported("the function \(name.text) is unknown")
    }
    let outputs = try build(&self)
    // TensorFlow's functions take a name for the node.
    named["name"] = nil
    for (position, operand) in positional.enumerated() {
      if let operand, operand != .value(.null) {
        throw .unsupported("is called with an argument \(position) too many")
      }
    }
    for key in named.keys.sorted() where named[key] != .value(.null) {
      let text = if case .value(let value) = named[key] { value.text() } else { "a tensor" }
      throw .unsupported("is called with \(key)=\(text), which cannot be converted")
    }
    return outputs
  }

  /// Consumes and returns an argument, by one of its names or its position; `nil` when it is absent
  /// or null.
  mutating func take(_ names: String..., at position: Int? = nil) -> KerasOperand? {
    take(names, at: position)
  }

  mutating func take(_ names: [String], at position: Int? = nil) -> KerasOperand? {
    if let position, position < positional.count, let operand = positional[position] {
      positional[position] = nil
      if operand != .value(.null) { return operand }
    }
    for name in names {
      if let operand = named.removeValue(forKey: name), operand != .value(.null) { return operand }
    }
    return nil
  }

  /// Whether an argument is given, as an integer.
  func isInteger(_ name: String) -> Bool {
    if case .value(.integer)? = named[name] { true } else { false }
  }

  /// Whether an argument is given, and null.
  func isNull(_ names: String...) -> Bool { names.contains { named[$0] == .value(.null) } }

  /// Takes all remaining positional arguments from a position on.
  mutating func takeRest(from position: Int) -> [KerasOperand] {
    let remaining = positional.dropFirst(position).compactMap { $0 }
    for index in positional.indices.dropFirst(position) { positional[index] = nil }
    return remaining
  }

  /// Consumes arguments that have no effect.
  mutating func ignore(_ names: String...) {
    for name in names { named[name] = nil }
  }

  /// The value of a tensor among the arguments.
  func value(_ input: Int) throws(WeighbridgeError) -> ValueID {
    guard inputs.indices.contains(input) else { throw .malformed("has no input \(input)") }
    return inputs[input]
  }

  /// Adds a node. Its role is empty when it produces the function's own output.
  mutating func add(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    try layer.add(operation, inputs, role: role.isEmpty ? resultRole : role)
  }

  /// Adds a node with one output.
  mutating func addOne(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> ValueID {
    try add(operation, inputs, role: role)[0]
  }

  /// Adds consecutive nodes; an empty list becomes an identity node.
  mutating func addChain(
    _ operations: [(operation: any CatalogOperator, role: String)], _ input: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    if operations.isEmpty { return try add(Identity(), [input]) }
    var value = input
    for (position, step) in operations.enumerated() {
      let role = position == operations.count - 1 ? "" : step.role
      value = try add(step.operation, [value], role: role)[0]
    }
    return [value]
  }

  /// The type of a value.
  func type(of value: ValueID) -> TensorType { layer.graph.type(of: value) }

  /// Adds a number to the graph as a constant of the same rank and element type as another value.
  mutating func number(_ number: Double, like value: ValueID) throws(WeighbridgeError) -> ValueID {
    let type = type(of: value)
    return try add(
      constant: Tensor(type.elementType, shape: type.shape.map { _ in 1 }, [number]))
  }

  /// Adds a constant to the graph.
  mutating func add(constant: Tensor) throws(WeighbridgeError) -> ValueID {
    // A function that is called again may have other constants.
    let call = layer.source.call == 0 ? "" : ":\(layer.source.call)"
    let number = constantCount == 0 ? "" : "_\(constantCount)"
    constantCount += 1
    return try layer.constant("constant\(call)\(number)", constant)
  }
}
