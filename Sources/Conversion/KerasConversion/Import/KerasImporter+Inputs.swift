import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension KerasImporter.CallKey {
  /// The implied input of a Sequential without an InputLayer.
  static let impliedInput = Self(layer: -1, call: 0)
}

extension KerasImporter {
  /// Returns the values at a model's inputs before its first layer.
  ///
  /// - Parameters:
  ///   - path: The prefix of the layers' names.
  ///   - inputs: The inputs of a nested model; `nil` for the whole model.
  ///   - call: The index of the nested model's call.
  mutating func bindInputs(
    _ model: KerasModelRecord, path: String, _ inputs: [ValueID]?, call: Int
  ) throws(WeighbridgeError) -> [CallKey: [ValueID]] {
    let isImplied = model.isSequential && model.inputs.isEmpty
    guard let inputs else {
      return isImplied ? [.impliedInput: [try addImpliedInput(model)]] : try addInputs(model)
    }
    let count = isImplied ? 1 : model.inputs.count
    guard inputs.count == count else {
      throw .malformed("takes \(count.counted("input")) and is given \(inputs.count)")
    }
    if isImplied { return [.impliedInput: inputs] }
    var values: [CallKey: [ValueID]] = [:]
    for (reference, value) in zip(model.inputs, inputs) {
      let layer = model.layerIndices[reference.layer] ?? -1
      let record = model.layers[layer]
      values[CallKey(layer: layer, call: reference.call)] = [
        try locating({ $0.at(layer: Self.label(record, path)) }) { () throws(WeighbridgeError) in
          try cast(value, for: record, path: path, call: call)
        }
      ]
    }
    return values
  }

  /// Adds the inputs of the whole model, in the model's order.
  private mutating func addInputs(
    _ model: KerasModelRecord
  ) throws(WeighbridgeError) -> [CallKey: [ValueID]] {
    var values: [CallKey: [ValueID]] = [:]
    for reference in model.inputs {
      let index = model.layerIndices[reference.layer] ?? -1
      let key = CallKey(layer: index, call: reference.call)
      guard model.layers.indices.contains(index), values[key] == nil else { continue }
      let record = model.layers[index]
      guard record.className == "InputLayer" else { continue }
      values[key] = [
        try locating({ $0.at(layer: Self.label(record, "")) }) {
          () throws(WeighbridgeError) in try addInput(form(of: record).record)
        }
      ]
    }
    return values
  }

  /// The value at an input of a nested model, cast to the input's number type as in Keras.
  private mutating func cast(
    _ value: ValueID, for record: KerasLayerRecord, path: String, call: Int
  ) throws(WeighbridgeError) -> ValueID {
    let type = try Self.elementType(form(of: record).record.config["dtype"])
    guard network.graph.type(of: value).elementType != type else { return value }
    let name = path + record.name
    let source = SourceScope(layer: name, className: record.className, call: call)
    let cast = Cast(to: type).stating(writer.integerRules, for: [network.graph.type(of: value)])
    let output = try network.graph.addNode(cast, inputs: [value], source: source)[0]
    network.masks[output] = network.masks[value]
    return output
  }

  /// The shape with the batch axis, under the name in the version that wrote it: `batch_shape` is
  /// that of Keras 3.
  private static func inputShape(_ settings: JSONObject) -> JSONValue? {
    settings["batch_input_shape"] ?? settings["batch_shape"]
  }

  static func inputShape(
    _ layer: KerasLayerRecord
  ) throws(WeighbridgeError) -> JSONValue? {
    inputShape(try innermostFirst(layer).config)
  }

  /// The number type of the input implied by a first layer: that of an input, or of the weights.
  static func firstType(_ layer: KerasLayerRecord) throws(WeighbridgeError) -> ElementType {
    let first = try innermostFirst(layer)
    if first.className == "InputLayer" { return try elementType(first.config["dtype"]) }
    return try KerasTypePolicy.separate(first.config).policy?.variable ?? .float32
  }

  /// The layer itself, or where it is a model the first layer inside.
  private static func innermostFirst(
    _ layer: KerasLayerRecord
  ) throws(WeighbridgeError) -> KerasLayerRecord {
    var layer = layer
    while layer.isModel {
      let model = try KerasModelRecord(nestedIn: layer)
      let first = model.inputs.first.flatMap { model.layerIndices[$0.layer] } ?? 0
      layer = model.layers[first]
    }
    return layer
  }

  /// The number type of an input.
  private static func elementType(_ dtype: JSONValue?) throws(WeighbridgeError) -> ElementType {
    guard let name = try KerasTypePolicy.name(in: dtype ?? .null) else { return .float32 }
    if let type = ElementType(rawValue: name) { return type }
    if name == "string" { throw .unsupported("strings as input are not supported") }
    return try KerasTypePolicy(named: name)?.variable ?? .float32
  }

  /// Adds an input of the whole model.
  mutating func addInput(_ record: KerasLayerRecord) throws(WeighbridgeError) -> ValueID {
    let known = [
      "batch_input_shape", "batch_shape", "dtype", "name", "sparse", "ragged", "trainable",
      "optional",
    ]
    for key in record.config.keys where !known.contains(key) {
      throw .unsupported("has the unknown setting \(key)")
    }
    for key in ["sparse", "ragged", "optional"] where record.config[key]?.bool == true {
      throw .unsupported("\(key) inputs are not supported")
    }
    let type = try Self.type(
      shape: Self.inputShape(record.config) ?? .null, try Self.elementType(record.config["dtype"]),
      name: record.name)
    return try narrowed(try addInput(record.name, type), of: record)
  }

  /// The value of an input as JAX has it: in 32 bits.
  private mutating func narrowed(
    _ value: ValueID, of record: KerasLayerRecord
  ) throws(WeighbridgeError) -> ValueID {
    let type = network.graph.type(of: value)
    guard writer.isJAX, let name = KerasModelRecord.narrowTypes[type.elementType.rawValue],
      let narrow = ElementType(rawValue: name)
    else { return value }
    let source = SourceScope(layer: record.name, className: record.className, call: 0)
      .withRole("narrowed")
    let cast = Cast(to: narrow).stating(writer.integerRules, for: [type])
    return try network.graph.addNode(cast, inputs: [value], source: source)[0]
  }

  /// An input's type. A batch axis of unknown size is symbolic; other axes of unknown size are
  /// named after the input.
  static func type(
    shape: JSONValue, _ elementType: ElementType, name: String
  ) throws(WeighbridgeError) -> TensorType {
    guard let sizes = shape.array, !sizes.isEmpty else {
      throw .malformed("has neither batch_input_shape nor batch_shape")
    }
    var dimensions: [Dimension] = []
    for (axis, size) in sizes.enumerated() {
      if size == .null {
        dimensions.append(.symbolic(axis == 0 ? "batch" : "\(name).axis\(axis)"))
      } else if let value = size.integer, value > 0 {
        dimensions.append(.fixed(value))
      } else {
        throw .malformed(
          "the input's shape has the size \(size.text()), expected a "
            + "number of elements or null")
      }
    }
    return TensorType(elementType, dimensions)
  }

  /// The outputs' ports, named after the layers that produce them.
  func ports(_ model: KerasModelRecord, _ outputs: [ValueID]) -> [Port] {
    var taken: Set<String> = []
    return zip(model.outputs, outputs).map { reference, value in
      var name = reference.call == 0 ? reference.layer : "\(reference.layer):\(reference.call)"
      if reference.tensor > 0 { name += ".\(reference.tensor)" }
      var number = 2
      while !taken.insert(name).inserted {
        name = "\(reference.layer)_\(number)"
        number += 1
      }
      return Port(name: name, value: value)
    }
  }
}
