import Bytes
import JSON

extension KerasWrittenModel {
  /// The model in the form of `config.json` in an archive, or of `model_config` in an `.h5` file.
  func json(_ form: KerasForm) -> JSONValue {
    let list = { (references: [KerasTensorReference]) -> JSONValue in
      let all = references.map { JSONValue.array($0.json) }
      return form == .archive && all.count == 1 ? all[0] : .array(all)
    }
    let config: JSONObject = [
      "name": .string(name), "trainable": true,
      "layers": .array(layers.map { $0.json(form) }),
      "input_layers": list(inputs), "output_layers": list(outputs),
    ]
    guard form == .archive else {
      return .object(["class_name": "Functional", "config": .object(config)])
    }
    return .object([
      "module": "keras.src.models.functional", "class_name": "Functional",
      "config": .object(config), "registered_name": "Functional",
    ])
  }
}

extension KerasWrittenLayer {
  fileprivate func json(_ form: KerasForm) -> JSONValue {
    var config: JSONObject = ["name": .string(name)]
    for key in self.config.keys { config[key] = self.config[key] }
    var object = JSONObject()
    if form == .archive { object["module"] = .string(module) }
    object["class_name"] = .string(className)
    object["config"] = .object(config)
    if form == .archive {
      object["registered_name"] = module == "keras.layers" ? .null : .string(className)
    }
    object["name"] = .string(name)
    object["inbound_nodes"] = .array(
      calls.map { form == .archive ? $0.json : $0.olderJSON(ofFunction: isFunction) })
    return .object(object)
  }

  /// Whether it is a TensorFlow function, in the form of Keras 2.
  private var isFunction: Bool { ["TFOpLambda", "SlicingOpLambda"].contains(className) }
}

extension KerasWrittenCall {
  /// The call in the form of Keras 3.
  fileprivate var json: JSONValue {
    var named = JSONObject()
    for (name, value) in keywords { named[name] = value.json(.archive) }
    return .object(["args": .array(arguments.map { $0.json(.archive) }), "kwargs": .object(named)])
  }

  /// The call in the form of Keras 2: for each tensor of the first argument its origin, together
  /// with the named arguments. For a function, a single tensor is not in a list.
  fileprivate func olderJSON(ofFunction isFunction: Bool) -> JSONValue {
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
  /// The argument in the form of Keras 3, or a named one in that of Keras 2.
  fileprivate func json(_ form: KerasForm) -> JSONValue {
    switch self {
    case .value(let value): value
    case .list(let elements): .array(elements.map { $0.json(form) })
    case .tensor(let reference, _, _) where form == .hdf5: .array(reference.json)
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
  /// The parts of a reference, which are the same in all generations.
  fileprivate var json: [JSONValue] { [.string(layer), .integer(call), .integer(tensor)] }
}
