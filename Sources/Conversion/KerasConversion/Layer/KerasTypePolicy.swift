package import Bytes
import GraphIR
package import JSON
import KerasFormat
import LayerCatalog

/// In which number types a layer computes and keeps its weights: the setting `dtype`, which is a
/// type's name, a policy's name or a policy.
package struct KerasTypePolicy: Hashable, Sendable {
  /// What inputs and weights are turned into, and results are rounded to; floating-point.
  package let compute: ElementType
  /// What the weights are made in; floating-point. The file's weights may be of another type.
  package let variable: ElementType

  /// The policy of a name, such as `float64` or `mixed_float16`; `nil` for one that leaves the
  /// choice to the inputs, and for types of whole numbers. Of a quantized one such as
  /// `int8_from_float32` it is the other one.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported``.
  package init?(named written: String) throws(WeighbridgeError) {
    let name = Self.quantized(.string(written))?.source ?? written
    if let type = ElementType(rawValue: name) {
      guard type.isFloat else { return nil }
      (compute, variable) = (type, type)
      return
    }
    switch name {
    case "mixed_float16": (compute, variable) = (.float16, .float32)
    case "mixed_bfloat16": (compute, variable) = (.bfloat16, .float32)
    case "infer", "_infer": return nil
    default:
      throw .unsupported("computes in \(name), which is no known number type")
    }
  }

  /// The name of a type or a policy, in the forms that Keras has written: a text, or an object of
  /// the class `Policy` (Keras 2), `DTypePolicy` (Keras 3) or one of their kind.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for another form.
  package static func name(in setting: JSONValue) throws(WeighbridgeError) -> String? {
    if setting == .null { return nil }
    if let name = setting.string { return name }
    let config = setting.object?["config"]?.object
    if let name = config?["name"]?.string { return name }
    // A quantized policy says how it was made of another.
    guard let mode = config?["mode"]?.string, let source = config?["source_name"]?.string else {
      throw .unsupported("computes in \(setting.text()), which is not known")
    }
    return "\(mode)_from_\(source)"
  }

  /// The mode and the other policy in the name of a quantized policy such as `int8_from_float32`;
  /// `nil` for every other setting.
  package static func quantized(_ name: JSONValue?) -> (mode: String, source: String)? {
    // The search for a string in a string costs more than all else that is done with the setting.
    guard let name = name?.string, name.utf8.contains(UInt8(ascii: "_")) else { return nil }
    let parts = name.split(separator: "_from_", maxSplits: 1)
    guard parts.count == 2, !parts[1].contains("_from_") else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  /// Takes the policy out of a layer's settings. A type of whole numbers stays there by its name,
  /// for the layers that make such numbers, and so does a quantized policy.
  ///
  /// - Returns: The other settings, and the policy where there is one.
  /// - Throws: ``WeighbridgeError/Code/unsupported``.
  package static func separate(
    _ settings: JSONObject
  ) throws(WeighbridgeError) -> (settings: JSONObject, policy: KerasTypePolicy?) {
    var settings = settings
    let name = try name(in: settings["dtype"] ?? .null)
    let policy = try name.flatMap { (name) throws(WeighbridgeError) in
      try KerasTypePolicy(named: name)
    }
    let isWhole = name.flatMap(ElementType.init(rawValue:))?.isFloat == false
    let isQuantized = quantized(name.map(JSONValue.string)) != nil
    settings["dtype"] = isWhole || isQuantized ? name.map(JSONValue.string) : nil
    return (settings, policy)
  }
}

/// The number types of a layer: what its policy says is cast to the type it computes in.
extension KerasLayer {
  /// The inputs in the type that the layer computes in, as far as Keras casts them. Of a class that is
  /// not Keras' own it casts floating-point inputs only.
  mutating func castInputs(_ inputs: [ValueID]) throws(WeighbridgeError) -> [ValueID] {
    let policy = KerasMappings.classes[source.className]?.casts ?? .floats
    guard let type = types?.compute, policy != .none else { return inputs }
    let castsWholeNumbers =
      policy == .all || (policy == .allBeforeKeras3 && version.major < 3)
    var result: [ValueID] = []
    for (index, input) in inputs.enumerated() {
      let given = graph.type(of: input).elementType
      let role = inputs.count == 1 ? "input_cast" : "input_cast_\(index)"
      let isCast = given != type && (given.isFloat || castsWholeNumbers)
      result.append(isCast ? try cast(input, to: type, role: role) : input)
    }
    return result
  }

  /// A value in another number type, with its mask.
  ///
  /// - Parameter role: What the cast is for its layer.
  mutating func cast(
    _ value: ValueID, to type: ElementType, role: String
  ) throws(WeighbridgeError) -> ValueID {
    guard graph.type(of: value).elementType != type else { return value }
    let outputs = try add(Cast(to: type), [value], role: role)
    keepMask(from: value, to: outputs)
    return outputs[0]
  }

  /// Refuses weights of types in which no such layer of Keras keeps them.
  ///
  /// - Parameter wanted: The type it must have; `nil` for any of floating-point numbers.
  func checkType(
    of weight: Weight, _ role: String, _ wanted: ElementType?
  ) throws(WeighbridgeError) {
    let type = weight.tensor.elementType
    if let wanted {
      guard type == wanted else {
        throw .malformed(
          "the weight \(role) is \(type.rawValue), and \(wanted.rawValue) is expected"
        ).at(.path(weight.path))
      }
      return
    }
    guard type.isFloat else {
      throw .unsupported(
        "the weight \(role) is \(type.rawValue), and must be floating-point"
      ).at(.path(weight.path))
    }
    // In HDF5 such numbers are two bytes without a meaning; only the layer says what they are.
    guard type != .bfloat16 || types?.compute == .bfloat16 else {
      throw .unsupported("the weight \(role) is bfloat16, in which the layer does not compute")
        .at(.path(weight.path))
    }
  }
}
