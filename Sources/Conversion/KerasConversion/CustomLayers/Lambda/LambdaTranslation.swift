import Bytes
import JSON
import KerasFormat

/// The translation of a Lambda's expression to the steps of a mapping: one step for each call and
/// each operator.
///
/// Whatever is not understood is a refusal, whose subject is the function.
struct LambdaTranslation {
  let context: LambdaContext
  private(set) var steps: [(name: String, step: JSONObject)] = []
  /// What the user needs to know to check the steps, in order.
  private(set) var notes: [String] = []
  private var values: [PythonExpression: LambdaValue] = [:]
  /// The names of the steps, by the steps.
  private var names: [JSONObject: String] = [:]

  init(_ context: LambdaContext) { self.context = context }

  /// The mapping of the function's value.
  mutating func mapping(of expression: PythonExpression) throws(PythonRefusal) -> JSONObject {
    let result = try value(expression)
    let outputs = try outputs(result)
    if steps.isEmpty { _ = addStep("tf.identity", [.string(outputs[0])], [:]) }
    let last = steps[steps.count - 1].name
    let isLast = result == .tensor(last) || (steps.count == 1 && outputs == ["input"])
    let isAll = if case .outputs(last, _) = result { true } else { false }
    let isImplied = isLast || isAll
    var members = JSONObject()
    members["steps"] = .array(
      steps.map { name, step in
        var written: JSONObject = steps.count == 1 && isImplied ? [:] : ["name": .string(name)]
        for (key, value) in step.members { written[key] = value }
        return .object(written)
      })
    if !isImplied { members["outputs"] = .array(outputs.map { .string($0) }) }
    return members
  }

  /// The names of the tensors that the function returns.
  private func outputs(_ result: LambdaValue) throws(PythonRefusal) -> [String] {
    if case .tensor(let name) = result { return [name] }
    if case .outputs(let name, nil) = result { return [name] }
    let names = result.elements?.map { (element) -> String? in
      if case .tensor(let name) = element { name } else { nil }
    }
    guard let names, !names.isEmpty, names.allSatisfy({ $0 != nil }) else {
      throw PythonRefusal("returns something else than tensors")
    }
    return names.compactMap(\.self)
  }

  /// The value of a part of the function.
  mutating func value(_ expression: PythonExpression) throws(PythonRefusal) -> LambdaValue {
    if let value = values[expression] { return value }
    let value = try translate(expression)
    values[expression] = value
    return value
  }

  private mutating func translate(
    _ expression: PythonExpression
  ) throws(PythonRefusal) -> LambdaValue {
    switch expression {
    case .argument(let index):
      let value = try context.argument(index)
      if index > 0 { noteValue(of: context.name(ofArgument: index), value) }
      return value
    case .captured(let index, let name):
      let value = try context.captured(index, name)
      noteValue(of: name, value)
      return value
    case .value(let value): return .constant(value)
    case .name(let name): return try global(name)
    case .attribute(let base, let name): return try attribute(base, name, expression.path)
    case .negated(let operand):
      let value = try value(operand)
      if let result = PythonArithmetic.negated(value) { return result }
      return try addStep("tf.math.negative", [value])
    case .binary(let symbol, let left, let right):
      return try binary(symbol, try value(left), try value(right))
    case .item(let base, let index): return try item(try value(base), index)
    case .part(let base, let index, of: let count):
      return try part(try value(base), index, of: count)
    case .slice: throw PythonRefusal("uses a range outside of brackets")
    case .tuple(let parts):
      var list: [LambdaValue] = []
      for part in parts { list.append(try value(part)) }
      return LambdaValue(list: list)
    case .call(let function, let positional, let named):
      return try call(function, positional, named)
    }
  }

  mutating func note(_ text: String) { if !notes.contains(text) { notes.append(text) } }

  private mutating func noteValue(of name: String, _ value: LambdaValue) {
    let text: String
    switch value {
    case .constant(let value): text = value.text()
    case .array(let json, _): text = String(json.text().prefix(60))
    default: return
    }
    note("\(PythonValue.printable(name)) is \(text), which the file has beside the function")
  }

  private func global(_ name: String) throws(PythonRefusal) -> LambdaValue {
    switch name {
    case "None": return .constant(.none)
    case "True": return .constant(.bool(true))
    case "False": return .constant(.bool(false))
    default:
      throw PythonRefusal(
        "uses \(PythonValue.printable(name)), whose value the file does not have")
    }
  }

  /// One of the values that an argument or a function's result is unpacked into.
  private func part(
    _ base: LambdaValue, _ index: Int, of count: Int
  ) throws(PythonRefusal) -> LambdaValue {
    if case .outputs(let step, nil) = base { return .tensor("\(step)[\(index)]") }
    guard let elements = base.elements else {
      throw PythonRefusal("unpacks a single tensor into \(count)")
    }
    guard elements.count == count else {
      throw PythonRefusal("unpacks \(elements.count.counted("value")) into \(count)")
    }
    return elements[index]
  }

  /// The functions of the operators.
  private static let operators = [
    "+": "tf.math.add", "-": "tf.math.subtract", "*": "tf.math.multiply",
    "/": "tf.math.truediv", PythonExpression.classicDivision: "tf.div",
    "//": "tf.math.floordiv", "%": "tf.math.floormod", "**": "tf.math.pow",
    "@": "tf.linalg.matmul", "<": "tf.math.less", "<=": "tf.math.less_equal",
    ">": "tf.math.greater", ">=": "tf.math.greater_equal", "==": "tf.math.equal",
    "!=": "tf.math.not_equal", "&": "tf.math.logical_and", "|": "tf.math.logical_or",
    "^": "tf.math.logical_xor",
  ]

  private mutating func binary(
    _ symbol: String, _ left: LambdaValue, _ right: LambdaValue
  ) throws(PythonRefusal) -> LambdaValue {
    if let result = PythonArithmetic.result(symbol, left, right) { return result }
    let shown = symbol == PythonExpression.classicDivision ? "/" : symbol
    let hasTensor = [left, right].contains { if case .tensor = $0 { true } else { false } }
    guard hasTensor, let function = Self.operators[symbol] else {
      throw PythonRefusal("applies \(shown) to something else than tensors and numbers")
    }
    if ["==", "!="].contains(symbol), context.isTensorFlow2 != true {
      throw PythonRefusal(
        "compares tensors by \(symbol), which in TensorFlow 1 compares not their elements")
    }
    return try addStep(function, [left, right])
  }

  /// Adds a step with tensors only.
  mutating func addStep(
    _ function: String, _ inputs: [LambdaValue]
  ) throws(PythonRefusal) -> LambdaValue {
    var operands: [JSONValue] = []
    for input in inputs { operands.append(try Self.operand(input, function)) }
    return .tensor(addStep(function, operands, [:]))
  }

  /// Adds a step, unless there is an equal one, and returns its name.
  mutating func addStep(
    _ function: String, _ inputs: [JSONValue], _ config: JSONObject
  ) -> String {
    var step: JSONObject = ["function": .string(function), "inputs": .array(inputs)]
    if !config.keys.isEmpty { step["config"] = .object(config) }
    return addStep(step, named: String(function.split(separator: ".").last ?? "step"))
  }

  mutating func addStep(_ step: JSONObject, named base: String) -> String {
    if let name = names[step] { return name }
    var (name, count) = (base, 1)
    while steps.contains(where: { $0.name == name }) {
      count += 1
      name = "\(base)_\(count)"
    }
    steps.append((name, step))
    names[step] = name
    return name
  }

  /// A value as an input of a step.
  static func operand(
    _ value: LambdaValue, _ function: String
  ) throws(PythonRefusal) -> JSONValue {
    switch value {
    case .tensor(let name): return .string(name)
    case .array(let json, let dtype):
      // Keras 3 goes by the type that NumPy gave the array, and TensorFlow does not.
      if dtype == nil, function.hasPrefix("keras.ops.") {
        throw PythonRefusal("gives an array of NumPy to \(function)")
      }
      guard let dtype else { return json }
      return .object(["constant": json, "dtype": .string(dtype)])
    case .constant(let value):
      guard value != .none, value.isNumeric else {
        throw PythonRefusal("gives \(value.text()) to \(function) where a tensor is expected")
      }
      return try value.json()
    case .outputs, .list:
      guard let elements = value.elements else {
        throw PythonRefusal("gives all outputs of a function to \(function)")
      }
      return .array(
        try elements.map { (element) throws(PythonRefusal) in try operand(element, function) })
    }
  }
}

extension PythonValue {
  /// Whether it consists of numbers and booleans only.
  var isNumeric: Bool {
    switch self {
    case .integer, .float, .bool: true
    case .tuple(let values): values.allSatisfy(\.isNumeric)
    case .other: true  // refused with its kind
    default: false
    }
  }
}
