import GraphIR
import JSON
import KerasFormat

/// What a file says about a Lambda beside its instructions.
struct LambdaContext {
  let code: PythonCode
  /// The number of tensors that the layer takes.
  let inputCount: Int
  /// The types of the inputs, where they are known and the same in all calls.
  let inputTypes: [TensorType]?
  /// The version of Keras that wrote the file, where it is known.
  let version: KerasVersion?
  /// The values of the arguments after the first, by their indices.
  private var values: [Int: LambdaValue] = [:]
  private let closure: [JSONValue]

  /// - Parameter inputs: The layer's input types; `nil` where they are not known.
  init(
    _ stored: KerasLambdaCode, _ record: KerasLayerRecord, inputs: [TensorType]?,
    version: KerasVersion?
  ) throws(PythonRefusal) {
    code = stored.code
    closure = stored.closure
    self.version = version
    guard record.calls.allSatisfy({ $0.inputKeys == nil }) else {
      throw PythonRefusal("takes a dictionary of tensors")
    }
    guard record.calls.allSatisfy({ $0.tensorArguments.isEmpty }) else {
      throw PythonRefusal("takes further tensors beside its first argument")
    }
    let counts = Set(record.calls.map(\.inputs.count))
    let inputCount = max(1, inputs?.count ?? counts.max() ?? 1)
    self.inputCount = inputCount
    inputTypes = record.calls.count <= 1 ? inputs : nil
    guard counts.allSatisfy({ max(1, $0) == inputCount }) else {
      throw PythonRefusal("is called with different numbers of tensors")
    }
    let first = code.argumentCount - stored.defaults.count
    for (index, json) in stored.defaults.enumerated() {
      values[first + index] = LambdaValue(stored: json)
    }
    let given = record.config["arguments"]?.object ?? [:]
    for (index, name) in code.variables.prefix(code.argumentCount).enumerated() {
      if let json = given[name] { values[index] = LambdaValue(stored: json) }
    }
  }

  /// The layer's inputs: a tensor, or a list of several.
  var input: LambdaValue {
    inputCount == 1 ? .tensor("input") : .list((0..<inputCount).map { .tensor("input[\($0)]") })
  }

  /// The value of an argument.
  func argument(_ index: Int) throws(PythonRefusal) -> LambdaValue {
    if index == 0 { return input }
    let name = name(ofArgument: index)
    // Keras passes these itself.
    guard let value = values[index], !["mask", "training"].contains(name) else {
      throw PythonRefusal(
        "uses its argument \(PythonValue.printable(name)), whose value the file does not have")
    }
    return value
  }

  func name(ofArgument index: Int) -> String {
    code.variables.indices.contains(index) ? code.variables[index] : "\(index)"
  }

  /// The value of a variable of the enclosing function.
  func captured(_ index: Int, _ name: String) throws(PythonRefusal) -> LambdaValue {
    guard closure.indices.contains(index), let value = LambdaValue(stored: closure[index]) else {
      throw PythonRefusal(
        "uses \(PythonValue.printable(name)), whose value the file does not have")
    }
    return value
  }

  /// The type of an input, by its name in the mapping.
  func type(ofInput name: String) -> TensorType? {
    guard let inputTypes, name.hasPrefix("input") else { return nil }
    let number = name == "input" ? 0 : Int(name.dropFirst("input[".count).dropLast())
    return number.flatMap { inputTypes.indices.contains($0) ? inputTypes[$0] : nil }
  }

  /// Whether the file is of TensorFlow 2; `nil` where its version of Keras also ran on TensorFlow 1.
  var isTensorFlow2: Bool? {
    guard let version else { return nil }
    if version >= KerasVersion(2, 4) { return true }
    if version.major == 2, version.minor == 3, version.suffix.hasPrefix("-tf") { return true }
    return nil
  }
}
