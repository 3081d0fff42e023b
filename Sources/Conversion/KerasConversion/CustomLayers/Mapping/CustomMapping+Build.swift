package import Bytes
package import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension CustomMapping {
  /// Adds the nodes that replace a layer.
  ///
  /// - Parameters:
  ///   - place: The entry's location in the file, for messages.
  ///   - kept: Adds the layer as it is, with the given output shapes, if any.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` where the mapping does not fit the layer; also
  ///   for a setting of the layer that it neither uses nor ignores.
  package func build(
    _ layer: inout KerasLayer, _ inputs: [ValueID], place: String,
    kept: (inout KerasLayer, [[Int?]]?) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard case .steps(let steps, let outputs) = form else {
      guard case .kept(let shapes) = form else { return [] }
      return try kept(&layer, shapes)
    }
    layer.decideOnce("\(place) says that it is \(summary)")
    let settings = layer.takeSettings()
    var run = MappingRun(
      inputs: inputs, isOnly: steps.count == 1, references: SettingReferences(settings))
    for step in steps { try run.add(step, to: &layer) }
    try checkSettings(settings, used: run.references.used, layer, place)
    var values = run.results.last ?? []
    if let outputs {
      values = try outputs.map { (output) throws(WeighbridgeError) in
        try run.value(output, for: &layer)
      }
    }
    for value in values where !inputs.contains(value) {
      layer.setMask(keepsMask ? inputs.first.flatMap { layer.mask(of: $0) } : nil, of: value)
    }
    return values
  }

  private func checkSettings(
    _ settings: JSONObject, used: Set<String>, _ layer: KerasLayer, _ place: String
  ) throws(WeighbridgeError) {
    let isLambda = layer.source.className == "Lambda"
    for key in settings.keys where !used.contains(key) {
      let value = settings[key] ?? .null
      let isKnown =
        value == .null || KerasLayer.hasNoEffectAtInference(key)
        || (isLambda && Self.isImpliedByLambda(key, value))
        || ignored.contains { $0.matches(key) }
      guard isKnown else {
        throw .mismatch(
          "\(place) does not use the setting \(key)=\(value.text()): refer to it as "
            + "\"$settings.\(key)\", or name it under \"ignore\"")
      }
    }
  }

  /// Whether a mapping of a `Lambda` makes one of its settings irrelevant. The function's arguments
  /// stay relevant.
  private static func isImpliedByLambda(_ key: String, _ value: JSONValue) -> Bool {
    let keys = [
      "function", "function_type", "module", "output_shape", "output_shape_type",
      "output_shape_module",
    ]
    let isEmpty = value == .null || value == .object([:])
    return keys.contains(key) || (["arguments", "mask"].contains(key) && isEmpty)
  }
}

/// The steps of a mapping that are being converted to nodes.
private struct MappingRun {
  let inputs: [ValueID]
  /// Whether there is only one step, whose nodes then have the layer's name.
  let isOnly: Bool
  var references: SettingReferences
  /// The outputs of each step so far.
  var results: [[ValueID]] = []
  private var constantCount = 0

  init(inputs: [ValueID], isOnly: Bool, references: SettingReferences) {
    self.inputs = inputs
    self.isOnly = isOnly
    self.references = references
  }

  mutating func add(_ step: CustomStep, to layer: inout KerasLayer) throws(WeighbridgeError) {
    do throws(WeighbridgeError) {
      results.append(try outputs(of: step, &layer))
    } catch {
      var located = WeighbridgeError(error.code, "\(step.place): \(error.reason)")
      if let position = error.place.position { located = located.at(position) }
      throw located
    }
  }

  private mutating func outputs(
    of step: CustomStep, _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> [ValueID] {
    try layer.addStep(isOnly ? "" : step.name, settings: [:]) { (layer) throws(WeighbridgeError) in
      var stepInputs = results.last ?? inputs
      if let sources = step.inputs {
        stepInputs = []
        for source in sources {
          stepInputs.append(try value(source, for: &layer, like: stepInputs.first))
        }
      }
      try layer.moveToFront(step.weights ?? [], called: \.text) { $0.matches($1, $2) }
      switch step.form {
      case .layer(let className, let build, let config):
        let settings = try references.resolve(config)
        return try Self.add(className, build, settings, stepInputs, step, to: &layer)
      case .function(let name, let operands, let config):
        return try add(name, operands, try references.resolve(config), stepInputs, to: &layer)
      case .wrapped(let reference):
        let (className, build, settings) = try wrapped(reference)
        return try Self.add(className, build, settings, stepInputs, step, to: &layer)
      case .operation(let type, let attributes):
        let settings = try references.resolve(attributes)
        let operation = try CustomStep.makeOperator(type, settings, place: step.place)
        return try Self.withWeights(of: step, "", [:], &layer) { (layer) throws(WeighbridgeError) in
          try Self.add(operation, stepInputs, to: &layer)
        }
      }
    }
  }

  /// Adds the nodes of a function.
  private mutating func add(
    _ name: KerasFunctionName, _ operands: [FunctionOperand]?, _ config: JSONObject,
    _ inputs: [ValueID], to layer: inout KerasLayer
  ) throws(WeighbridgeError) -> [ValueID] {
    var tensors = operands == nil ? inputs : []
    var positional = tensors.indices.map { KerasOperand.tensor($0) }
    for operand in operands ?? [] {
      positional.append(
        try operand.operand(&tensors) { (source) throws(WeighbridgeError) in
          try value(source, for: &layer)
        })
    }
    var named: [String: KerasOperand] = [:]
    for (key, setting) in config.members { named[key] = .value(setting) }
    var call = try KerasFunction(
      name, layer: layer, inputs: tensors,
      operands: KerasOperands(positional: positional, named: named), settings: [:])
    let outputs = try call.build()
    layer = call.layer
    return outputs
  }

  /// The class and the settings of a layer that is among the layer's settings.
  private mutating func wrapped(
    _ reference: String
  ) throws(WeighbridgeError) -> (String, KerasMapping.Build, JSONObject) {
    let form = try references.resolve(.string(reference)).object
    guard let className = form?["class_name"]?.string, let settings = form?["config"]?.object else {
      throw .mismatch("\(reference) is not a layer with its class and settings")
    }
    let registered = form?["registered_name"]?.string ?? className
    guard registered == className, let build = CustomStep.build(of: className) else {
      throw .unsupported("\(reference) is a layer \(registered), which Weighbridge does not know")
    }
    return (className, build, settings)
  }

  private static func add(
    _ className: String, _ build: KerasMapping.Build, _ settings: JSONObject, _ inputs: [ValueID],
    _ step: CustomStep, to layer: inout KerasLayer
  ) throws(WeighbridgeError) -> [ValueID] {
    try withWeights(of: step, className, settings, &layer) { (layer) throws(WeighbridgeError) in
      let outputs = try layer.addInner(settings, inputs, role: "", build: build)
      try layer.passMasks(of: className, from: inputs, to: outputs)
      return outputs
    }
  }

  /// Adds the nodes of a step, which takes the weights of a sub-layer where it names one.
  private static func withWeights(
    of step: CustomStep, _ className: String, _ settings: JSONObject, _ layer: inout KerasLayer,
    _ body: (inout KerasLayer) throws(WeighbridgeError) -> [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard let sublayer = step.sublayer else { return try body(&layer) }
    let record = KerasLayerRecord(name: step.name, className: className, config: settings)
    return try layer.withWeights(
      ofInner: sublayer.text, where: sublayer.matches,
      order: { record.order(ofVariables: $0, KerasMappings.parts) }, body)
  }

  private static func add(
    _ operation: some CatalogOperator, _ inputs: [ValueID], to layer: inout KerasLayer
  ) throws(WeighbridgeError) -> [ValueID] {
    var values = inputs
    for case .weight(let role) in operation.inputs.dropFirst(inputs.count) {
      values.append(try layer.nextWeight(role))
    }
    return try layer.add(operation, values)
  }

  /// - Parameter first: The step's first input, whose rank a weight gets.
  mutating func value(
    _ source: TensorSource, for layer: inout KerasLayer, like first: ValueID? = nil
  ) throws(WeighbridgeError) -> ValueID {
    switch source {
    case .input(let number):
      guard number != nil || inputs.count == 1 else {
        throw .mismatch(
          "reads \"input\" of a layer with \(inputs.count.counted("input")); \"input[0]\" is the first"
        )
      }
      return try element(number ?? 0, of: inputs, "the layer has", "input")
    case .step(let step, let output):
      return try element(output, of: results[step], "the step gives", "output")
    case .weight(let name):
      try layer.moveToFront([name], called: \.text) { $0.matches($1, $2) }
      let rank = first.map { layer.graph.type(of: $0).rank } ?? 0
      let role = layer.remainingWeights.first?.name ?? "weight"
      return try layer.nextWeight(role, rank: rank)
    case .constant(let shape, let elements, let type):
      let like = first.map { layer.graph.type(of: $0) }
      let rank = max(like?.rank ?? 0, shape.count)
      let axes = [Int](repeating: 1, count: type == nil ? rank - shape.count : 0) + shape
      constantCount += 1
      return try layer.constant(
        "constant_\(constantCount)",
        Tensor(type ?? like?.elementType ?? .float32, shape: axes, elements))
    }
  }

  private func element(
    _ number: Int, of values: [ValueID], _ subject: String, _ noun: String
  ) throws(WeighbridgeError) -> ValueID {
    guard values.indices.contains(number) else {
      throw .mismatch(
        "reads \(noun) number \(number), counted from 0, and \(subject) \(values.count.counted(noun))"
      )
    }
    return values[number]
  }
}
