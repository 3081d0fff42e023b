import JSON
import KerasFormat

/// Calls of functions.
extension LambdaTranslation {
  /// The modules by which functions are called, under their usual names, and what they stand for in
  /// a mapping. Which module a name is bound to is not in the file.
  private static let modules: [(prefix: String, standsFor: String)] = [
    ("tf.keras.backend.", "keras.backend."), ("tensorflow.keras.backend.", "keras.backend."),
    ("tensorflow.python.keras.backend.", "keras.backend."), ("keras.backend.tf.", "tf."),
    ("keras.backend.", "keras.backend."), ("K.tf.", "tf."), ("K.", "keras.backend."),
    ("backend.", "keras.backend."), ("tf.keras.ops.", "keras.ops."), ("keras.ops.", "keras.ops."),
    ("ops.", "keras.ops."), ("tf.keras.activations.", "activations."),
    ("tensorflow.keras.activations.", "activations."), ("keras.activations.", "activations."),
    ("activations.", "activations."), ("tensorflow.compat.v1.", "tf."), ("tf.compat.v1.", "tf."),
    ("tf1.", "tf."), ("tensorflow.", "tf."), ("ktf.", "tf."), ("tf.", "tf."),
    ("numpy.", "np."), ("np.", "np."), ("math.", "np."),
  ]

  mutating func call(
    _ function: PythonExpression, _ positional: [PythonExpression],
    _ named: [String: PythonExpression]
  ) throws(PythonRefusal) -> LambdaValue {
    guard let path = function.path else { return try method(function, positional, named) }
    var arguments = LambdaArguments()
    for expression in positional { arguments.positional.append(try value(expression)) }
    for (name, expression) in named { arguments.named[name] = try value(expression) }
    arguments.named["name"] = nil
    if let builtin = try Self.builtin(path, arguments) { return builtin }
    if path == "abs" || path == "pow" {
      return try libraryCall("tf.math.\(path)", arguments, shown: path)
    }
    guard let module = Self.modules.first(where: { path.hasPrefix($0.prefix) }) else {
      throw PythonRefusal(
        "calls \(PythonValue.printable(path)), which the file does not have")
    }
    let name = String(path.dropFirst(module.prefix.count))
    switch module.standsFor {
    case "np.": return try numberCall(name, arguments, shown: path)
    case "activations.": return try activation(name, arguments, shown: path)
    default:
      if let value = try constantCall(module.standsFor + name, arguments) { return value }
      return try libraryCall(module.standsFor + name, arguments, shown: path)
    }
  }

  /// A call of something else than a dotted name.
  private mutating func method(
    _ function: PythonExpression, _ positional: [PythonExpression],
    _ named: [String: PythonExpression]
  ) throws(PythonRefusal) -> LambdaValue {
    guard case .attribute(let base, let name) = function else {
      if case .captured(_, let name) = function {
        throw PythonRefusal("calls \(PythonValue.printable(name)), which the file does not have")
      }
      throw PythonRefusal("calls what a call or an argument gives")
    }
    if positional.isEmpty, named.isEmpty {
      if name == "get_shape" { return try shape(of: try value(base)) }
      if name == "as_list" { return try value(base) }
    }
    throw PythonRefusal("calls the method \(PythonValue.printable(name)) of a tensor")
  }

  /// A function of Python on constants; `nil` for other functions and on tensors.
  private static func builtin(
    _ path: String, _ arguments: LambdaArguments
  ) throws(PythonRefusal) -> LambdaValue? {
    guard let argument = arguments.only else { return nil }
    switch (path, argument) {
    case ("float", .constant(let value)):
      return value.number.map { .constant(.float($0)) }
    case ("int", .constant(let value)):
      return value.number.flatMap { Int(exactly: $0.rounded(.towardZero)) }
        .map { .constant(.integer($0)) }
    case ("abs", .constant(.integer(let value))) where value != .min:
      return .constant(.integer(abs(value)))
    case ("abs", .constant(.float(let value))): return .constant(.float(abs(value)))
    case ("list", _), ("tuple", _): return argument.elements.map(LambdaValue.init(list:))
    case ("len", _): return argument.elements.map { .constant(.integer($0.count)) }
    default: return nil
    }
  }

  /// A function of NumPy or of Python's `math`, on constants.
  private func numberCall(
    _ name: String, _ arguments: LambdaArguments, shown: String
  ) throws(PythonRefusal) -> LambdaValue {
    let number = arguments.only?.constant?.number
    switch name {
    case "array", "asarray": return try array(arguments, shown: shown)
    case "float32", "float64":
      if let number { return .array(.real(number), dtype: nil) }
      return try array(arguments, shown: shown)
    default:
      guard let number, let value = PythonMath.value(name, number) else {
        throw PythonRefusal(
          "calls \(PythonValue.printable(shown)) on something else than a number that is known here"
        )
      }
      return shown.hasPrefix("math.") ? .constant(.float(value)) : .array(.real(value), dtype: nil)
    }
  }

  /// An array that is made from numbers, with the type that is stated for it.
  private func array(
    _ arguments: LambdaArguments, shown: String
  ) throws(PythonRefusal) -> LambdaValue {
    var arguments = arguments
    let dtype = arguments.take("dtype", at: 1)
    guard let first = arguments.take("value", at: 0) ?? arguments.take("object"),
      arguments.isEmpty, dtype?.constant.map(Self.isTypeName) ?? true
    else { throw PythonRefusal("calls \(shown) with arguments that are not understood") }
    let type = dtype.flatMap { if case .constant(.string(let name)) = $0 { name } else { nil } }
    switch first {
    case .array(let json, let own): return .array(json, dtype: type ?? own)
    case .constant(let value) where value.isNumeric:
      return .array(try value.json(), dtype: type)
    default: throw PythonRefusal("calls \(shown) with something else than numbers")
    }
  }

  private static func isTypeName(_ value: PythonValue) -> Bool {
    if case .string = value { true } else { value == .none }
  }

  /// A function whose value is known before the model runs; `nil` for others.
  private mutating func constantCall(
    _ function: String, _ arguments: LambdaArguments
  ) throws(PythonRefusal) -> LambdaValue? {
    switch function {
    case "keras.backend.epsilon":
      note("K.epsilon() is taken as 1e-7, Keras' default")
      return .constant(.float(1e-7))
    case "keras.backend.floatx":
      note("K.floatx() is taken as float32, Keras' default")
      return .constant(.string("float32"))
    case "keras.backend.constant", "keras.backend.variable", "tf.constant", "tf.Variable":
      return try array(arguments, shown: function)
    case "tf.convert_to_tensor":
      guard arguments.first?.hasTensor == false else { return nil }
      return try array(arguments, shown: function)
    case "keras.backend.int_shape":
      guard let value = arguments.only else { return nil }
      return try shape(of: value)
    case "keras.backend.ndim":
      guard let value = arguments.only, let count = try shape(of: value).elements?.count
      else { return nil }
      return .constant(.integer(count))
    case "tf.to_float", "tf.to_int32", "tf.to_int64", "tf.to_double":
      guard let value = arguments.only else { return nil }
      let type = function.dropFirst("tf.to_".count)
      let dtype = ["float": "float32", "double": "float64"][type] ?? String(type)
      return .tensor(
        addStep("tf.cast", [try Self.operand(value, function)], ["dtype": .string(dtype)]))
    default: return nil
    }
  }

  private mutating func activation(
    _ name: String, _ arguments: LambdaArguments, shown: String
  ) throws(PythonRefusal) -> LambdaValue {
    guard let value = arguments.only else {
      throw PythonRefusal("calls \(shown) with settings")
    }
    let operand = try Self.operand(value, shown)
    return .tensor(
      addStep(
        [
          "class_name": "Activation", "config": .object(["activation": .string(name)]),
          "inputs": [operand],
        ], named: name))
  }
}

/// The arguments of a call inside a function. Taking one consumes it.
struct LambdaArguments {
  var positional: [LambdaValue?] = []
  var named: [String: LambdaValue] = [:]

  /// The first positional argument.
  var first: LambdaValue? { positional.first ?? nil }

  /// The argument, if there is only one and it has no name.
  var only: LambdaValue? { positional.count == 1 && named.isEmpty ? first : nil }

  /// Whether all arguments have been taken.
  var isEmpty: Bool { positional.allSatisfy { $0 == nil } && named.isEmpty }

  /// Takes an argument, by its position or its name.
  mutating func take(_ name: String, at position: Int? = nil) -> LambdaValue? {
    if let position, positional.indices.contains(position), let value = positional[position] {
      positional[position] = nil
      return value
    }
    return named.removeValue(forKey: name)
  }
}
