import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// One step of a mapping: a layer of Keras, an operator of the catalog, or a function.
struct CustomStep: Sendable {
  enum Form: Sendable {
    /// A layer of Keras with its settings.
    case layer(className: String, KerasMapping.Build, JSONObject)
    /// An operator with all its attributes, as `Schemas/operators.md` lists them.
    case operation(any CatalogOperator.Type, JSONObject)
    /// The layer at a path in the settings, such as the one that a wrapper wraps.
    case wrapped(String)
    /// A function with its tensors, `nil` for the outputs of the previous step, and its settings.
    case function(KerasFunctionName, [FunctionOperand]?, JSONObject)
  }

  /// Its name, by which later steps refer to it; also its nodes' role when there are several steps.
  let name: String
  let form: Form
  /// Its inputs; `nil` for the outputs of the previous step, or the inputs of the layer.
  let inputs: [TensorSource]?
  /// The layer's weights that it takes, in the step's order; `nil` for the next ones.
  let weights: [WeightName]?
  /// The sub-layer all of whose weights it takes; `nil` for none.
  let sublayer: NamePattern?
  /// The location in the file.
  let place: String

  /// Reads a step; unknown members are errors.
  ///
  /// - Parameter earlier: The names of the steps before it.
  init(
    _ members: inout MappingMembers, number: Int, earlier: [String]
  ) throws(WeighbridgeError) {
    place = members.place
    name = try members.string("name") ?? "step\(number)"
    guard !name.isEmpty, name != "input", !name.contains("/"), !name.hasPrefix("$"),
      !name.contains("["), !earlier.contains(name)
    else { throw members.failure("\"\(name)\" is no name for a step, or is taken", "name") }
    if let function = try Self.function(&members, earlier: earlier) {
      form = function
    } else {
      form = try Self.form(&members)
    }
    let place = "\(members.place).inputs"
    inputs = try members.list("inputs")?.map { (json) throws(WeighbridgeError) in
      try TensorSource(json, steps: earlier, place: place)
    }
    let failure = members.failure("is not a list of names and numbers", "weights")
    weights = try members.list("weights")?.map { (json) throws(WeighbridgeError) in
      if let number = json.integer, number >= 0 { return .number(number) }
      guard let name = json.string else { throw failure }
      return .name(NamePattern(name))
    }
    sublayer = try members.string("sublayer").map(NamePattern.init)
    if sublayer != nil, weights != nil {
      throw members.failure("has both a \"sublayer\" and \"weights\"")
    }
    if case .function = form, sublayer != nil || weights != nil {
      throw members.failure(
        "has a function, which takes weights only among its inputs, as \"$weights.NAME\"")
    }
    try members.finish()
  }

  /// The form of a step with a function; `nil` for another step.
  private static func function(
    _ members: inout MappingMembers, earlier: [String]
  ) throws(WeighbridgeError) -> Form? {
    guard let text = try members.string("function") else { return nil }
    for key in ["class_name", "kind", "layer"] where members.has(key) {
      throw members.failure("has both a \"function\" and a \"\(key)\"")
    }
    guard let function = MappedFunction(text) else {
      throw members.failure(
        "is \"\(text)\", which is not a function that Weighbridge knows; names are such as "
          + "tf.math.reduce_sum, keras.backend.sum and keras.ops.sum", "function")
    }
    let place = "\(members.place).inputs"
    let operands = try members.list("inputs")?.map { (json) throws(WeighbridgeError) in
      try FunctionOperand(json, steps: earlier, place: place)
    }
    return .function(function.name, operands, try members.object("config") ?? [:])
  }

  private static func form(_ members: inout MappingMembers) throws(WeighbridgeError) -> Form {
    if let reference = try members.string("layer") {
      guard reference.hasPrefix("$settings."), !members.has("class_name"), !members.has("kind")
      else {
        throw members.failure(
          "is a place in the settings, such as \"$settings.layer\", in place of a class_name or kind",
          "layer")
      }
      return .wrapped(reference)
    }
    guard members.has("class_name") != members.has("kind") else {
      throw members.failure(
        members.has("kind")
          ? "has both a \"class_name\" (a layer of Keras) and a \"kind\" (an operator)"
          : "has neither a \"class_name\" (a layer of Keras) nor a \"kind\" (an operator), nor a "
            + "\"function\"")
    }
    if let className = try members.string("class_name") {
      guard let build = build(of: className) else {
        throw members.failure(
          "is \"\(className)\", which is not a layer that Weighbridge knows; a mapping cannot lead "
            + "to another one", "class_name")
      }
      return .layer(className: className, build, try members.object("config") ?? [:])
    }
    let kind = try members.string("kind") ?? ""
    guard let type = Catalog.standard[kind] else {
      throw members.failure(
        "is \"\(kind)\", which is no operator; Schemas/operators.md lists them", "kind")
    }
    let attributes = try members.object("attributes") ?? [:]
    if !SettingReferences.occur(in: .object(attributes)) {
      _ = try makeOperator(type, attributes, place: members.place)
    }
    return .operation(type, attributes)
  }

  /// The builder of a layer that a mapping can name.
  static func build(of className: String) -> KerasMapping.Build? {
    KerasMappings.layers[className] ?? WellKnownLayers.layers[className]
      ?? WellKnownLayers.mappingOnlyLayers[className]
  }

  /// Creates an operator from attributes that a person wrote.
  static func makeOperator(
    _ type: any CatalogOperator.Type, _ attributes: JSONObject, place: String
  ) throws(WeighbridgeError) -> any CatalogOperator {
    var stored = Attributes()
    for key in attributes.keys {
      guard let value = attributes[key].flatMap(AttributeValue.init) else {
        throw .mismatch("\(place).attributes.\(key) is not a number, a string, a boolean or a list")
      }
      stored.append(key, value)
    }
    do throws(WeighbridgeError) {
      var reader = try AttributeReader(stored, of: type.kind, acceptsIntegersAsReals: true)
      let operation = try type.init(reading: &reader)
      try reader.finish()
      return operation
    } catch { throw .mismatch("\(place): \(error.reason)") }
  }

  /// The tensors that it reads; `nil` for the outputs of the previous step.
  var sources: [TensorSource]? {
    guard case .function(_, let operands, _) = form else { return inputs }
    return operands?.flatMap(\.sources)
  }

  /// A short description of the step.
  var summary: String {
    let (name, settings): (String, JSONObject)
    switch form {
    case .layer(let className, _, let config): (name, settings) = (className, config)
    case .operation(let type, let attributes): (name, settings) = (type.kind, attributes)
    case .wrapped(let reference): (name, settings) = (reference, [:])
    case .function(let function, _, let config): (name, settings) = (function.text, config)
    }
    return ([name] + settings.keys.map { "\($0)=\(settings[$0]?.text() ?? "")" })
      .joined(separator: " ")
  }
}
