import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Operands of functions: tensors, and constants that become weights of the graph.
extension KerasFunction {
  /// A tensor or a constant.
  enum Term {
    case value(ValueID)
    case constant(KerasConstant)
  }

  /// Takes an argument that is a tensor or a constant.
  mutating func term(
    _ names: String..., at position: Int? = nil
  ) throws(WeighbridgeError) -> Term {
    try term(names, at: position)
  }

  private mutating func term(
    _ names: [String], at position: Int? = nil
  ) throws(WeighbridgeError) -> Term {
    guard let operand = take(names, at: position) else { throw missing(names[0]) }
    return try term(operand)
  }

  /// Converts an argument to a term.
  mutating func term(_ operand: KerasOperand) throws(WeighbridgeError) -> Term {
    switch operand {
    case .tensor(let input): return .value(try value(input))
    case .value(let json): return .constant(try KerasConstant(json))
    case .list(let parts):
      let terms = try parts.map { (part) throws(WeighbridgeError) in try term(part) }
      return .value(try stack(terms, axis: 0, role: "stack"))
    case .dictionary:
      throw .unsupported(
        "is called with a dictionary of tensors, and only single tensors "
          + "and lists can be read")
    }
  }

  /// Takes an argument that is a tensor, or a constant that becomes one.
  mutating func tensor(
    _ names: String..., at position: Int? = nil
  ) throws(WeighbridgeError) -> ValueID {
    try unified([try term(names, at: position)], sharesRank: false)[0]
  }

  /// Takes such an argument, and returns its type too.
  mutating func typedTensor(
    _ names: String..., at position: Int? = nil
  ) throws(WeighbridgeError) -> (value: ValueID, type: TensorType) {
    let value = try unified([try term(names, at: position)], sharesRank: false)[0]
    return (value, type(of: value))
  }

  /// Takes an argument that is a list of tensors and constants of one type.
  mutating func tensors(
    _ name: String, at position: Int? = nil
  ) throws(WeighbridgeError) -> [ValueID] {
    try tensors(take(name, at: position), name)
  }

  /// Converts such an argument.
  mutating func tensors(
    _ operand: KerasOperand?, _ name: String
  ) throws(WeighbridgeError) -> [ValueID] {
    switch operand {
    case .list(let parts):
      let terms = try parts.map { (part) throws(WeighbridgeError) in try term(part) }
      return try unified(terms, sharesRank: false, areJoined: true)
    case .tensor(let input): return [try value(input)]
    case .value(let json):
      var terms: [Term] = []
      for part in json.array ?? [json] { terms.append(.constant(try KerasConstant(part))) }
      return try unified(terms, sharesRank: false, areJoined: true)
    default: throw .malformed("the argument \(name) is not a list of tensors")
    }
  }

  /// Converts the terms to values of one element type.
  ///
  /// - Parameters:
  ///   - sharesRank: Whether all get the rank of the one with the highest rank, by adding leading axes
  ///     as in NumPy.
  ///   - areJoined: Whether they are put together, so that equal types stay as they are.
  ///   - areNumbersTyped: Whether plain Python numbers are int32, float32 or bool in Keras 3, instead
  ///     of adopting the type of the tensors.
  ///   - areFloating: Whether Keras 3 converts integers to float32, and Python's numbers with them, so
  ///     that these need not fit in the type of the integers.
  mutating func unified(
    _ terms: [Term], sharesRank: Bool, areJoined: Bool = false, areNumbersTyped: Bool = false,
    areFloating: Bool = false
  ) throws(WeighbridgeError) -> [ValueID] {
    var type = commonType(terms, areNumbersTyped: areNumbersTyped)
    // Where Keras 3 promotes, it has no such type.
    if isOperation, terms.count > 1, !areJoined, type == .uint64 { type = .uint32 }
    if isOperation, areFloating, !type.isFloat { type = .float32 }
    let rank = sharesRank ? terms.map(rank(of:)).max() : nil
    var values: [ValueID] = []
    for term in terms {
      switch term {
      case .constant(let constant):
        let tensor = try constant.tensor(type, rank: rank, wraps: isOperation)
        let value = try add(constant: tensor)
        noteConstant(tensor, value)
        values.append(value)
      case .value(let value):
        values.append(try expanded(try converted(value, to: type), rank: rank ?? 0))
      }
    }
    return values
  }

  /// Whether functions that make tensors of Python's numbers give them a type of their own: on JAX only
  /// lists have one.
  func areTensors(_ terms: [Term]) -> Bool {
    let hasList = terms.contains {
      if case .constant(let constant) = $0 { !constant.shape.isEmpty } else { false }
    }
    return hasList || !layer.writer.isJAX
  }

  /// Raises the rank of a value by adding leading axes.
  mutating func expanded(_ value: ValueID, rank: Int) throws(WeighbridgeError) -> ValueID {
    let missing = rank - type(of: value).rank
    guard missing > 0 else { return value }
    return try addOne(ExpandDims(axes: Array(0..<missing)), [value], role: "expand_dims")
  }

  /// The number of axes of a term.
  func rank(of term: Term) -> Int {
    switch term {
    case .value(let value): type(of: value).rank
    case .constant(let constant): constant.shape.count
    }
  }

  /// The common type of the operands. TensorFlow gives a constant the type of the other operand;
  /// Keras 3 promotes types, and only plain Python numbers are weakly typed.
  func commonType(_ terms: [Term], areNumbersTyped: Bool = false) -> ElementType {
    var (types, weak): ([ElementType], [ElementType]) = ([], [])
    for term in terms {
      switch term {
      case .value(let value): types.append(type(of: value).elementType)
      case .constant(let constant):
        if let type = constant.elementType ?? (areNumbersTyped ? constant.naturalType : nil) {
          types.append(type)
        } else {
          weak.append(constant.naturalType)
        }
      }
    }
    guard isOperation else { return types.first ?? weak.first ?? .float32 }
    var result = types.first
    for type in types.dropFirst() {
      result = ElementType.promoted(result ?? type, type)
    }
    for type in weak {
      guard let known = result else {
        result = type
        continue
      }
      if type.isFloat, !known.isFloat { result = .float32 }
      if type == .int32, known == .bool { result = .int32 }
    }
    return result ?? .float32
  }

  /// Whether the function is one of Keras 3.
  var isOperation: Bool { if case .operation = name { true } else { false } }

  /// Casts a value to another element type.
  mutating func converted(
    _ value: ValueID, to elementType: ElementType, role: String = "cast"
  ) throws(WeighbridgeError) -> ValueID {
    if type(of: value).elementType == elementType { return value }
    guard isOperation else {
      throw .malformed("takes tensors of one type, \(elementType.rawValue), and \(type(of: value))")
    }
    return try addOne(Cast(to: elementType), [value], role: role)
  }

  /// Converts a value to floating point, as Keras 3 does with integers.
  mutating func floating(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    type(of: value).elementType.isFloat ? value : try converted(value, to: .float32)
  }

  /// Converts a value to floating point, and integers of 64 bits to float64, as some functions of
  /// Keras 3 do on TensorFlow.
  mutating func floatingOfWide(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    let isWide = isOperation && type(of: value).elementType == .int64
    return isWide ? try converted(value, to: .float64) : try floating(value)
  }

  /// Stacks tensors along a new axis.
  mutating func stack(
    _ terms: [Term], axis: Int, role: String
  ) throws(WeighbridgeError) -> ValueID {
    let parts = try unified(terms, sharesRank: true, areJoined: true).map {
      (value) throws(WeighbridgeError) in
      try addOne(
        ExpandDims(axes: [axis]), [value],
        role: terms.count == 1 ? role : "expand_dims")
    }
    if parts.count == 1 { return parts[0] }
    let result = try addOne(Concatenate(axis: axis), parts, role: role)
    noteStack(terms, result)
    return result
  }
}
