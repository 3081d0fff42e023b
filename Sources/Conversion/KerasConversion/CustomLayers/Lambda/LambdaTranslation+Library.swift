import JSON
import KerasFormat

/// Calls of functions of TensorFlow and Keras.
extension LambdaTranslation {
  /// Adds a step that calls a function of ``KerasFunctionTable``.
  ///
  /// - Parameters:
  ///   - function: Its name in a mapping.
  ///   - shown: Its name in the code.
  mutating func libraryCall(
    _ function: String, _ arguments: LambdaArguments, shown: String
  ) throws(PythonRefusal) -> LambdaValue {
    let shown = PythonValue.printable(shown)
    guard let name = MappedFunction(function)?.name else {
      throw PythonRefusal("calls \(shown), " + Self.refusal(of: function))
    }
    if function == "tf.image.resize", context.isTensorFlow2 != true {
      throw PythonRefusal(
        "calls \(shown), which TensorFlow 1 and 2 compute differently, and the file does not say which it "
          + "was; a mapping can say tf.image.resize_images for the one and tf.image.resize for the other"
      )
    }
    var arguments = arguments
    if function.hasPrefix("tf.") { Self.renameOlder(&arguments) }
    let signature = KerasFunctionSignature.of(name)
    var (inputs, config): ([JSONValue], JSONObject) = ([], [:])
    for (position, parameter) in signature.tensors.enumerated() {
      let value =
        arguments.take(parameter, at: position)
        ?? (position == 0 ? arguments.takeFirst() : nil)
      guard let value, value != .constant(.none) else { break }
      if signature.optionalTensors.contains(parameter), let constant = value.constant {
        config[parameter] = try constant.json()
      } else {
        inputs.append(try Self.operand(value, function))
      }
    }
    try addSettings(signature, &arguments, to: &config, shown)
    let step = addStep(function, inputs, config)
    return Self.outputCount(name, config).map { .outputs(step, count: $0) } ?? .tensor(step)
  }

  /// Adds the settings, under the names by which they are read.
  private func addSettings(
    _ signature: KerasFunctionSignature, _ arguments: inout LambdaArguments,
    to config: inout JSONObject, _ shown: String
  ) throws(PythonRefusal) {
    for (index, parameter) in signature.settings.enumerated() {
      let position = signature.tensors.count + index
      if let value = arguments.take(parameter.name, at: position) {
        config[parameter.readName] = try Self.setting(value, parameter.name, shown)
      } else if let json = parameter.defaultValue {
        config[parameter.readName] = json
      }
    }
    guard arguments.positional.allSatisfy({ $0 == nil }) else {
      throw PythonRefusal("calls \(shown) with more arguments than are known by their position")
    }
    for (key, value) in arguments.named.sorted(by: { $0.key < $1.key }) {
      config[key] = try Self.setting(value, key, shown)
    }
    for key in config.keys where config[key] == .null { config[key] = nil }
  }

  /// A setting as it stands in a mapping.
  private static func setting(
    _ value: LambdaValue, _ name: String, _ shown: String
  ) throws(PythonRefusal) -> JSONValue {
    switch value {
    case .constant(let value):
      let json = try value.json()
      // A dollar sign begins a reference to the layer's settings.
      if let text = json.string, text.hasPrefix("$") { return .string("$" + text) }
      return json
    case .array(let json, _): return json
    case .tensor, .outputs, .list:
      throw PythonRefusal(
        "calls \(shown) with a tensor as \(PythonValue.printable(name)), whose numbers are not known "
          + "before the model runs")
    }
  }

  /// Gives arguments the names that TensorFlow 2 has for them.
  private static func renameOlder(_ arguments: inout LambdaArguments) {
    for (older, newer) in KerasFunction.olderArguments where arguments.named[newer] == nil {
      arguments.named[newer] = arguments.named.removeValue(forKey: older)
    }
  }

  /// The number of outputs of a function that has several: `.some(nil)` where it is not known.
  private static func outputCount(_ name: KerasFunctionName, _ config: JSONObject) -> Int?? {
    let function: String =
      switch name {
      case .operation(let text): text
      case .tensorFlow(let text): KerasFunctionTable.unversioned(text)
      case .graphNode(let text): text
      }
    switch function {
    case "split":
      return .some(config["num_or_size_splits"].flatMap { $0.integer ?? $0.array?.count })
    case "Split":
      return .some(
        config["indices_or_sections"].flatMap { $0.integer ?? $0.array.map { $0.count + 1 } })
    case "unstack", "Unstack": return .some(config["num"]?.integer)
    case "math.top_k", "nn.top_k", "TopK", "nn.moments", "Moments": return 2
    default: return nil
    }
  }

  /// Why a function is not supported, after its name.
  private static func refusal(of function: String) -> String {
    if function.contains("random") || function.hasSuffix("dropout") {
      return "which draws random numbers, and no other run repeats them"
    }
    return "which is not known here"
  }
}

extension LambdaArguments {
  /// Takes the first tensor by another name than the one listed.
  fileprivate mutating func takeFirst() -> LambdaValue? {
    let names = [
      "x", "input", "inputs", "tensor", "features", "value", "values", "image", "images", "a",
      "input_tensor", "logits", "tensors",
    ]
    for name in names {
      if let value = named.removeValue(forKey: name) { return value }
    }
    return nil
  }
}
