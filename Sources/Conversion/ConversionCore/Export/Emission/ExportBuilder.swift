package import Bytes
package import GraphIR
import LayerCatalog

/// A tensor of the graph in a target's representation.
package protocol ExportValue: Sendable {
  /// Its type.
  var type: TensorType { get }
  /// The elements of a weight; `nil` for a value that the model computes.
  var constant: Tensor? { get }
  /// Its name. All uses of a weight have the weight's name in the graph; a constant that is not in
  /// the graph has an empty name.
  var name: String { get }

  /// Creates a weight.
  static func weight(_ tensor: Tensor, named name: String) -> Self
}

extension ExportValue {
  /// Creates a constant that is not in the graph.
  package static func constant(_ tensor: Tensor) -> Self { .weight(tensor, named: "") }
}

/// A value of a target whose nodes refer to their inputs and outputs by name.
package struct ExportOperand: ExportValue {
  /// Its name in the file.
  package let name: String
  package let type: TensorType
  package let constant: Tensor?

  /// Creates an operand from its representation in the target.
  package init(name: String, type: TensorType, constant: Tensor?) {
    self.name = name
    self.type = type
    self.constant = constant
  }

  package static func weight(_ tensor: Tensor, named name: String) -> ExportOperand {
    ExportOperand(name: name, type: tensor.type, constant: tensor)
  }
}

/// The operator that is being translated.
package struct ExportScope<Value: ExportValue>: Sendable {
  /// The prefix of the names of the nodes that it becomes.
  package var prefix = ""
  /// Its inputs.
  package var operands: [Value] = []
  /// The types of its outputs.
  package var outputTypes: [TensorType] = []
  /// For each output, whether it is used.
  package var isUsed: [Bool] = []

  /// Creates the scope of one operator; an empty one by default.
  package init(
    prefix: String = "", operands: [Value] = [], outputTypes: [TensorType] = [],
    isUsed: [Bool] = []
  ) {
    self.prefix = prefix
    self.operands = operands
    self.outputTypes = outputTypes
    self.isUsed = isUsed
  }
}

/// A target's file under construction, built one operator at a time.
package protocol ExportBuilder: SendableMetatype {
  /// A tensor in the target's representation.
  associatedtype Value: ExportValue
  /// What a rule returns for each output of its operator.
  associatedtype Output

  /// The target's name.
  var target: String { get }
  /// How operators are written.
  static var table: ExportTable<Self> { get }
  /// Whether an operator whose inputs are all weights is computed instead of written.
  static var foldsConstants: Bool { get }
  /// Whether the target has integers, whose sums and products wrap around, instead of
  /// floating-point numbers in their place.
  static var wrapsIntegers: Bool { get }
  /// The operator that is being translated.
  var scope: ExportScope<Value> { get set }

  /// Returns the value of an output.
  func value(_ output: Output, _ type: TensorType) -> Value
  /// The reason why the target has no values of a type; `nil` if it has.
  func problem(of type: TensorType) -> String?
  /// The name of a constant that an operator computes of others; by default an empty one.
  func foldedName(_ operation: any Operator, _ inputs: [Value]) -> String
  /// Adds the nodes that a step becomes and returns its outputs. By default this calls
  /// ``apply(_:named:_:isUsed:)``.
  mutating func emit(_ step: ExportStep<Value>) throws(WeighbridgeError) -> [Value]
}

extension ExportBuilder {
  package func foldedName(_ operation: any Operator, _ inputs: [Value]) -> String { "" }

  /// The inputs of the operator that is being translated.
  package var operands: [Value] { scope.operands }

  /// The type of an input.
  package func type(_ position: Int = 0) -> TensorType { scope.operands[position].type }

  /// The type of the first output.
  package var outputType: TensorType { scope.outputTypes[0] }

  /// The first input that has an axis of a size, and that axis; `nil` for a size without a name.
  package func axis(ofSize size: Dimension) -> (value: Value, axis: Int)? {
    guard case .symbolic = size else { return nil }
    return scope.operands.lazy.compactMap { value in
      value.type.shape.firstIndex(of: size).map { (value, $0) }
    }.first
  }

  /// The elements of a weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the input is not a constant.
  package func tensor(_ position: Int) throws(WeighbridgeError) -> Tensor {
    try tensor(of: scope.operands[position])
  }

  /// The elements of a value that is a weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when it is not a constant.
  package func tensor(of value: Value) throws(WeighbridgeError) -> Tensor {
    guard let tensor = value.constant else {
      throw .unsupported("its input \(value.name) is computed, and \(target) takes a weight there")
    }
    return tensor
  }

  /// Adds the nodes that an operator becomes.
  ///
  /// - Parameters:
  ///   - name: The prefix of the names of the nodes.
  ///   - inputs: Its inputs.
  ///   - isUsed: For each output, whether it is used; by default all are.
  /// - Returns: Its outputs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the target has no form for it.
  package mutating func apply(
    _ operation: any Operator, named name: String, _ inputs: [Value], isUsed: [Bool]? = nil
  ) throws(WeighbridgeError) -> [Value] {
    guard let operation = operation as? any CatalogOperator else {
      throw .unsupported("its computation is not described")
    }
    if Self.foldsConstants, let folded = try folded(operation, inputs) { return folded }
    switch Self.table.mapping(of: operation) {
    case .unsupported(let reason): throw .unsupported(reason)
    case .mapped(let rule):
      let types = try Self.outputTypes(operation, inputs)
      if let problem = problem(ofOverflowIn: operation, inputs) ?? problem(ofIntegersIn: inputs) {
        throw .unsupported(problem)
      }
      let outerScope = scope
      scope = ExportScope(
        prefix: name, operands: inputs, outputTypes: types,
        isUsed: isUsed ?? types.map { _ in true })
      defer { scope = outerScope }
      guard let outputs = try rule.apply(operation, &self) else { break }
      guard !scope.isUsed.dropFirst(outputs.count).contains(true) else {
        throw .unsupported(
          "gives \(types.count) results that are used, and \(target) can give \(outputs.count)")
      }
      return zip(outputs, types).map { value($0, $1) }
    case nil: break
    }
    if case .nodes(let build) = operation.decomposition {
      return try apply(build, named: name, inputs)
    }
    throw .unsupported(
      Self.table.lacksLayout(of: operation)
        ? "has an order of axes that cannot be changed here, and \(target) needs another one"
        : "\(target) has no form for \(operation.kind)")
  }

  /// Why the target cannot compute with integers as an operator states it; `nil` if it can.
  private func problem(
    ofOverflowIn operation: any CatalogOperator, _ inputs: [Value]
  ) -> String? {
    guard let stating = operation as? any IntegerOperator, let overflow = stating.overflow,
      let input = inputs.first?.type.elementType
    else { return nil }
    let cast = operation as? Cast
    let type = cast?.elementType ?? input
    if overflow == .saturate {
      return cast == nil
        ? "computes the nearest number of \(type.rawValue), and \(target) has no such integers"
        : nil
    }
    // What a cast of a floating-point number out of range gives is undefined in every target.
    let mayOverflow = cast == nil || (input.isInteger && !type.includes(input))
    guard !Self.wrapsIntegers, mayOverflow, type.byteCount <= 2 else { return nil }
    return "computes modulo 2^\(8 * type.byteCount), as \(type.rawValue), and \(target) has "
      + "floating-point numbers only"
  }

  /// Why the target cannot represent a weight of whole numbers; `nil` if it can.
  private func problem(ofIntegersIn inputs: [Value]) -> String? {
    guard !Self.wrapsIntegers else { return nil }
    for tensor in inputs.compactMap(\.constant) where tensor.elementType.isInteger {
      // Narrower ones are exact in float32.
      guard tensor.elementType.byteCount >= 4,
        let number = tensor.wrappedIntegers.first(where: { Int64(exactly: Float($0)) != $0 })
      else { continue }
      return "takes the constant \(number), and \(target) has floating-point numbers only, which "
        + "are exact up to 2^24"
    }
    return nil
  }

  /// Computes an operator whose inputs are all constants; `nil` when some are not.
  func folded(
    _ operation: any Operator, _ inputs: [Value]
  ) throws(WeighbridgeError) -> [Value]? {
    let constants = inputs.compactMap(\.constant)
    guard constants.count == inputs.count, !inputs.isEmpty, operation.subgraphs.isEmpty,
      let operation = operation as? any CatalogOperator
    else { return nil }
    let name = foldedName(operation, inputs)
    return try operation.evaluate(constants, workers: Workers(count: 1)).map {
      .weight($0, named: name)
    }
  }

  private static func outputTypes(
    _ operation: any CatalogOperator, _ inputs: [Value]
  ) throws(WeighbridgeError) -> [TensorType] {
    do throws(ShapeError) {
      return try operation.checkedOutputTypes(of: inputs.map(\.type))
    } catch { throw .malformed(error.reason) }
  }

  /// Adds the operators into which an operator is decomposed.
  package mutating func apply(
    _ build: (inout GraphBuilder, [ValueID], SourceScope) throws(WeighbridgeError) -> [ValueID],
    named name: String, _ inputs: [Value]
  ) throws(WeighbridgeError) -> [Value] {
    var builder = GraphBuilder()
    var ids: [ValueID] = []
    for (position, input) in inputs.enumerated() {
      ids.append(try builder.addInput("\(position)", input.type))
    }
    let outputs = try build(&builder, ids, SourceScope(layer: name, className: ""))
    return try apply(
      try builder.finish(outputs: outputs.enumerated().map { Port(name: "\($0)", value: $1) }),
      named: name, inputs)
  }

  /// Adds the operators of a graph.
  ///
  /// - Parameters:
  ///   - name: The prefix of the names of the nodes.
  ///   - inputs: The values of the graph's inputs.
  /// - Returns: The values of its outputs.
  package mutating func apply(
    _ graph: Graph, named name: String, _ inputs: [Value]
  ) throws(WeighbridgeError) -> [Value] {
    var values = self.values(graph, inputs: inputs) { .constant($1) }
    let needed = graph.neededValues
    for node in graph.nodes {
      let inputs = node.inputs.compactMap { values[$0.index] }
      guard let operation = node.operation as? any CatalogOperator else { continue }
      // A reshaped weight, for example, is still a weight.
      var results = try folded(operation, inputs)
      if results == nil {
        results = try apply(
          operation, named: name, inputs, isUsed: node.outputs.map(needed.contains))
      }
      for (id, result) in zip(node.outputs, results ?? []) { values[id.index] = result }
    }
    return graph.outputs.compactMap { values[$0.value.index] }
  }
}

extension ExportBuilder where Value == ExportOperand {
  /// Adds an operator with one computed input and returns the name of its output.
  package mutating func apply(
    _ operation: any Operator, to input: String, _ type: TensorType
  ) throws(WeighbridgeError) -> String {
    try apply(
      operation, named: scope.prefix, [ExportOperand(name: input, type: type, constant: nil)])[0]
      .name
  }
}

extension ExportBuilder where Value == ExportOperand, Output == String {
  package func value(_ output: String, _ type: TensorType) -> ExportOperand {
    ExportOperand(name: output, type: type, constant: nil)
  }
}
