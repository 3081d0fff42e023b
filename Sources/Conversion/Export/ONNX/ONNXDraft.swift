import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// A value of the graph as a rule sees it.
struct ONNXOperand: Sendable {
  /// What it is called in the file.
  let name: String
  /// Its type.
  let type: TensorType
  /// The elements of a weight.
  let constant: Tensor?
}

/// A weight of the file: parts that stand one behind the other, and are brought into the head's
/// number type when they are written.
struct ONNXWeight: Sendable {
  let head: ONNXInitializer
  let parts: [Tensor]
}

/// The nodes that a graph becomes, while they grow.
struct ONNXDraft {
  /// Weights of fewer elements are not worth a node that casts them.
  private static let smallestRounded = 16

  /// The version of ONNX's operators.
  let opset: Int
  private(set) var nodes: [ONNXNode] = []
  private(set) var weights: [ONNXWeight] = []
  /// Nodes before all others: they bring weights that are stored in another number type into that
  /// of the model.
  private(set) var casts: [ONNXNode] = []
  private let precision: ExportPrecision
  /// The inputs of the node that is being translated.
  private(set) var operands: [ONNXOperand] = []
  /// The types of its outputs.
  var outputTypes: [TensorType] = []
  /// Its name, with which the names of what it becomes begin.
  private var prefix = ""
  private var names: Set<String> = []
  private var nextNumbers: [String: Int] = [:]
  /// The names of weights in the file, by what they are called here.
  private var weightNames: [String: String] = [:]
  private var constantNames: [Tensor.Key: String] = [:]

  /// Begins a file.
  ///
  /// - Parameter reserved: Names that nodes cannot give to their outputs.
  init(opset: Int, precision: ExportPrecision, reserved: [String]) {
    self.opset = opset
    self.precision = precision
    names = Set(reserved)
  }
}

extension ONNXDraft {
  /// The type of an input.
  func type(_ position: Int = 0) -> TensorType { operands[position].type }

  /// The element type of the first input.
  var elementType: ElementType { operands[0].type.elementType }

  /// The type of the first output.
  var outputType: TensorType { outputTypes[0] }

  /// The name of an input; a weight goes into the file as it is.
  mutating func input(_ position: Int = 0) -> String {
    let operand = operands[position]
    guard let tensor = operand.constant else { return operand.name }
    return weight(named: operand.name, shape: tensor.shape, [tensor])
  }

  /// The names of all inputs.
  mutating func allInputs() -> [String] { operands.indices.map { input($0) } }

  /// The elements of a weight.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when the input is not known beforehand.
  func tensor(_ position: Int) throws(WeighbridgeError) -> Tensor {
    guard let tensor = operands[position].constant else {
      throw WeighbridgeError(
        .unsupported, "its input \(operands[position].name) is no weight, and ONNX wants it known")
    }
    return tensor
  }

  /// An input that is a weight, put into the file in another form.
  ///
  /// - Parameters:
  ///   - role: What the form is called; one form of a weight has one role.
  ///   - parts: The elements; by default the weight's own.
  mutating func weight(
    _ position: Int, _ role: String, shape: [Int], parts: [Tensor]? = nil
  ) throws(WeighbridgeError) -> String {
    let tensor = try tensor(position)
    return weight(
      named: "\(operands[position].name)/\(role)", shape: shape, parts ?? [tensor])
  }

  /// Elements under a name, which are in the file once however often they are used.
  mutating func weight(named name: String, shape: [Int], _ parts: [Tensor]) -> String {
    if let known = weightNames[name] { return known }
    let own = unusedName(name)
    weightNames[name] = own
    guard let type = parts.first?.elementType else { return own }
    guard precision == .float16, type == .float32, shape.reduce(1, *) >= Self.smallestRounded
    else {
      weights.append(
        ONNXWeight(
          head: ONNXInitializer(name: own, elementType: type, shape: shape), parts: parts))
      return own
    }
    let stored = ONNXInitializer(
      name: unusedName("\(name)/float16"), elementType: .float16, shape: shape)
    weights.append(ONNXWeight(head: stored, parts: parts))
    casts.append(
      ONNXNode(
        name: own, operation: "Cast", inputs: [stored.name], outputs: [own],
        attributes: [("to", .integer(Int(type.onnxNumber)))]))
    return own
  }

  /// A small tensor, which is in the file once however often it is used.
  mutating func constant(_ tensor: Tensor) -> String {
    let key = tensor.key
    if let name = constantNames[key] { return name }
    let name = weight(named: "constant_\(constantNames.count)", shape: tensor.shape, [tensor])
    constantNames[key] = name
    return name
  }

  /// Adds a node of one output.
  mutating func add(
    _ operation: String, _ inputs: [String],
    _ attributes: KeyValuePairs<String, ONNXAttribute> = [:]
  ) -> String {
    add(operation, inputs, attributes, outputCount: 1)[0]
  }

  /// Adds a node of several outputs.
  mutating func add(
    _ operation: String, _ inputs: [String],
    _ attributes: KeyValuePairs<String, ONNXAttribute>, outputCount: Int
  ) -> [String] {
    add(
      operation, inputs, attributes: attributes.map { ($0.key, $0.value) },
      outputCount: outputCount)
  }

  /// Adds a node.
  ///
  /// - Parameter wanted: For each output whether it is needed; by default all are.
  mutating func add(
    _ operation: String, _ inputs: [String],
    attributes: [(name: String, value: ONNXAttribute)], outputCount: Int, wanted: [Bool]? = nil
  ) -> [String] {
    let name = unusedName("\(prefix)/\(operation)")
    let outputs = (0..<outputCount).map { position in
      if let wanted, !wanted[position] { return "" }
      return position == 0 ? name : unusedName("\(name):\(position)")
    }
    nodes.append(
      ONNXNode(
        name: name, operation: operation, inputs: inputs, outputs: outputs,
        attributes: attributes))
    return outputs
  }

  /// A name that nothing has yet.
  mutating func unusedName(_ name: String) -> String {
    if names.insert(name).inserted { return name }
    var number = nextNumbers[name, default: 2]
    while !names.insert("\(name)_\(number)").inserted { number += 1 }
    nextNumbers[name] = number + 1
    return "\(name)_\(number)"
  }
}

extension ONNXDraft {
  /// Adds what an operator becomes.
  ///
  /// - Parameters:
  ///   - name: With which the names of its nodes begin.
  ///   - inputs: What it takes.
  /// - Returns: The names of its outputs.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when ONNX has no form for it.
  mutating func apply(
    _ operation: any Operator, named name: String, _ inputs: [ONNXOperand]
  ) throws(WeighbridgeError) -> [String] {
    guard let operation = operation as? any CatalogOperator else {
      throw WeighbridgeError(.unsupported, "nobody said what it computes")
    }
    switch (ONNXOperators.rows[operation.kind], operation.decomposition) {
    case (.unsupported(let reason), _): throw WeighbridgeError(.unsupported, reason)
    case (.mapped(let rule), _):
      let outer = (prefix, operands, outputTypes)
      (prefix, operands) = (name, inputs)
      outputTypes = try Self.outputTypes(operation, inputs)
      let outputs = try rule.apply(operation, &self)
      (prefix, operands, outputTypes) = outer
      return outputs
    case (nil, .nodes(let build)):
      return try apply(build, named: name, inputs)
    case (nil, .primitive):
      throw WeighbridgeError(.unsupported, "ONNX has no form for \(operation.kind)")
    }
  }

  /// The output of an operator that takes one tensor.
  mutating func apply(
    _ operation: any Operator, to input: String, _ type: TensorType
  ) throws(WeighbridgeError) -> String {
    try apply(
      operation, named: prefix, [ONNXOperand(name: input, type: type, constant: nil)])[0]
  }

  private static func outputTypes(
    _ operation: any CatalogOperator, _ inputs: [ONNXOperand]
  ) throws(WeighbridgeError) -> [TensorType] {
    do throws(ShapeError) {
      return try operation.checkedOutputTypes(of: inputs.map(\.type))
    } catch { throw WeighbridgeError(.malformed, error.reason) }
  }

  /// Adds what an operator is made of.
  private mutating func apply(
    _ build: (inout GraphBuilder, [ValueID], SourceScope) throws(WeighbridgeError) -> [ValueID],
    named name: String, _ inputs: [ONNXOperand]
  ) throws(WeighbridgeError) -> [String] {
    var builder = GraphBuilder()
    var operands: [ValueID: ONNXOperand] = [:]
    var ids: [ValueID] = []
    for (position, input) in inputs.enumerated() {
      let id = try builder.addInput("\(position)", input.type)
      operands[id] = input
      ids.append(id)
    }
    let outputs = try build(&builder, ids, SourceScope(layer: name, className: ""))
    let graph = try builder.finish(
      outputs: outputs.enumerated().map { Port(name: "\($0)", value: $1) })
    for node in graph.nodes {
      let results = try apply(
        node.operation, named: name, node.inputs.compactMap { operands[$0] })
      for (id, result) in zip(node.outputs, results) {
        operands[id] = ONNXOperand(name: result, type: graph[id].type, constant: nil)
      }
    }
    return outputs.compactMap { operands[$0]?.name }
  }

  /// The nodes that `build` adds, apart from all others: the body of a loop.
  mutating func body<Result>(
    _ build: (inout ONNXDraft) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> (nodes: [ONNXNode], result: Result) {
    let outer = nodes
    nodes = []
    let result = try build(&self)
    defer { nodes = outer }
    return (nodes, result)
  }
}

extension Tensor {
  /// What makes two small tensors the same.
  struct Key: Hashable {
    let elementType: ElementType
    let shape: [Int]
    let bytes: [UInt8]
  }

  var key: Key { Key(elementType: elementType, shape: shape, bytes: contiguousBytes()) }
}
