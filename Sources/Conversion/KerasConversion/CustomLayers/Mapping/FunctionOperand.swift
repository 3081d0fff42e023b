import Bytes
import GraphIR
import JSON
import KerasFormat

/// An input of a step that is a function.
enum FunctionOperand: Sendable {
  case tensor(TensorSource)
  /// Numbers, which adopt the type of the other inputs unless they state one.
  case constant(JSONValue)
  /// A list with tensors in it.
  case list([FunctionOperand])

  /// - Parameter steps: The names of the steps that can be referred to.
  init(_ json: JSONValue, steps: [String], place: String) throws(WeighbridgeError) {
    if let list = json.array, Self.hasTensor(json) {
      self = .list(
        try list.map { (json) throws(WeighbridgeError) in
          try FunctionOperand(json, steps: steps, place: place)
        })
      return
    }
    // An empty list is a shape without axes.
    if json.bool != nil || json == .array([]) {
      self = .constant(json)
      return
    }
    switch try TensorSource(json, steps: steps, place: place) {
    case .constant(_, _, let type?):
      let form: JSONObject = [
        "value": json.object?["constant"] ?? .null, "dtype": .string(type.rawValue),
      ]
      self = .constant(.object(["class_name": "__numpy__", "config": .object(form)]))
    case .constant: self = .constant(json)
    case let source: self = .tensor(source)
    }
  }

  /// Whether a list names a tensor.
  private static func hasTensor(_ json: JSONValue) -> Bool {
    json.string != nil || json.object != nil || json.array?.contains(where: hasTensor) ?? false
  }

  /// The tensors in it.
  var sources: [TensorSource] {
    switch self {
    case .constant: []
    case .tensor(let source): [source]
    case .list(let parts): parts.flatMap(\.sources)
    }
  }

  /// The operand of a call.
  ///
  /// - Parameters:
  ///   - inputs: The call's tensors, to which those of the operand are added.
  ///   - resolve: Returns the value of a tensor.
  func operand(
    _ inputs: inout [ValueID], _ resolve: (TensorSource) throws(WeighbridgeError) -> ValueID
  ) throws(WeighbridgeError) -> KerasOperand {
    switch self {
    case .constant(let json): return .value(json)
    case .tensor(let source):
      inputs.append(try resolve(source))
      return .tensor(inputs.count - 1)
    case .list(let parts):
      var operands: [KerasOperand] = []
      for part in parts { operands.append(try part.operand(&inputs, resolve)) }
      return .list(operands)
    }
  }
}

/// A function of TensorFlow or Keras that a mapping names.
struct MappedFunction: Sendable {
  let name: KerasFunctionName

  /// - Parameter text: `tf.NAME`, `keras.backend.NAME` or `keras.ops.NAME`.
  /// - Returns: `nil` for a function that is not supported.
  init?(_ text: String) {
    if text.hasPrefix("tf.") {
      name = .tensorFlow(String(text.dropFirst(3)))
    } else if text.hasPrefix(KerasBackendFunctions.prefix) {
      name = .tensorFlow(text)
    } else if text.hasPrefix("keras.ops."),
      let operation = Self.operations[String(text.dropFirst("keras.ops.".count))]
    {
      name = .operation(operation)
    } else {
      return nil
    }
    guard KerasFunction.isKnown(name) else { return nil }
  }

  /// The classes of Keras 3's operations by the names of their functions: `expand_dims` is that of
  /// `ExpandDims`.
  static let operations: [String: String] = {
    var result: [String: String] = ["image.rgb_to_grayscale": "RGBToGrayscale"]
    for entry in KerasFunctionTable.entries {
      for name in entry.operations where name != "RGBToGrayscale" {
        var function = ""
        for character in name {
          if character.isUppercase, !function.isEmpty { function += "_" }
          function += character.lowercased()
        }
        result[function] = name
        for module in ["image", "nn", "numpy", "linalg"] { result["\(module).\(function)"] = name }
      }
    }
    return result
  }()
}
