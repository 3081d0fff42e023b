import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// A module of PyTorch under construction, with images channels first.
struct PyTorchBuilder: ExportBuilder {
  static var table: ExportTable<PyTorchBuilder> { PyTorchOperators.table }
  static let foldsConstants = true
  static let wrapsIntegers = true
  /// The types in which PyTorch's kernels compute.
  private static let elementTypes: Set<ElementType> = [
    .float32, .int8, .int16, .int32, .int64, .uint8, .bool,
  ]

  let target = "PyTorch"
  var scope = ExportScope<ExportOperand>()
  private(set) var statements: [PythonStatement] = []
  private(set) var members: [PythonMember] = []
  /// The functions that are called, by their names in the order of ``PyTorchHelper``.
  private(set) var helpers: Set<PyTorchHelper> = []
  /// The classes of submodules that are written out.
  private(set) var classes: [PythonClass] = []
  /// The names of weights that training changes; others are constants.
  var trainable: Set<String>
  /// The floating-point types of the model that are computed in float32 here.
  let replacedTypes: Set<ElementType>
  private var names: PythonNames
  private var valueCount = 0
  /// The positions of members, by what they are.
  private var positions: [MemberKey: Int] = [:]

  /// Layers with equal numbers are one member only if they have the same weights of the graph: those
  /// of a network before its training are equal, and training makes them differ.
  private struct MemberKey: Hashable {
    let constructor: String
    let names: [String]
    let weights: [ConstantKey]
  }

  /// - Parameters:
  ///   - trainable: The names of weights that training changes.
  ///   - replacedTypes: The types that are computed in float32.
  ///   - reserved: Names that no member can have.
  init(
    trainable: Set<String> = [], replacedTypes: Set<ElementType> = [], reserved: [String] = []
  ) {
    (self.trainable, self.replacedTypes) = (trainable, replacedTypes)
    names = PythonNames(reserved: reserved)
  }

  func problem(of type: TensorType) -> String? {
    let type = type.elementType
    return Self.elementTypes.contains(type) || replacedTypes.contains(type)
      ? nil : "PyTorch's functions do not compute with \(type.rawValue)"
  }

  /// A weight in another shape or type is still that weight; a part of it, or another order, becomes a
  /// weight of its own.
  func foldedName(_ operation: any Operator, _ inputs: [ExportOperand]) -> String {
    let name = inputs[0].name
    switch operation {
    case is Cast, is ExpandDims, is Reshape, is ReshapeAxes, is Squeeze: return name
    case is Reverse, is Slice, is Split, is Transpose:
      return isTrainable(name) ? "\(name)/\(operation.kind)" : ""
    default: return ""
    }
  }

  /// The name of a type in `torch`, in which it is computed.
  func typeName(_ type: ElementType) -> String {
    PythonLiteral.type(replacedTypes.contains(type) ? .float32 : type)
  }

  /// An input of the operator that is being translated.
  subscript(_ index: Int) -> ExportOperand { operands[index] }
}

// Statements.
extension PyTorchBuilder {
  /// A new name of a value.
  private mutating func newValue() -> String {
    valueCount += 1
    return "value \(valueCount)"
  }

  /// Declares an input.
  mutating func addInput(_ type: TensorType) -> ExportOperand {
    ExportOperand(name: newValue(), type: type, constant: nil)
  }

  /// Adds a statement and returns the names of the values that it computes.
  ///
  /// - Parameters:
  ///   - isLayer: Whether it is a layer that begins a line.
  ///   - types: The types of the values; by default those of the operator's outputs.
  ///   - groupsRest: Whether all values but the first are in one tuple.
  mutating func add(
    values expression: PythonExpression, isLayer: Bool = false, types: [TensorType]? = nil,
    groupsRest: Bool = false
  ) throws(WeighbridgeError) -> [String] {
    let types = types ?? scope.outputTypes
    let outputs = types.map { _ in newValue() }
    statements.append(
      PythonStatement(
        outputs: outputs, expression: try resolved(expression), types: types, isLayer: isLayer,
        groupsRest: groupsRest))
    return outputs
  }

  /// Adds a statement with one value; none for an expression that only passes a value on.
  mutating func add(
    _ expression: PythonExpression, isLayer: Bool = false, as type: TensorType? = nil
  ) throws(WeighbridgeError) -> ExportOperand {
    let type = type ?? outputType
    if expression.pieces.count == 1, case .value(let name) = expression.pieces[0] {
      return value(name, type)
    }
    return value(try add(values: expression, isLayer: isLayer, types: [type])[0], type)
  }

  /// Returns an expression in which weights are members.
  func isResolved(_ expression: PythonExpression) -> Bool {
    !expression.pieces.contains { if case .weight = $0 { true } else { false } }
  }

  /// Returns an expression in which weights are members.
  mutating func resolved(
    _ expression: PythonExpression
  ) throws(WeighbridgeError) -> PythonExpression {
    var builder = self
    defer { self = builder }
    return try expression.mapping { (piece) throws(WeighbridgeError) in
      guard case .weight(let operand) = piece, let tensor = operand.constant else { return [piece] }
      return [.member(try builder.addTensor(tensor, named: operand.name))]
    }
  }
}

// Members.
extension PyTorchBuilder {
  /// Whether training changes a weight, or the one that it was computed from.
  func isTrainable(_ name: String) -> Bool {
    var name = name[...]
    while !name.isEmpty {
      if trainable.contains(String(name)) { return true }
      guard let end = name.lastIndex(of: "/") else { return false }
      name = name[..<end]
    }
    return false
  }

  /// Makes a tensor a parameter, or a buffer if it is no weight of floating-point numbers.
  private mutating func addTensor(
    _ tensor: Tensor, named name: String
  ) throws(WeighbridgeError) -> Int {
    if let problem = problem(of: tensor.type) { throw .unsupported(problem) }
    let isParameter = tensor.elementType.isFloat && isTrainable(name)
    return addMember(
      name.isEmpty ? "\(scope.prefix)/constant" : name, isParameter ? .parameter : .buffer,
      [PythonMember.Weight(name: "", tensor: tensor, isTrained: isParameter)], of: [name])
  }

  /// Adds a submodule, or finds the one with the same arguments and weights of the graph. It is not trained if its
  /// weights are constants of the computation, such as those of an interpolation.
  ///
  /// - Parameters:
  ///   - type: Its class, such as `nn.Linear`.
  ///   - weights: Its state by name.
  mutating func module(
    _ type: String, _ arguments: [PythonMember.Argument],
    _ weights: KeyValuePairs<String, Tensor?> = [:]
  ) throws(WeighbridgeError) -> PythonExpression.Piece {
    var state: [PythonMember.Weight] = []
    let constants = operands.filter { $0.constant != nil }
    let isTrained = constants.isEmpty || constants.contains { isTrainable($0.name) }
    for case (let name, let tensor?) in weights {
      if let problem = problem(of: tensor.type) { throw .unsupported(problem) }
      state.append(PythonMember.Weight(name: name, tensor: tensor, isTrained: isTrained))
    }
    let isConstant = !isTrained && state.contains { $0.name == "weight" }
    let name = isConstant ? "\(scope.prefix)/constant" : scope.prefix
    return .member(
      addMember(name, .module(type, arguments), state, of: constants.map(\.name)))
  }

  /// Adds a submodule of a class that is written out.
  mutating func module(_ type: PythonClass) -> PythonExpression.Piece {
    let name = className(type)
    let weights = operands.filter { $0.constant != nil }.map(\.name)
    return .member(
      addMember(
        "\(scope.prefix)/recurrence", .module(name, []), type.members.flatMap(\.state), of: weights)
    )
  }

  /// The name of a class with the same lines, which is added if there is none yet.
  private mutating func className(_ type: PythonClass) -> String {
    var type = type
    let same = classes.first { other in
      var renamed = type
      renamed.rename(other.name)
      return renamed.lines == other.lines
    }
    if let same { return same.name }
    let count = classes.count { $0.name.hasPrefix(type.name) }
    if count > 0 { type.rename("\(type.name)\(count + 1)") }
    classes.append(type)
    return type.name
  }

  /// - Parameter names: The names of the graph's weights from which its own are made.
  private mutating func addMember(
    _ name: String, _ kind: PythonMember.Kind, _ weights: [PythonMember.Weight], of names: [String]
  ) -> Int {
    let unnamed = PythonMember(name: "", kind: kind, weights: weights)
    let key = MemberKey(
      constructor: unnamed.constructor, names: names,
      weights: weights.map { ConstantKey($0.tensor) })
    if !weights.isEmpty, let position = positions[key] { return position }
    positions[key] = members.count
    members.append(PythonMember(name: self.names.unused(name), kind: kind, weights: weights))
    return members.count - 1
  }

  /// Returns a call of a function that is written out before the class.
  mutating func call(_ helper: PyTorchHelper) -> String {
    helpers.insert(helper)
    return helper.rawValue
  }

  /// Takes over what the parts of a submodule need.
  mutating func adopt(_ other: PyTorchBuilder) {
    helpers.formUnion(other.helpers)
  }
}

extension PythonClass {
  mutating func rename(_ name: String) {
    self = PythonClass(
      name: name, documentation: documentation, parameters: parameters, members: members,
      methods: methods, otherLines: otherLines)
  }
}
