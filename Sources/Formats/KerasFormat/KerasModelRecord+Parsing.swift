package import Bytes
package import JSON

extension KerasModelRecord {
  /// Reads a model from its JSON: the `model_config` attribute or a `to_json` string.
  ///
  /// - Parameters:
  ///   - json: The model: `class_name`, `config`, and other members.
  ///   - layerNames: The names of the layers where they are known from elsewhere (`layer_names` of
  ///     the weights); they name a nested Sequential without a name.
  /// - Throws: ``WeighbridgeError/Code/malformed`` or ``WeighbridgeError/Code/unsupported``, with
  ///   the location in the JSON or the layer.
  package init(
    parsing json: JSONValue, layerNames: [String]? = nil
  ) throws(WeighbridgeError) {
    let root = JSONReader(json, place: "")
    try root.allow(only: Self.topLevelKeys)
    try self.init(
      className: try root.member("class_name").string(), config: try root.member("config"),
      layerNames: layerNames)
  }

  /// Reads the nested model that a layer contains; see ``KerasLayerRecord/isModel``.
  ///
  /// - Throws: As ``init(parsing:layerNames:)``, with the outer layer in the location.
  package init(nestedIn layer: KerasLayerRecord) throws(WeighbridgeError) {
    self = try locating({ $0.at(layer: layer.label) }) { () throws(WeighbridgeError) in
      try KerasModelRecord(
        className: layer.className,
        config: JSONReader(.object(layer.config), place: "config"), layerNames: nil)
    }
  }

  private static let topLevelKeys = [
    "class_name", "config", "keras_version", "backend", "module", "registered_name",
    "build_config", "compile_config",
  ]

  private init(
    className: String, config: JSONReader, layerNames: [String]?
  ) throws(WeighbridgeError) {
    // A user-defined class writes the same settings as its base class.
    let isGraph = config.value.object?["input_layers"] != nil
    if isGraph {
      try self.init(graph: className, config)
    } else if let merged = try KerasMergedBranches(in: config, layerNames: layerNames) {
      try self.init(graph: className, merged.graph)
    } else if className == "Sequential" || config.value.array != nil
      || config.value.object?["layers"] != nil
    {
      try self.init(sequential: className, config, layerNames: layerNames)
    } else {
      throw .unsupported(
        "the model is of class \(className), which keeps no list of layers; models of class "
          + "Model, Functional and Sequential can be read")
    }
  }

  private init(graph className: String, _ config: JSONReader) throws(WeighbridgeError) {
    try config.allow(only: [
      "name", "trainable", "dtype", "layers", "input_layers", "output_layers",
      // The Keras in TensorFlow 1.15 to 2.1 repeats here the input of a Sequential around the model.
      "batch_input_shape",
    ])
    var builders: [KerasLayerBuilder] = []
    for (index, layer) in try config.member("layers").elements().enumerated() {
      builders.append(try KerasLayerBuilder(layer, index: index))
    }
    let unresolvedOutputs = try KerasNodeParser.references(in: try config.member("output_layers"))
    let table = try KerasLayerTable(builders, outputs: unresolvedOutputs)
    let layers = try table.layers()
    let inputs = try table.references(in: try config.member("input_layers"))
    let outputs = try table.references(in: try config.member("output_layers"))
    self.className = className
    name = try config.optional("name")?.string()
    isSequential = false
    buildInputShape = nil
    self.layers = layers
    self.inputs = inputs
    takesDictionary = try config.member("input_layers").value.object != nil
    self.outputs = outputs
    layerIndices = table.indices
    statedTypes = table.statedTypes()
    callOrder = try KerasCallOrder(layers, table.indices).sorted()
  }

  private init(
    sequential className: String, _ config: JSONReader, layerNames: [String]?
  ) throws(WeighbridgeError) {
    let isList = config.value.array != nil
    if !isList {
      try config.allow(only: [
        "name", "trainable", "dtype", "layers", "build_input_shape", "batch_input_shape",
      ])
    }
    let elements = try (isList ? config : try config.member("layers")).elements()
    guard !elements.isEmpty else { throw config.failure("describes a model without layers") }
    let fallbackNames = layerNames.flatMap { $0.count == elements.count ? $0 : nil }
    let builders = try elements.enumerated().map { (index, layer) throws(WeighbridgeError) in
      try KerasLayerBuilder(layer, index: index, fallbackName: fallbackNames?[index])
    }
    let table = try KerasLayerTable(builders)
    layers = table.chain()
    self.className = className
    name = isList ? nil : try config.optional("name")?.string()
    isSequential = true
    buildInputShape = isList ? nil : try config.optional("build_input_shape")?.value
    inputs =
      layers.first.flatMap { first in
        first.className == "InputLayer" ? [KerasTensorReference(layer: first.name)] : nil
      } ?? []
    outputs = layers.last.map { [KerasTensorReference(layer: $0.name)] } ?? []
    takesDictionary = false
    layerIndices = table.indices
    statedTypes = [:]
    callOrder = layers.indices.map { KerasCallReference(layer: $0, call: 0) }
  }
}
