import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// A proposed mapping for a `Lambda` whose compiled function is simple. It is shown to the user and
/// never applied automatically.
struct LambdaProposal {
  /// The mapping, as written under the layer's name.
  let mapping: JSONValue
  /// What the user needs to know to check it.
  let notes: [String]

  /// - Parameters:
  ///   - record: The layer as Keras 2 or later would write it.
  ///   - input: The layer's input type, where it is known.
  /// - Returns: `nil` for other layers, and for a function that is not supported.
  init?(of record: KerasLayerRecord, input: TensorType?) {
    guard let code = try? KerasLambdaCode(of: record), let expression = code.code.expression,
      record.calls.allSatisfy({ $0.allInputs.count <= 1 })
    else { return nil }
    let arguments = LambdaArguments(code, record)
    var chain = LambdaChain(shape: input?.shape.map(\.value), arguments: arguments)
    guard chain.add(expression) else { return nil }
    let steps = chain.finish()
    notes = chain.notes
    if arguments.areInSettings {
      mapping = .object(["steps": .array(steps), "ignore": ["arguments"]])
    } else {
      mapping = steps.count == 1 ? steps[0] : .array(steps)
    }
  }

  private init(mapping: JSONValue, notes: [String]) {
    self.mapping = mapping
    self.notes = notes
  }

  /// The proposal for a file that states another shape than that of the function's output.
  var overruling: LambdaProposal {
    var members = mapping.object ?? [:]
    if members["steps"] == nil {
      members = ["steps": .array(mapping.array ?? [mapping])]
    }
    members["overrule_shape"] = true
    return LambdaProposal(
      mapping: .object(members),
      notes: notes + ["the file states another shape of what it makes, which is overruled"])
  }

  /// The proposal as an entry for a layer.
  func entry(_ name: String) -> CustomLayers.Entry? {
    guard let mapping = try? CustomMapping(parsing: mapping, place: name) else { return nil }
    return CustomLayers.Entry(place: name, pattern: NamePattern(name), mapping: mapping)
  }
}

/// The values of a function's arguments except the first.
struct LambdaArguments {
  private var values: [Int: JSONValue] = [:]
  /// Whether the layer's settings contain any of them.
  let areInSettings: Bool
  /// Whether dividing integers rounds down, as in Python 2.
  let usesIntegerDivision: Bool

  init(_ code: KerasLambdaCode, _ record: KerasLayerRecord) {
    let function = code.code
    let given = record.config["arguments"]?.object ?? [:]
    areInSettings = !given.keys.isEmpty
    usesIntegerDivision = function.layout == .python2
    let first = function.argumentCount - code.defaults.count
    for (index, value) in code.defaults.enumerated() { values[first + index] = value }
    for (index, name) in function.variables.prefix(function.argumentCount).enumerated() {
      if let value = given[name] { values[index] = value }
    }
  }

  /// The value of an expression without the input: one number, or a list of numbers.
  func numbers(_ expression: PythonExpression) -> [Double]? {
    switch expression {
    case .value(.tuple(let values)):
      let numbers = values.compactMap(\.number)
      return numbers.count == values.count && !numbers.isEmpty ? numbers : nil
    case .value(let value): return value.number.map { [$0] }
    case .argument(let index): return index == 0 ? nil : Self.numbers(values[index])
    case .negated(let operand): return numbers(operand).map { $0.map { -$0 } }
    case .tuple(let elements):
      let numbers = elements.compactMap(number)
      return numbers.count == elements.count && !numbers.isEmpty ? numbers : nil
    case .binary(let op, let left, let right):
      guard let left = number(left), let right = number(right) else { return nil }
      return combined(op, left, right).map { [$0] }
    case .call(let function, let values, _):
      guard let path = function.path, let first = values.first else { return nil }
      let constructors: Set = [
        "K.constant", "K.variable", "float", "np.array", "np.asarray", "np.float32",
        "numpy.array", "tf.constant", "tf.convert_to_tensor",
      ]
      return constructors.contains(path) ? numbers(first) : nil
    default: return nil
    }
  }

  private static func numbers(_ value: JSONValue?) -> [Double]? {
    if let number = value?.real { return [number] }
    guard let list = value?.array, !list.isEmpty else { return nil }
    let numbers = list.compactMap(\.real)
    return numbers.count == list.count ? numbers : nil
  }

  /// One number.
  func number(_ expression: PythonExpression) -> Double? {
    guard let numbers = numbers(expression), numbers.count == 1 else { return nil }
    return numbers[0]
  }

  private func combined(_ op: String, _ left: Double, _ right: Double) -> Double? {
    switch op {
    case "+": return left + right
    case "-": return left - right
    case "*": return left * right
    case "/":
      let areIntegers = left == left.rounded() && right == right.rounded()
      return right == 0 || (usesIntegerDivision && areIntegers) ? nil : left / right
    default: return nil
    }
  }

  /// Integers, one or a list.
  func integers(_ expression: PythonExpression) -> [Int]? {
    numbers(expression).flatMap { numbers in
      let whole = numbers.compactMap(Int.init(exactly:))
      return whole.count == numbers.count ? whole : nil
    }
  }
}
