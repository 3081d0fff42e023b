import JSON
import KerasFormat
import LayerCatalog

/// What a part of a Lambda's expression is, while it is being translated to the steps of a mapping.
indirect enum LambdaValue: Hashable {
  /// A plain value of Python.
  case constant(PythonValue)
  /// An array of numbers that the function makes, with the type that it states for it.
  case array(JSONValue, dtype: String?)
  /// A tensor, by its name in the mapping: `input`, `input[1]`, a step, or a step's output.
  case tensor(String)
  /// All outputs of a step, and how many they are, where it is known.
  case outputs(String, count: Int?)
  /// A list or tuple with tensors or arrays in it.
  case list([LambdaValue])

  /// A list or tuple.
  init(list: [LambdaValue]) {
    let constants = list.compactMap(\.constant)
    self = constants.count == list.count ? .constant(.tuple(constants)) : .list(list)
  }

  var constant: PythonValue? { if case .constant(let value) = self { value } else { nil } }

  /// The integer, if the value is one.
  var integer: Int? { if case .constant(.integer(let value)) = self { value } else { nil } }

  /// Whether it is or contains a tensor that the model computes.
  var hasTensor: Bool {
    switch self {
    case .constant, .array: false
    case .tensor, .outputs: true
    case .list(let parts): parts.contains(where: \.hasTensor)
    }
  }

  /// The elements of a list or tuple, and of outputs whose number is known.
  var elements: [LambdaValue]? {
    switch self {
    case .list(let parts): parts
    case .constant(.tuple(let values)): values.map { .constant($0) }
    case .outputs(let step, let count?): (0..<count).map { .tensor("\(step)[\($0)]") }
    default: nil
    }
  }

  /// A value that a file stores for an argument or a captured variable; `nil` for one that only
  /// Python can make.
  init?(stored json: JSONValue) {
    if json.object?["class_name"] == "__numpy__" || json.object?["class_name"] == "__tensor__" {
      guard let form = json.object?["config"]?.object, let value = form["value"] else { return nil }
      self = .array(value, dtype: form["dtype"]?.string)
      return
    }
    guard let value = PythonValue(stored: json) else { return nil }
    self = .constant(value)
  }
}

extension PythonValue {
  /// A value that a file stores as JSON.
  fileprivate init?(stored json: JSONValue) {
    switch json {
    case .null: self = .none
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .float(value)
    case .string(let value): self = .string(value)
    case .array(let list):
      let values = list.compactMap(PythonValue.init(stored:))
      guard values.count == list.count else { return nil }
      self = .tuple(values)
    case .object(let object):
      guard object["class_name"] == "__tuple__",
        let items = object["items"] ?? object["config"]?.object?["items"], items.array != nil,
        let value = PythonValue(stored: items)
      else { return nil }
      self = value
    }
  }

  /// The value as JSON.
  ///
  /// - Throws: A refusal for a value that JSON or a mapping does not have.
  func json() throws(PythonRefusal) -> JSONValue {
    switch self {
    case .none: return .null
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .float(let value):
      guard value.isFinite else { throw PythonRefusal("uses the number \(value)") }
      return .real(value)
    case .string(let value): return .string(value)
    case .tuple(let values):
      return .array(try values.map { (value) throws(PythonRefusal) in try value.json() })
    case .other(let kind): throw PythonRefusal("uses \(kind)")
    case .bytes, .ellipsis, .code: throw PythonRefusal("uses \(text()) as an argument")
    }
  }
}

/// Arithmetic on the constants of a function, as Python computes it.
enum PythonArithmetic {
  static func negated(_ value: LambdaValue) -> LambdaValue? {
    result("-", .constant(.integer(0)), value).map { result in
      // 0 - 0.0 is 0.0, and -0.0 is not.
      if case .constant(.float(let number)) = value { .constant(.float(-number)) } else { result }
    }
  }

  /// The result of an operator on numbers, or on arrays of equal shape; `nil` for anything else.
  static func result(_ symbol: String, _ left: LambdaValue, _ right: LambdaValue) -> LambdaValue? {
    if case .constant(let lhs) = left, case .constant(let rhs) = right {
      if case .integer(let lhs) = lhs, case .integer(let rhs) = rhs {
        return integer(symbol, lhs, rhs).map { .constant($0) }
      }
      guard let lhs = lhs.number, let rhs = rhs.number else { return nil }
      return real(symbol, lhs, rhs).map { .constant(.float($0)) }
    }
    guard let lhs = array(left), let rhs = array(right) else { return nil }
    return combined(symbol, lhs, rhs).map { .array($0, dtype: nil) }
  }

  private static func integer(_ symbol: String, _ lhs: Int, _ rhs: Int) -> PythonValue? {
    func checked(_ result: (partialValue: Int, overflow: Bool)) -> PythonValue? {
      result.overflow ? nil : .integer(result.partialValue)
    }
    switch symbol {
    case "+": return checked(lhs.addingReportingOverflow(rhs))
    case "-": return checked(lhs.subtractingReportingOverflow(rhs))
    case "*": return checked(lhs.multipliedReportingOverflow(by: rhs))
    case "//", PythonExpression.classicDivision:
      guard rhs != 0, lhs != .min else { return nil }
      let quotient = lhs / rhs
      return .integer(lhs % rhs != 0 && (lhs < 0) != (rhs < 0) ? quotient - 1 : quotient)
    case "%":
      guard rhs != 0, lhs != .min else { return nil }
      let rest = lhs % rhs
      return .integer(rest != 0 && (rest < 0) != (rhs < 0) ? rest + rhs : rest)
    case "**" where rhs >= 0:
      var power: PythonValue? = .integer(1)
      guard rhs <= 64 else { return nil }
      for _ in 0..<rhs {
        guard case .integer(let number) = power else { return nil }
        power = checked(number.multipliedReportingOverflow(by: lhs))
      }
      return power
    default: return real(symbol, Double(lhs), Double(rhs)).map { .float($0) }
    }
  }

  private static func real(_ symbol: String, _ lhs: Double, _ rhs: Double) -> Double? {
    switch symbol {
    case "+": return lhs + rhs
    case "-": return lhs - rhs
    case "*": return lhs * rhs
    case "/", PythonExpression.classicDivision: return rhs == 0 ? nil : lhs / rhs
    case "**":
      let power = lhs.raised(to: rhs)
      return power.isFinite ? power : nil
    default: return nil
    }
  }

  private static func array(_ value: LambdaValue) -> JSONValue? {
    switch value {
    case .array(let json, dtype: nil): json
    case .constant(let value): value.number.map { .real($0) }
    default: nil
    }
  }

  private static func combined(_ symbol: String, _ lhs: JSONValue, _ rhs: JSONValue) -> JSONValue? {
    switch (lhs.array, rhs.array) {
    case (nil, nil):
      guard symbol != PythonExpression.classicDivision, let lhs = lhs.real, let rhs = rhs.real
      else {
        return nil
      }
      return real(symbol, lhs, rhs).map { .real($0) }
    case (let left?, let right?):
      guard left.count == right.count else { return nil }
      let parts = zip(left, right).compactMap { combined(symbol, $0, $1) }
      return parts.count == left.count ? .array(parts) : nil
    case (let left?, nil):
      let parts = left.compactMap { combined(symbol, $0, rhs) }
      return parts.count == left.count ? .array(parts) : nil
    case (nil, let right?):
      let parts = right.compactMap { combined(symbol, lhs, $0) }
      return parts.count == right.count ? .array(parts) : nil
    }
  }
}
