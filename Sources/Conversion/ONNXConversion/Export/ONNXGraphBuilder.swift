import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// A weight of the file: concatenated parts, which are converted to the initializer's element type
/// when they are written.
struct ONNXWeight: Sendable {
  let initializer: ONNXInitializer
  let parts: [Tensor]
}

/// The nodes of a graph under construction.
struct ONNXGraphBuilder: ExportBuilder {
  static var table: ExportTable<ONNXGraphBuilder> { ONNXOperators.table }
  static let foldsConstants = false
  static let wrapsIntegers = true

  /// The smallest number of elements for which a `Cast` node is worthwhile.
  private static let minimumCastCount = 16

  /// The version of ONNX's operator set.
  let opset: Int
  var nodes: [ONNXNode] = []
  private(set) var weights: [ONNXWeight] = []
  /// Nodes before all others, which decode weights that are stored quantized or in another type.
  private(set) var decodingNodes: [ONNXNode] = []
  /// The weights that take more space than in the model.
  private(set) var widened = WidenedWeights()
  private let precision: ExportPrecision
  let target = "ONNX"
  var scope = ExportScope<ExportOperand>()
  private var names: UniqueNames
  /// The names of weights in the file, by their names in the graph.
  private var weightNames: [String: String] = [:]
  private var constantNames: [ConstantKey: String] = [:]
  /// The element types of values, by name.
  var types: [String: ElementType] = [:]
  /// Why ONNX does not have an operator for the types of the node that is being added.
  private var typeProblem: WeighbridgeError?

  /// Creates a builder without nodes.
  ///
  /// - Parameter reserved: Names that outputs of nodes cannot have.
  init(opset: Int, precision: ExportPrecision, reserved: [String]) {
    self.opset = opset
    self.precision = precision
    names = UniqueNames(reserved)
  }
}

extension ONNXGraphBuilder {
  /// The element type of the first input.
  var elementType: ElementType { operands[0].type.elementType }

  /// Returns the name of an input; a weight is stored unchanged.
  mutating func input(_ position: Int = 0) -> String { input(operands[position]) }

  /// Returns the name of a value; a weight is stored unchanged.
  mutating func input(_ operand: ExportOperand) -> String {
    guard let tensor = operand.constant else { return operand.name }
    if operand.name.isEmpty { return constant(tensor) }
    return weight(named: operand.name, shape: tensor.shape, [tensor])
  }

  /// Returns the names of all inputs.
  mutating func allInputs() -> [String] { operands.indices.map { input($0) } }

  /// Stores an input that is a weight in another form, such as transposed.
  ///
  /// - Parameters:
  ///   - role: The name of the form, which is unique for the weight.
  ///   - parts: The elements; by default the weight's own.
  mutating func weight(
    _ position: Int, _ role: String, shape: [Int], parts: [Tensor]? = nil
  ) throws(WeighbridgeError) -> String {
    let tensor = try tensor(position)
    // A constant that is not in the graph has a name only in the file.
    let name = operands[position].name.isEmpty ? constant(tensor) : operands[position].name
    return weight(named: "\(name)/\(role)", shape: shape, parts ?? [tensor])
  }

  /// Stores elements under a name, only once for all uses.
  mutating func weight(named name: String, shape: [Int], _ parts: [Tensor]) -> String {
    if let existing = weightNames[name] { return existing }
    let uniqueName = unusedName(name)
    weightNames[name] = uniqueName
    guard let type = parts.first?.elementType else { return uniqueName }
    types[uniqueName] = type
    if parts.count == 1, let quantized = parts[0].quantized,
      add(quantized, uniqueName, shape: shape)
    {
      return uniqueName
    }
    guard let halfType = halfType(parts), shape.reduce(1, *) >= Self.minimumCastCount else {
      for part in parts { widened.add(part) }
      add(uniqueName, type, shape: shape, parts)
      return uniqueName
    }
    let stored = unusedName("\(uniqueName)/\(halfType.rawValue)")
    add(stored, halfType, shape: shape, parts)
    addDecodingNode("Cast", [stored], uniqueName, [("to", .integer(Int(type.onnxNumber)))])
    return uniqueName
  }

  /// Returns the 16-bit type in which parts of a weight are stored; `nil` for their own type.
  private func halfType(_ parts: [Tensor]) -> ElementType? {
    guard parts.allSatisfy({ $0.elementType == .float32 }) else { return nil }
    if precision == .float16 { return .float16 }
    let types = Set(parts.map(\.storedHalfType))
    return types.count == 1 ? types.first ?? nil : nil
  }

  /// Adds elements to the file.
  mutating func add(
    _ name: String, _ type: ElementType, narrowType: ONNXNarrowType? = nil, shape: [Int],
    _ parts: [Tensor]
  ) {
    weights.append(
      ONNXWeight(
        initializer: ONNXInitializer(
          name: name, elementType: type, narrowType: narrowType, shape: shape), parts: parts))
  }

  /// Adds a node before all others that decodes a stored weight.
  mutating func addDecodingNode(
    _ operation: String, _ inputs: [String], _ output: String,
    _ attributes: [(String, ONNXAttribute)] = []
  ) {
    decodingNodes.append(
      ONNXNode(
        name: output, operation: operation, inputs: inputs, outputs: [output],
        attributes: attributes))
  }

  /// Stores a tensor that is not in the graph, only once for all uses.
  mutating func constant(_ tensor: Tensor) -> String {
    let key = ConstantKey(tensor)
    if let name = constantNames[key] { return name }
    let name = weight(named: "constant_\(constantNames.count)", shape: tensor.shape, [tensor])
    constantNames[key] = name
    return name
  }

  /// Adds a node with one output.
  mutating func add(
    _ operation: String, _ inputs: [String],
    _ attributes: KeyValuePairs<String, ONNXAttribute> = [:]
  ) -> String {
    add(operation, inputs, attributes, outputCount: 1)[0]
  }

  /// Adds a node with several outputs.
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
  /// - Parameter isNeeded: For each output, whether it is needed; by default all are.
  mutating func add(
    _ operation: String, _ inputs: [String],
    attributes: [(name: String, value: ONNXAttribute)], outputCount: Int, isNeeded: [Bool]? = nil
  ) -> [String] {
    let name = unusedName("\(scope.prefix)/\(operation)")
    let outputs = (0..<outputCount).map { position in
      if let isNeeded, !isNeeded[position] { return "" }
      return position == 0 ? name : unusedName("\(name):\(position)")
    }
    append(operation, named: name, inputs, outputs, attributes)
    return outputs
  }

  /// Appends a node, between casts if it computes in other types.
  private mutating func append(
    _ operation: String, named name: String, _ inputs: [String], _ outputs: [String],
    _ attributes: [(name: String, value: ONNXAttribute)]
  ) {
    var nodeTypes = NodeTypes()
    do throws(WeighbridgeError) {
      nodeTypes = try types(of: operation, inputs, attributes, outputCount: outputs.count)
    } catch { typeProblem = typeProblem ?? error }
    var (computedInputs, computedOutputs) = (inputs, outputs)
    for (position, type) in nodeTypes.inputCasts.sorted(by: { $0.key < $1.key }) {
      computedInputs[position] = unusedName("\(name)/\(type.rawValue)_\(position)")
      addCast(inputs[position], to: type, named: computedInputs[position])
    }
    for (position, type) in nodeTypes.computedOutputs.sorted(by: { $0.key < $1.key })
    where !outputs[position].isEmpty {
      computedOutputs[position] = unusedName("\(outputs[position])/\(type.rawValue)")
    }
    nodes.append(
      ONNXNode(
        name: name, operation: operation, inputs: computedInputs, outputs: computedOutputs,
        attributes: attributes))
    for (position, type) in nodeTypes.outputs.enumerated() where !outputs[position].isEmpty {
      types[outputs[position]] = type
      if let type, computedOutputs[position] != outputs[position] {
        addCast(computedOutputs[position], to: type, named: outputs[position])
      }
    }
  }

  /// Returns an unused name.
  mutating func unusedName(_ name: String) -> String { names.unused(name) }

  func problem(of type: TensorType) -> String? { nil }

  mutating func emit(
    _ step: ExportStep<ExportOperand>
  ) throws(WeighbridgeError) -> [ExportOperand] {
    for operand in step.inputs.joined() { types[operand.name] = operand.type.elementType }
    typeProblem = nil
    let outputs = try apply(
      step.node.operation, named: step.node.name, step.inputs[0], isUsed: step.isUsed)
    if let typeProblem { throw typeProblem }
    for output in outputs {
      let (type, expected) = (elementType(of: output.name), output.type.elementType)
      guard let type, type != expected else { continue }
      throw .unsupported(
        "gives \(type.rawValue) by ONNX's operators, and the model needs \(expected.rawValue)")
    }
    return outputs
  }
}

extension ONNXGraphBuilder {
  /// Collects the nodes that `build` adds as the body of a loop, separately from all others.
  mutating func body<Result>(
    _ build: (inout ONNXGraphBuilder) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> (nodes: [ONNXNode], result: Result) {
    let outerNodes = nodes
    nodes = []
    let result = try build(&self)
    defer { nodes = outerNodes }
    return (nodes, result)
  }
}
