package import Bytes
import GraphIR
package import JSON
import KerasFormat
import LayerCatalog

/// The number types in which a layer computes and stores its weights: the setting `dtype`, which is
/// a type's name, a policy's name or a policy.
package struct KerasTypePolicy: Hashable, Sendable {
  /// The floating-point type to which inputs and weights are cast and results are rounded.
  package let compute: ElementType
  /// The floating-point type of the weights. The file's weights may have another type.
  package let variable: ElementType

  /// The policy of a name, such as `float64` or `mixed_float16`; `nil` for one that leaves the
  /// choice to the inputs, and for integer types. For a quantized policy such as
  /// `int8_from_float32` it is the source policy.
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

  /// The name of a type or a policy, in the forms that Keras has written: a string, or an object of
  /// the class `Policy` (Keras 2), `DTypePolicy` (Keras 3) or a similar one.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for another form.
  package static func name(in setting: JSONValue) throws(WeighbridgeError) -> String? {
    if setting == .null { return nil }
    if let name = setting.string { return name }
    let config = setting.object?["config"]?.object
    if let name = config?["name"]?.string { return name }
    // A quantized policy states how it was derived from another.
    guard let mode = config?["mode"]?.string, let source = config?["source_name"]?.string else {
      throw .unsupported("computes in \(setting.text()), which is not known")
    }
    return "\(mode)_from_\(source)"
  }

  /// The mode and the source policy in the name of a quantized policy such as `int8_from_float32`;
  /// `nil` for every other setting.
  package static func quantized(_ name: JSONValue?) -> (mode: String, source: String)? {
    // Searching for a substring costs more than everything else that is done with the setting.
    guard let name = name?.string, name.utf8.contains(UInt8(ascii: "_")) else { return nil }
    let parts = name.split(separator: "_from_", maxSplits: 1)
    guard parts.count == 2, !parts[1].contains("_from_") else { return nil }
    return (String(parts[0]), String(parts[1]))
  }

  /// Removes the policy from a layer's settings. The name of an integer type stays there, for
  /// layers that return integers, and so does a quantized policy.
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
    let isInteger = name.flatMap(ElementType.init(rawValue:))?.isFloat == false
    let isQuantized = quantized(name.map(JSONValue.string)) != nil
    settings["dtype"] = isInteger || isQuantized ? name.map(JSONValue.string) : nil
    return (settings, policy)
  }
}

/// Casts to the type in which a layer computes.
extension KerasLayer {
  /// Casts those inputs that Keras casts to the type in which the layer computes. Of a custom
  /// class, only floating-point inputs are cast.
  ///
  /// - Parameter innerClass: The class of the layer inside this one that is called; `nil` for this one.
  mutating func castInputs(
    _ inputs: [ValueID], ofInner innerClass: String? = nil
  ) throws(WeighbridgeError) -> [ValueID] {
    let policy = KerasMappings.classes[innerClass ?? source.className]?.casts ?? .floats
    let name = innerClass == nil ? "input_cast" : "inner_cast"
    let isKeras3 = version.major >= 3
    let castsIntegers = policy.includesIntegers(version)
    let castsFloats =
      policy != .none && (policy != .noneSinceKeras3 || !isKeras3) && writer.inputCasting != .never
    // To an integer type, Keras 2 casts only in the layers that cast integers, which do it themselves.
    if let type = integerType, isKeras3 || castsIntegers {
      return try inputs.enumerated().map { (index, input) throws(WeighbridgeError) in
        let isCast = graph.type(of: input).elementType.isFloat ? castsFloats : castsIntegers
        return isCast ? try cast(input, to: type, role: "\(name)_\(index)") : input
      }
    }
    guard let type = types?.compute, castsFloats else { return inputs }
    try checkCasts(of: inputs, to: type)
    var result: [ValueID] = []
    for (index, input) in inputs.enumerated() {
      let inputType = graph.type(of: input).elementType
      let role = inputs.count == 1 ? name : "\(name)_\(index)"
      let isWide = policy == .integersToFloat32 && isKeras3 && !inputType.isFloat
      let isCast = inputType != type && (inputType.isFloat || castsIntegers)
      result.append(isCast ? try cast(input, to: isWide ? .float32 : type, role: role) : input)
    }
    return result
  }

  /// The integer type that the settings state, which layers without weights may have.
  var integerType: ElementType? {
    guard let type = unreadSettings["dtype"]?.string.flatMap(ElementType.init(rawValue:)),
      type.isInteger
    else { return nil }
    return type
  }

  /// A number of a layer's settings in the type in which the layer computes.
  func constant(_ number: Double) -> Double {
    Self.constant(number, in: types?.compute ?? .float32)
  }

  /// A number that takes part in a computation of a given type. TensorFlow converts it to float32
  /// first.
  static func constant(_ number: Double, in type: ElementType) -> Double {
    guard type.isFloat, type != .float32 else { return number }
    return type.nearest(to: Double(Float(number)))
  }

  /// Adds an operator whose result Keras rounds to the type of the layer's input before it is cast to
  /// the type in which the layer computes.
  ///
  /// - Parameters:
  ///   - inputs: The layer's input, not cast yet.
  ///   - roundsFloats: Whether floating-point inputs have that effect, too.
  ///   - keepsWide: Whether Keras computes in the input's type, and in float32 at least, and casts the
  ///     result only.
  mutating func addRounded(
    _ operation: some CatalogOperator, _ inputs: [ValueID], _ weights: [ValueID],
    roundsIntegers: Bool, roundsFloats: Bool, keepsWide: Bool
  ) throws(WeighbridgeError) -> [ValueID] {
    let input = try onlyInput(inputs)
    let original = graph.type(of: input).elementType
    guard let type = types?.compute, original != type else {
      return try add(operation, inputs + weights)
    }
    if roundsIntegers { try requireSigned(original) }
    let least: ElementType = original == .float64 ? .float64 : .float32
    let computed = keepsWide && type.byteCount < least.byteCount ? least : type
    let value = try cast(input, to: computed, role: "input_cast")
    let isNarrower = !original.isFloat || original.byteCount <= type.byteCount
    let isRounded = original.isFloat ? roundsFloats && isNarrower : roundsIntegers
    guard isRounded || computed != type else { return try add(operation, [value] + weights) }
    var result = try add(operation, [value] + weights, role: "normalized")
    if isRounded { result = try add(Cast(to: original), result, role: "rounded") }
    return try add(Cast(to: type), result)
  }

  /// Refuses unsigned integers, to which a result with negative numbers cannot be converted.
  func requireSigned(_ type: ElementType) throws(WeighbridgeError) {
    guard type.isInteger, !type.isSignedInteger else { return }
    throw .unsupported(
      "takes \(type.rawValue), to which Keras converts the result; what that makes of negative "
        + "numbers depends on the processor (cast the input to a floating-point type)")
  }

  /// Refuses inputs of another type where the version does not tell whether they are cast. A layer
  /// with weights does cast them: TensorFlow 1 cannot build it otherwise.
  private func checkCasts(
    of inputs: [ValueID], to type: ElementType
  ) throws(WeighbridgeError) {
    guard writer.inputCasting == .notStated, unreadWeights.isEmpty, placeholderLimit == nil else {
      return
    }
    let other = inputs.map { graph.type(of: $0).elementType }.first { $0.isFloat && $0 != type }
    guard let other else { return }
    throw .unsupported(
      "takes \(other.rawValue) and has dtype=\(type.rawValue): the layers of TensorFlow 1 leave their "
        + "inputs as they are, and those of 2.0 and 2.1 cast them, but keras_version \(version) is that "
        + "of both")
  }

  /// Casts a value to another number type, and keeps its mask.
  ///
  /// - Parameter role: The cast's role in its layer.
  mutating func cast(
    _ value: ValueID, to type: ElementType, role: String
  ) throws(WeighbridgeError) -> ValueID {
    guard graph.type(of: value).elementType != type else { return value }
    let outputs = try add(Cast(to: type), [value], role: role)
    keepMask(from: value, to: outputs)
    return outputs[0]
  }

  /// Refuses a weight of a type in which Keras does not store it.
  ///
  /// - Parameter expected: The required type; `nil` for any floating-point type.
  func checkType(
    of weight: Weight, _ role: String, _ expected: ElementType?
  ) throws(WeighbridgeError) {
    let type = weight.tensor.elementType
    if let expected {
      guard type == expected else {
        throw .malformed(
          "the weight \(role) is \(type.rawValue), and \(expected.rawValue) is expected"
        ).at(.path(weight.path))
      }
      return
    }
    guard type.isFloat else {
      throw .unsupported(
        "the weight \(role) is \(type.rawValue), and must be floating-point"
      ).at(.path(weight.path))
    }
    // In HDF5 such elements are two opaque bytes; only the layer's type identifies them.
    guard type != .bfloat16 || types?.compute == .bfloat16 else {
      throw .unsupported("the weight \(role) is bfloat16, in which the layer does not compute")
        .at(.path(weight.path))
    }
  }
}
