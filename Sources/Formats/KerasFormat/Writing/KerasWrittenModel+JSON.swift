import Bytes
import JSON

extension KerasWrittenModel {
  /// The model in the form of `config.json` in an archive, or of `model_config` in an `.h5` file.
  func json(_ format: KerasOutputFormat) -> JSONValue {
    let list = { (references: [KerasTensorReference]) -> JSONValue in
      let all = references.map { JSONValue.array($0.json) }
      return format == .archive && all.count == 1 ? all[0] : .array(all)
    }
    let config: JSONObject = [
      "name": .string(name), "trainable": true,
      "layers": .array(layers.map { $0.json(format) }),
      "input_layers": list(inputs), "output_layers": list(outputs),
    ]
    guard format == .archive else {
      // The first versions of TensorFlow.js do not know the newer name.
      let className: JSONValue = format == .tensorFlowJS ? "Model" : "Functional"
      return .object(["class_name": className, "config": .object(config)])
    }
    return .object([
      "module": "keras.src.models.functional", "class_name": "Functional",
      "config": .object(config), "registered_name": "Functional",
    ])
  }
}

extension KerasWrittenLayer {
  fileprivate func json(_ format: KerasOutputFormat) -> JSONValue {
    var config: JSONObject = ["name": .string(name)]
    for key in self.config.keys { config[key] = self.config[key] }
    var object = JSONObject()
    if format == .archive { object["module"] = .string(module) }
    object["class_name"] = .string(className)
    object["config"] = .object(config)
    if format == .archive {
      object["registered_name"] = module == "keras.layers" ? .null : .string(className)
    }
    object["name"] = .string(name)
    object["inbound_nodes"] = .array(
      calls.map { format == .archive ? $0.keras3JSON : $0.keras2JSON(ofFunction: isFunction) })
    return .object(object)
  }

  /// Whether it is a TensorFlow function in the form of Keras 2.
  private var isFunction: Bool { ["TFOpLambda", "SlicingOpLambda"].contains(className) }
}

extension KerasWrittenCall {
  /// The call in the form of Keras 3.
  fileprivate var keras3JSON: JSONValue {
    var named = JSONObject()
    for (name, value) in keywords { named[name] = value.json(.archive) }
    return .object(["args": .array(arguments.map { $0.json(.archive) }), "kwargs": .object(named)])
  }

  /// The call in the form of Keras 2: for each tensor of the first argument a reference, together
  /// with the named arguments. For a function, a single tensor is not in a list.
  fileprivate func keras2JSON(ofFunction isFunction: Bool) -> JSONValue {
    var named = JSONObject()
    for (name, value) in keywords { named[name] = value.json(.hdf5) }
    let entry = { (argument: KerasWrittenArgument) -> JSONValue in
      switch argument {
      case .tensor(let reference, _, _): .array(reference.json + [.object(named)])
      case .value(let value): ["_CONSTANT_VALUE", -1, value, .object(named)]
      case .list: .null
      }
    }
    guard let first = arguments.first else { return [] }
    if case .list(let elements) = first { return .array(elements.map(entry)) }
    return isFunction ? entry(first) : [entry(first)]
  }
}

extension KerasWrittenArgument {
  /// The argument in the form of Keras 3, or a named one in the form of Keras 2.
  fileprivate func json(_ format: KerasOutputFormat) -> JSONValue {
    switch self {
    case .value(let value): value
    case .list(let elements): .array(elements.map { $0.json(format) })
    case .tensor(let reference, _, _) where format != .archive: .array(reference.json)
    case .tensor(let reference, let type, let shape):
      .object([
        "class_name": "__keras_tensor__",
        "config": .object([
          "shape": .array(shape.map { $0.map(JSONValue.integer) ?? .null }),
          "dtype": .string(type.rawValue), "keras_history": .array(reference.json),
        ]),
      ])
    }
  }
}

extension KerasTensorReference {
  /// The parts of a reference, which are the same in Keras 2 and Keras 3.
  fileprivate var json: [JSONValue] { [.string(layer), .integer(call), .integer(tensor)] }
}
