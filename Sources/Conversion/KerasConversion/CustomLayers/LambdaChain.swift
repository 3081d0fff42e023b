import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The steps of a mapping that are equivalent to a function's expression, from its input on.
struct LambdaChain {
  /// The shape of the steps' output so far; `nil` when not even the rank is known.
  var shape: [Int?]?
  let arguments: LambdaArguments
  var notes: [String] = []
  private var steps: [JSONValue] = []
  /// The pending operation on each element: x · scale + offset.
  private var scale = [1.0]
  private var offset = [0.0]

  init(shape: [Int?]?, arguments: LambdaArguments) {
    self.shape = shape
    self.arguments = arguments
  }

  /// Returns all steps; at least one.
  mutating func finish() -> [JSONValue] {
    flush()
    return steps.isEmpty
      ? [.object(["class_name": "Activation", "config": .object(["activation": "linear"])])] : steps
  }

  /// Adds the steps of an expression of the first argument.
  ///
  /// - Returns: Whether it consists only of supported functions.
  mutating func add(_ expression: PythonExpression) -> Bool {
    switch expression {
    case .argument(let index): return index == 0
    case .negated(let operand): return add(operand) && rescale(by: [-1], plus: [0])
    case .binary(let op, let left, let right):
      if let number = arguments.numbers(right) { return add(left) && apply(op, number) }
      if let number = arguments.numbers(left) { return add(right) && apply(number, op) }
      return false
    case .item(let base, let index): return add(base) && addItem(index)
    case .call(let function, let values, let named):
      guard let path = function.path else { return false }
      var call = LambdaCall(path: path, values: values, named: named)
      guard let input = call.takeInput(), add(input) else { return false }
      return addCall(&call) && call.isEmpty
    default: return false
    }
  }

  /// Applies `x op numbers`.
  private mutating func apply(_ op: String, _ numbers: [Double]) -> Bool {
    switch op {
    case "+": return rescale(by: [1], plus: numbers)
    case "-": return rescale(by: [1], plus: numbers.map { -$0 })
    case "*": return rescale(by: numbers, plus: [0])
    case "/": return !numbers.contains(0) && divide(by: numbers)
    default: return false
    }
  }

  /// Applies `numbers op x`.
  private mutating func apply(_ numbers: [Double], _ op: String) -> Bool {
    switch op {
    case "+", "*": apply(op, numbers)
    case "-": rescale(by: [-1], plus: numbers)
    default: false
    }
  }

  private mutating func rescale(by factor: [Double], plus number: [Double]) -> Bool {
    guard let newScale = Self.zip(scale, factor, *),
      let scaledOffset = Self.zip(offset, factor, *),
      let newOffset = Self.zip(scaledOffset, number, +)
    else { return false }
    (scale, offset) = (newScale, newOffset)
    return (scale + offset).allSatisfy(\.isFinite)
  }

  private mutating func divide(by numbers: [Double]) -> Bool {
    guard let newScale = Self.zip(scale, numbers, /),
      let newOffset = Self.zip(offset, numbers, /)
    else { return false }
    (scale, offset) = (newScale, newOffset)
    return (scale + offset).allSatisfy(\.isFinite)
  }

  /// Combines two lists of numbers element by element, repeating a single number.
  private static func zip(
    _ left: [Double], _ right: [Double], _ combine: (Double, Double) -> Double
  ) -> [Double]? {
    let count = max(left.count, right.count)
    guard [left, right].allSatisfy({ $0.count == 1 || $0.count == count }) else { return nil }
    return (0..<count).map {
      combine(left[left.count == 1 ? 0 : $0], right[right.count == 1 ? 0 : $0])
    }
  }

  private mutating func flush() {
    guard scale != [1] || offset.contains(where: { $0 != 0 }) else { return }
    let value = { (numbers: [Double]) -> JSONValue in
      numbers.count == 1 ? .real(numbers[0]) : .array(numbers.map { .real($0 == 0 ? 0 : $0) })
    }
    let zero = offset.allSatisfy { $0 == 0 }
    steps.append(
      .object([
        "class_name": "Rescaling",
        "config": .object(["scale": value(scale), "offset": zero ? .real(0) : value(offset)]),
      ]))
    (scale, offset) = ([1], [0])
  }

  /// Adds a layer of Keras, or another step that is named by a class.
  mutating func addLayer(_ className: String, _ config: JSONObject) {
    flush()
    steps.append(.object(["class_name": .string(className), "config": .object(config)]))
  }

  /// Adds an operator.
  mutating func addOperator(_ kind: String, _ attributes: JSONObject) {
    flush()
    steps.append(.object(["kind": .string(kind), "attributes": .object(attributes)]))
  }
}

/// A call inside a function. Reading an argument consumes it.
struct LambdaCall {
  let path: String
  private var values: [Int: PythonExpression]
  private var named: [String: PythonExpression]

  init(path: String, values: [PythonExpression], named: [String: PythonExpression]) {
    self.path = path
    self.values = Dictionary(
      uniqueKeysWithValues: values.enumerated().map { ($0.offset, $0.element) })
    self.named = named
  }

  /// Whether all arguments have been consumed.
  var isEmpty: Bool { values.isEmpty && named.isEmpty }

  /// Takes an argument, by any of its names or by its position.
  mutating func take(_ position: Int?, _ names: String...) -> PythonExpression? {
    if let position, let value = values.removeValue(forKey: position) { return value }
    for name in names {
      if let value = named.removeValue(forKey: name) { return value }
    }
    return nil
  }

  mutating func takeInput() -> PythonExpression? {
    take(0, "x", "input", "images", "image", "tensor", "value", "a")
  }
}
