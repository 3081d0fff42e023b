import Bytes
import GraphIR
import LayerCatalog

/// Building blocks of functions that become several nodes.
extension KerasFunction {
  /// Adds an intermediate node with one output; its role is its operator's kind.
  mutating func part(
    _ operation: some CatalogOperator, _ inputs: ValueID...
  ) throws(WeighbridgeError) -> ValueID {
    try layer.add(operation, inputs, role: Swift.type(of: operation).kind)[0]
  }

  /// Converts a term to a value of an element type, whatever its own is.
  mutating func value(
    _ term: Term, as elementType: ElementType
  ) throws(WeighbridgeError) -> ValueID {
    switch term {
    case .constant(let constant): return try add(constant: constant.tensor(elementType))
    case .value(let value):
      return type(of: value).elementType == elementType
        ? value : try part(Cast(to: elementType), value)
    }
  }

  /// Takes an argument that is a tensor or a constant; `nil` when it is absent or null.
  mutating func optionalTerm(
    _ names: String..., at position: Int? = nil
  ) throws(WeighbridgeError) -> Term? {
    guard let operand = take(names, at: position) else { return nil }
    return try term(operand)
  }

  /// Takes an argument that is one number or truth; `nil` when it is absent or null.
  mutating func constant(
    _ name: String, at position: Int? = nil
  ) throws(WeighbridgeError) -> KerasConstant? {
    switch try optionalTerm(name, at: position) {
    case nil: return nil
    case .constant(let constant)? where constant.shape.isEmpty: return constant
    case .constant?, .value?: throw .unsupported("\(name) is a tensor, expected one number")
    }
  }

  /// The number of a constant as an element type holds it; JAX limits fractions that become integers.
  func element(
    _ constant: KerasConstant?, of type: ElementType, default fallback: Double
  ) throws(WeighbridgeError) -> Double {
    guard let constant else { return fallback }
    return try constant.element(of: type, limitsFractions: isOperation && layer.writer.isJAX)
  }

  /// The element type of a term; that of a plain Python number is the given one.
  func elementType(of term: Term, default fallback: ElementType) -> ElementType {
    switch term {
    case .value(let value): type(of: value).elementType
    case .constant(let constant): constant.elementType ?? fallback
    }
  }

  /// Raises the rank of both values to the higher one by leading axes of size 1.
  mutating func sameRank(
    _ first: ValueID, _ second: ValueID
  ) throws(WeighbridgeError) -> (ValueID, ValueID) {
    let rank = max(type(of: first).rank, type(of: second).rank)
    return (try expanded(first, rank: rank), try expanded(second, rank: rank))
  }

  /// The sum of two values, which are broadcast as in NumPy.
  mutating func sum(_ first: ValueID, _ second: ValueID) throws(WeighbridgeError) -> ValueID {
    let (first, second) = try sameRank(first, second)
    return try part(Add(), first, second)
  }

  /// The difference of two values, which are broadcast as in NumPy.
  mutating func difference(
    _ first: ValueID, _ second: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let (first, second) = try sameRank(first, second)
    return try part(Subtract(), first, second)
  }

  /// The product of two values, which are broadcast as in NumPy.
  mutating func product(_ first: ValueID, _ second: ValueID) throws(WeighbridgeError) -> ValueID {
    let (first, second) = try sameRank(first, second)
    return try part(Multiply(), first, second)
  }

  /// The quotient of two values, which are broadcast as in NumPy.
  mutating func quotient(_ first: ValueID, _ second: ValueID) throws(WeighbridgeError) -> ValueID {
    let (first, second) = try sameRank(first, second)
    return try part(BinaryMath(.divide), first, second)
  }

  /// A floating-point value times a number.
  mutating func scaled(
    _ value: ValueID, by factor: Double, plus offset: Double = 0
  ) throws(WeighbridgeError) -> ValueID {
    try part(Rescaling(scale: [factor], offset: [offset]), value)
  }

  /// A reduction.
  mutating func reduced(
    _ function: Reduce.Function, _ value: ValueID, _ axes: [Int], keepDims: Bool = true
  ) throws(WeighbridgeError) -> ValueID {
    try part(Reduce(function, axes: axes, keepDims: keepDims), value)
  }

  /// The elements of one value where a comparison of another with a number holds, and elsewhere
  /// those of a third.
  mutating func chosen(
    _ value: ValueID, _ relation: Comparison.Relation, _ number: Double, _ first: ValueID,
    _ second: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let condition = try part(Comparison(relation), value, try self.number(number, like: value))
    return try part(Where(), condition, first, second)
  }

  /// The elements in a range along an axis.
  mutating func sliced(
    _ value: ValueID, axis: Int, from start: Int? = nil, to stop: Int? = nil, step: Int = 1
  ) throws(WeighbridgeError) -> ValueID {
    if start ?? 0 == 0, stop == nil, step == 1 { return value }
    return try part(Slice([.init(axis: axis, start: start, stop: stop, step: step)]), value)
  }

  /// The known size of an axis.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when it is not known.
  func size(_ axis: Int, of value: ValueID) throws(WeighbridgeError) -> Int {
    guard let size = type(of: value).shape[axis].value, size <= 1 << 32 else {
      throw .unsupported("the size of axis \(axis) of \(type(of: value)) must be known")
    }
    return size
  }

  /// Ends a function with a value that an earlier node computed.
  mutating func result(_ value: ValueID) throws(WeighbridgeError) -> [ValueID] {
    try add(Identity(), [value])
  }

  /// Ends a function with a value, converted to an element type.
  mutating func result(
    _ value: ValueID, as elementType: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    type(of: value).elementType == elementType
      ? try result(value) : try add(Cast(to: elementType), [value])
  }
}
