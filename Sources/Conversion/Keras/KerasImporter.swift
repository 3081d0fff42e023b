package import Bytes
package import GraphIR
import JSON
package import KerasFormat
package import LayerCatalog

/// Turns a Keras model into a graph that mirrors it.
///
/// Every layer, every setting and every weight is used exactly once, or the import fails and names
/// what was left.
package struct KerasImporter: ~Copyable {
  /// What the import gives.
  package struct Result: Sendable {
    /// The model's computation.
    package let graph: Graph
    /// How things were understood that the file leaves open.
    package let decisions: [Provenance.Decision]
  }

  private let model: KerasModelRecord
  private let version: KerasVersion
  private var weights: [String: [KerasLayer.Weight]]
  private var graph = GraphBuilder()
  private var outputs: [CallKey: [ValueID]] = [:]
  private var weightValues: [Int: [String: ValueID]] = [:]
  private var decisions: [Provenance.Decision] = []

  /// A call of a layer, by the layer's position and the call's.
  private struct CallKey: Hashable {
    let layer: Int
    let call: Int

    /// The input that a Sequential without an InputLayer has all the same.
    static let impliedInput = CallKey(layer: -1, call: 0)
  }

  /// Imports a model.
  ///
  /// - Parameters:
  ///   - model: The architecture.
  ///   - version: The version of Keras whose meaning applies.
  ///   - weights: The weights of each layer, by its name, in the order of the file.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for layers and settings that are not known,
  ///   all layers in one error; ``WeighbridgeError/Code/malformed`` where model and weights do not
  ///   fit.
  package static func importModel(
    _ model: KerasModelRecord, version: KerasVersion, weights: [String: [KerasLayer.Weight]]
  ) throws(WeighbridgeError) -> Result {
    var importer = KerasImporter(model: model, version: version, weights: weights)
    return try importer.run()
  }

  private init(
    model: KerasModelRecord, version: KerasVersion, weights: [String: [KerasLayer.Weight]]
  ) {
    self.model = model
    self.version = version
    self.weights = weights
  }

  private mutating func run() throws(WeighbridgeError) -> Result {
    try checkClasses()
    try checkWeightOwners()
    try addImpliedInput()
    for call in model.callOrder { try addCall(call) }
    let ports = try ports()
    return Result(
      graph: try consumeGraph().finish(outputs: ports), decisions: decisions)
  }

  private mutating func consumeGraph() -> GraphBuilder {
    let built = graph
    graph = GraphBuilder()
    return built
  }

  /// One error for all layers that cannot be had.
  private func checkClasses() throws(WeighbridgeError) {
    let unknown = model.layers.filter { layer in
      layer.className != "InputLayer" && Catalog.kerasLayers[layer.className] == nil
    }
    guard !unknown.isEmpty else { return }
    let list = unknown.map { layer in
      layer.isModel ? "\(layer.label), a model inside the model" : layer.label
    }
    let count = unknown.count == 1 ? "a layer" : "\(unknown.count) layers"
    throw WeighbridgeError(
      .unsupported,
      "\(count) of a class that is not supported: \(list.joined(separator: ", "))")
  }

  /// Weights under a name that no layer has would go unused.
  private func checkWeightOwners() throws(WeighbridgeError) {
    for name in weights.keys.sorted()
    where model.layerIndices[name] == nil && weights[name]?.isEmpty == false {
      throw WeighbridgeError(
        .malformed, "the file has weights of a layer \(name), which the architecture does not have")
    }
  }

  /// A Sequential without an InputLayer takes what its first layer says.
  private mutating func addImpliedInput() throws(WeighbridgeError) {
    guard model.isSequential, let first = model.layers.first, first.className != "InputLayer"
    else { return }
    guard let shape = first.config["batch_input_shape"] ?? model.buildInputShape else {
      throw WeighbridgeError(
        .unsupported, "the model was never given an input shape, so its weights have no meaning"
      ).at(layer: first.label)
    }
    try locating({ $0.at(layer: first.label) }) { () throws(WeighbridgeError) in
      let type = try inputType(first, shape: shape, name: "\(first.name)_input")
      let value = try graph.addInput("\(first.name)_input", type)
      outputs[.impliedInput] = [value]
    }
  }

  private mutating func addCall(_ call: KerasCallReference) throws(WeighbridgeError) {
    let record = model.layers[call.layer]
    try locating({ $0.at(layer: record.label) }) { () throws(WeighbridgeError) in
      if record.className == "InputLayer" {
        try addInput(record, call)
      } else {
        try addLayer(record, call)
      }
    }
  }

  private mutating func addInput(
    _ record: KerasLayerRecord, _ call: KerasCallReference
  ) throws(WeighbridgeError) {
    let known = ["batch_input_shape", "dtype", "name", "sparse", "ragged", "trainable", "optional"]
    for key in record.config.keys where !known.contains(key) {
      throw WeighbridgeError(.unsupported, "unknown setting \(key)")
    }
    for key in ["sparse", "ragged", "optional"] where record.config[key]?.bool == true {
      throw WeighbridgeError(.unsupported, "\(key) inputs cannot be had")
    }
    let shape = record.config["batch_input_shape"] ?? .null
    let type = try inputType(record, shape: shape, name: record.name)
    outputs[CallKey(layer: call.layer, call: call.call)] = [try graph.addInput(record.name, type)]
  }

  private mutating func addLayer(
    _ record: KerasLayerRecord, _ call: KerasCallReference
  ) throws(WeighbridgeError) {
    guard let build = Catalog.kerasLayers[record.className] else { return }  // see checkClasses
    let arguments = record.calls[call.call]
    try checkArguments(arguments)
    let isImplied = model.isSequential && call.layer == 0
    let inputs =
      isImplied
      ? outputs[.impliedInput] ?? []
      : try arguments.inputs.map { (reference) throws(WeighbridgeError) in try value(reference) }
    var layer = KerasLayer(
      source: SourceScope(layer: record.name, className: record.className, call: call.call),
      version: version, settings: try settings(record), weights: weights[record.name] ?? [],
      weightValues: weightValues[call.layer] ?? [:], graph: consumeGraph())
    outputs[CallKey(layer: call.layer, call: call.call)] = try build(&layer, inputs)
    try layer.finish()
    graph = layer.graph
    weightValues[call.layer] = layer.weightValues
    decisions += layer.decisions.map { Provenance.Decision(layer: record.name, text: $0) }
  }

  /// The settings, without the number type once it is known to be float32.
  private func settings(_ record: KerasLayerRecord) throws(WeighbridgeError) -> JSONObject {
    var settings = record.config
    let dtype = settings["dtype"] ?? .null
    let name = dtype.string ?? dtype.object?["config"]?.object?["name"]?.string
    guard dtype == .null || name == "float32" else {
      throw WeighbridgeError(
        .unsupported, "computes in \(name ?? dtype.text()), and only float32 can be had")
    }
    settings["dtype"] = nil
    return settings
  }

  /// Arguments of a call that change nothing when the model runs are let through.
  private func checkArguments(_ call: KerasCall) throws(WeighbridgeError) {
    if let argument = call.tensorArguments.first {
      throw WeighbridgeError(.unsupported, "is called with a tensor as \(argument.name)")
    }
    for key in call.arguments.keys {
      let value = call.arguments[key] ?? .null
      let isPlain = value == .null || (key == "training" && value == .bool(false))
      guard isPlain else {
        throw WeighbridgeError(.unsupported, "is called with \(key)=\(value.text())")
      }
    }
  }

  private func value(_ reference: KerasTensorReference) throws(WeighbridgeError) -> ValueID {
    let layer = model.layerIndices[reference.layer] ?? -1
    let values = outputs[CallKey(layer: layer, call: reference.call)] ?? []
    guard values.indices.contains(reference.tensor) else {
      throw WeighbridgeError(
        .malformed, "refers to output \(reference.tensor) of \(reference.layer), which has "
          + "\(values.count)")
    }
    return values[reference.tensor]
  }

  /// The outputs' ports, named as the layers that make them.
  private func ports() throws(WeighbridgeError) -> [Port] {
    var taken: Set<String> = []
    var ports: [Port] = []
    for reference in model.outputs {
      var name = reference.call == 0 ? reference.layer : "\(reference.layer):\(reference.call)"
      if reference.tensor > 0 { name += ".\(reference.tensor)" }
      var number = 2
      while !taken.insert(name).inserted {
        name = "\(reference.layer)_\(number)"
        number += 1
      }
      ports.append(Port(name: name, value: try value(reference)))
    }
    return ports
  }

  /// An input's type: the batch axis is symbolic when its extent is open, other open axes carry the
  /// input's name.
  private func inputType(
    _ record: KerasLayerRecord, shape: JSONValue, name: String
  ) throws(WeighbridgeError) -> TensorType {
    let dtype = record.className == "InputLayer" ? record.config["dtype"]?.string : nil
    guard let elementType = ElementType(rawValue: dtype ?? "float32") else {
      throw WeighbridgeError(.unsupported, "an input of type \(dtype ?? "")")
    }
    guard let extents = shape.array, !extents.isEmpty else {
      throw WeighbridgeError(.malformed, "has no batch_input_shape")
    }
    var dimensions: [Dimension] = []
    for (axis, extent) in extents.enumerated() {
      if extent == .null {
        dimensions.append(.symbolic(axis == 0 ? "batch" : "\(name).axis\(axis)"))
      } else if let value = extent.integer, value > 0 {
        dimensions.append(.fixed(value))
      } else {
        throw WeighbridgeError(.malformed, "batch_input_shape has the extent \(extent.text())")
      }
    }
    return TensorType(elementType, dimensions)
  }
}
