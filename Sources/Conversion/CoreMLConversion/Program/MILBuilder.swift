import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// The operations of an ML Program under construction; images are channels-first.
struct MILBuilder: OperandBuilder {
  static var table: ExportTable<MILBuilder> { MILOperators.table }
  static let foldsConstants = true
  static let wrapsIntegers = true
  let target = "Core ML"
  var scope = ExportScope<ExportOperand>()
  /// The specification version, which determines the operators.
  let version: Int
  /// The type in which floating-point numbers are computed: float32 or float16.
  var floatType: ElementType
  /// Whether the program computes in float16.
  private let isHalf: Bool
  private(set) var nodes: [MILNode] = []
  /// The types of all values in the file, by name.
  private(set) var types: [String: TensorType] = [:]
  /// The types of the elements of lists, by name.
  private(set) var lists: [String: TensorType] = [:]
  /// The constants, by name.
  private(set) var constants: [String: MILConstant] = [:]
  private var names: UniqueNames
  private var constantNames: [ConstantIdentity: String] = [:]
  private var castNames: [String: [ElementType: String]] = [:]
  /// Whether a number of the operator that is being added does not fit in float16.
  private var hasUnfitNumber = false
  /// Whether the operations of a block are being added, which computes in float32.
  private var isInBlock = false
  /// What is computed in float32, although the program computes in float16.
  private let exceptions: MILPrecision
  /// The values that may hold numbers beyond float16.
  private var largeValues: Set<String> = []
  /// The calls of layers of which numbers do not fit in float16, in their order.
  private(set) var wideLayers: [String] = []
  /// The calls of layers for which float16 is too coarse, in their order.
  private(set) var exactLayers: [String] = []

  /// A constant is stored once for all uses.
  private enum ConstantIdentity: Hashable {
    case tensor(ConstantKey, ElementType)
    case text(String)
  }

  /// - Parameters:
  ///   - reserved: Names that other values cannot have.
  ///   - exceptions: What is computed in float32, although `floatType` is float16.
  init(
    version: Int, floatType: ElementType, reserved: [String],
    exceptions: MILPrecision = MILPrecision()
  ) {
    (self.version, self.floatType, self.exceptions) = (version, floatType, exceptions)
    isHalf = floatType == .float16
    names = UniqueNames(reserved)
  }

  /// Adds what a layer becomes: in float32 where float16 is too coarse or too small for it.
  mutating func emit(
    _ step: ExportStep<ExportOperand>
  ) throws(WeighbridgeError) -> [ExportOperand] {
    guard isHalf, !isInBlock else { return try apply(step) }
    let (count, casts, name) = (nodes.count, castNames, step.node.source.callName)
    let isExact = exceptions.nodes.contains(step.position)
    hasUnfitNumber =
      exceptions.layers.contains(name)
      || step.inputs[0].contains { largeValues.contains($0.name) }
    if !isExact, !hasUnfitNumber {
      let results = try apply(step)
      guard hasUnfitNumber else { return results }
      nodes.removeLast(nodes.count - count)
      castNames = casts
    }
    let results = try inFloat32 { (builder) throws(WeighbridgeError) in try builder.apply(step) }
    if hasUnfitNumber {
      if wideLayers.last != name { wideLayers.append(name) }
    } else if exactLayers.last != name {
      exactLayers.append(name)
    }
    if exceptions.large.contains(step.position)
      || hasUnfitNumber && exceptions.keeping.contains(step.position)
    {
      largeValues.formUnion(results.map(\.name))
    }
    return results
  }

  private mutating func apply(
    _ step: ExportStep<ExportOperand>
  ) throws(WeighbridgeError) -> [ExportOperand] {
    try apply(
      step.node.operation, named: step.node.name, step.inputs[0], isUsed: step.isUsed)
  }

  mutating func unusedName(_ name: String) -> String { names.unused(name.milName) }

  /// Declares an input of the model.
  mutating func addInput(
    _ name: String, _ type: TensorType, as elementType: ElementType
  ) -> ExportOperand {
    types[name] = TensorType(elementType, type.shape)
    return ExportOperand(name: name, type: type, constant: nil)
  }

  /// Adds an operation.
  ///
  /// - Parameters:
  ///   - arguments: All of its inputs; `nil` for one that is absent.
  ///   - blocks: The condition and the body of a loop, or both branches.
  ///   - types: The types of its outputs.
  mutating func add(
    _ operation: String, _ arguments: KeyValuePairs<String, MILArgument?>,
    blocks: [MILNode.Block] = [], types: [TensorType]
  ) throws(WeighbridgeError) -> [ExportOperand] {
    if let rank = types.map(\.rank).max(), rank > Self.maximumRank {
      throw .unsupported("Core ML has five axes at most, and it has \(rank)")
    }
    var slots: [MILNode.Slot] = []
    for case let (name, argument?) in arguments {
      slots.append(
        MILNode.Slot(name: name, values: try names(of: argument, "\(operation)_\(name)")))
    }
    let outputs = types.map { type in
      ExportOperand(name: unusedName("\(scope.prefix)_\(operation)"), type: type, constant: nil)
    }
    for output in outputs { self.types[output.name] = fileType(output.type) }
    nodes.append(
      MILNode(type: operation, slots: slots, outputs: outputs.map(\.name), blocks: blocks))
    return outputs
  }

  /// States that a value is a list.
  ///
  /// - Parameter element: The type of its elements.
  mutating func setList(_ value: ExportOperand, of element: TensorType) {
    lists[value.name] = fileType(element)
  }

  /// Collects the operations of a block.
  ///
  /// - Parameters:
  ///   - types: The types of its inputs.
  ///   - build: Adds the operations, and returns its results.
  mutating func block(
    _ types: [TensorType],
    _ build: (inout Self, [ExportOperand]) throws(WeighbridgeError) -> [ExportOperand]
  ) throws(WeighbridgeError) -> MILNode.Block {
    let (outerNodes, outerCasts, wasInBlock) = (nodes, castNames, isInBlock)
    (nodes, isInBlock) = ([], true)
    defer { (nodes, castNames, isInBlock) = (outerNodes, outerCasts, wasInBlock) }
    var inputs: [ExportOperand] = []
    for type in types {
      let name = unusedName("\(scope.prefix)_input")
      self.types[name] = fileType(type)
      inputs.append(ExportOperand(name: name, type: type, constant: nil))
    }
    let outputs = try build(&self, inputs).map(\.name)
    return MILNode.Block(
      inputs: inputs.map(\.name), nodes: nodes.needed(for: outputs, renaming: [:]),
      outputs: outputs)
  }

  /// Adds an operation with one output.
  mutating func add(
    _ operation: String, _ arguments: KeyValuePairs<String, MILArgument?>, as type: TensorType
  ) throws(WeighbridgeError) -> ExportOperand {
    try add(operation, arguments, types: [type])[0]
  }

  /// The names of values and constants, each in the type in which it is computed.
  private mutating func names(
    of argument: MILArgument, _ role: String
  ) throws(WeighbridgeError) -> [String] {
    switch argument {
    case .value(let operand): return [try name(of: operand)]
    case .values(let operands):
      return try operands.map { (operand) throws(WeighbridgeError) in try name(of: operand) }
    case .integer(let number):
      return [try name(of: Tensor(.int32, shape: [], [Double(number)]), role)]
    case .integers(let numbers):
      let tensor = Tensor(
        .int32, shape: [numbers.count], integers: numbers.map { Int32(clamping: $0) })
      return [try name(of: tensor, role)]
    case .boolean(let flag): return [try name(of: Tensor(.bool, shape: [], [flag ? 1 : 0]), role)]
    case .booleans(let flags):
      return [try name(of: Tensor(.bool, shape: [flags.count], flags.map { $0 ? 1 : 0 }), role)]
    case .number(let number): return [try name(of: Tensor(.float64, shape: [], [number]), role)]
    case .text(let text): return [constantName(.text(text), .text(text), role)]
    }
  }

  private mutating func name(of operand: ExportOperand) throws(WeighbridgeError) -> String {
    if let tensor = operand.constant {
      return try name(of: tensor, operand.name.isEmpty ? "constant" : operand.name)
    }
    guard let type = types[operand.name]?.elementType, type.isFloat, type != floatType else {
      return operand.name
    }
    if let name = castNames[operand.name]?[floatType] { return name }
    let name = unusedName("\(operand.name)_to_\(floatType.milName)")
    let typeName = constantName(.text(floatType.milName), .text(floatType.milName), "dtype")
    types[name] = TensorType(floatType, operand.type.shape)
    nodes.append(
      MILNode(
        type: "cast",
        slots: [
          .init(name: "x", values: [operand.name]), .init(name: "dtype", values: [typeName]),
        ],
        outputs: [name]))
    castNames[operand.name, default: [:]][floatType] = name
    return name
  }

  private mutating func name(
    of tensor: Tensor, _ role: String
  ) throws(WeighbridgeError) -> String {
    let type = fileType(tensor.elementType)
    if tensor.elementType.byteCount == 8, tensor.elementType.isInteger,
      let number = tensor.wrappedIntegers.first(where: { Int32(exactly: $0) == nil })
    {
      throw .unsupported("takes the constant \(number), and Core ML has integers of 32 bits only")
    }
    if isHalf, type.isFloat, !hasUnfitNumber, !tensor.fitsFloat16 { hasUnfitNumber = true }
    return constantName(.tensor(ConstantKey(tensor), type), .tensor(tensor, type), role)
  }

  private mutating func constantName(
    _ identity: ConstantIdentity, _ constant: MILConstant, _ role: String
  ) -> String {
    if let name = constantNames[identity] { return name }
    let name = unusedName(role)
    (constantNames[identity], constants[name]) = (name, constant)
    if case .tensor(let tensor, let type) = constant {
      types[name] = TensorType(type, tensor.type.shape)
    }
    return name
  }
}

// The types with which operations compute.
extension MILBuilder {
  static let maximumRank = 5

  /// The type in the file.
  func fileType(_ type: ElementType) -> ElementType {
    if type.isFloat { return floatType }
    return type == .bool ? .bool : .int32
  }

  func fileType(_ type: TensorType) -> TensorType {
    TensorType(fileType(type.elementType), type.shape)
  }

  func problem(of type: TensorType) -> String? {
    switch type.elementType {
    case .float16, .bfloat16, .float32, .float64, .int32, .int64, .bool: nil
    default: "Core ML's operators do not compute with \(type.elementType.rawValue)"
    }
  }

  /// Adds operations that compute in float32, whatever the program computes in.
  mutating func inFloat32<Result>(
    _ body: (inout Self) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    try computing(in: .float32, body)
  }

  /// Adds operations that compute in float16 or float32, whatever the program computes in.
  mutating func computing<Result>(
    in type: ElementType, _ body: (inout Self) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    let outer = floatType
    floatType = type
    defer { floatType = outer }
    return try body(&self)
  }
}

extension ElementType {
  /// The name of the type where an operation names one.
  var milName: String {
    switch self {
    case .float16: "fp16"
    case .float32: "fp32"
    default: rawValue
    }
  }
}

extension Tensor {
  /// Whether no number becomes infinite in float16, and a single one not 0: it may be divided by.
  fileprivate var fitsFloat16: Bool {
    guard elementType.isFloat, elementType != .float16 else { return true }
    if count == 1, let number = doubles.first, number != 0, Float16(number) == 0 { return false }
    // From half a unit beyond the largest number on, rounding gives infinity.
    return isWithin(65520)
  }
}
