import Bytes
import JSON

/// Rewrites a Sequential that begins with a Merge as a graph.
///
/// In Keras 1, the setting `layers` of such a Merge contains models, its branches, each of which
/// begins with an input of the whole model. The file lists the weights of a branch's layers under
/// the names of these layers, so they become layers of the model itself.
struct KerasMergedBranches {
  /// The settings of the graph. Its layers are in the order in which the file lists their weights,
  /// and include inputs implied by the shape of a first layer.
  let graph: JSONReader

  /// - Parameters:
  ///   - config: The settings of a Sequential: a list of layers, or an object with one.
  ///   - layerNames: The names of the layers in the order of the weights, where they are known from
  ///     elsewhere; they name a nested Sequential, which has no name.
  /// - Returns: `nil` when it does not begin with such a Merge.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a branch that begins with a model, and for
  ///   one that is not a model.
  init?(in config: JSONReader, layerNames: [String]?) throws(WeighbridgeError) {
    let list = config.value.array ?? config.value.object?["layers"]?.array ?? []
    guard Self.recognizes(list) else { return nil }
    let isList = config.value.array != nil
    var builder = GraphBuilder(layerNames: layerNames ?? [])
    let layers = isList ? config : try config.member("layers")
    let output = try builder.addChain(try layers.elements(), depth: 0)
    var graph: JSONObject = [
      "layers": .array(builder.layers), "input_layers": .array(builder.inputs),
      "output_layers": .array([output]),
    ]
    graph["name"] = isList ? nil : config.value.object?["name"]
    self.graph = JSONReader(.object(graph), place: config.place)
  }

  /// Whether the layers of a Sequential begin with such a Merge.
  private static func recognizes(_ layers: [JSONValue]) -> Bool {
    guard let first = layers.first?.object else { return false }
    return first["class_name"]?.string == "Merge" && first["config"]?.object?["layers"] != nil
  }

  private struct GraphBuilder {
    let layerNames: [String]
    var layers: [JSONValue] = []
    var inputs: [JSONValue] = []
    /// The number of added layers that are in the file, as opposed to implied inputs.
    var fileLayerCount = 0

    /// Adds the layers of a Sequential and returns its output.
    mutating func addChain(
      _ elements: [JSONReader], depth: Int
    ) throws(WeighbridgeError) -> JSONValue {
      guard let first = elements.first, depth < 32 else {
        throw .malformed("a Merge has a branch without layers, or Merges are nested too deeply")
      }
      var output: JSONValue
      var remaining = elements[...]
      if KerasMergedBranches.recognizes(elements.map(\.value)) {
        output = try addMerge(first, depth: depth)
        remaining = remaining.dropFirst()
      } else if try first.member("class_name").string() == "InputLayer" {
        output = try add(first, inputs: [])
        inputs.append(output)
        remaining = remaining.dropFirst()
      } else {
        output = try addImpliedInput(of: first)
        inputs.append(output)
      }
      for element in remaining { output = try add(element, inputs: [output]) }
      return output
    }

    private mutating func addMerge(
      _ merge: JSONReader, depth: Int
    ) throws(WeighbridgeError) -> JSONValue {
      let config = try merge.member("config")
      var outputs: [JSONValue] = []
      for branch in try config.member("layers").elements() {
        outputs.append(try addBranch(branch, depth: depth + 1))
      }
      var settings = try config.object()
      settings["layers"] = nil
      let layer: JSONObject = ["class_name": "Merge", "config": .object(settings)]
      return try add(JSONReader(.object(layer), place: merge.place), inputs: outputs)
    }

    private mutating func addBranch(
      _ branch: JSONReader, depth: Int
    ) throws(WeighbridgeError) -> JSONValue {
      let config = try branch.member("config")
      if config.value.array != nil { return try addChain(config.elements(), depth: depth) }
      guard config.value.object?["input_layers"] != nil else {
        throw branch.failure(
          "is a branch of a Merge but not a model; only models can be read there",
          code: .unsupported)
      }
      let branchLayers = try config.member("layers").elements().map(\.value)
      layers += branchLayers
      fileLayerCount += branchLayers.count
      inputs += try config.member("input_layers").elements().map(\.value)
      let outputs = try config.member("output_layers").elements()
      guard outputs.count == 1 else {
        throw branch.failure(
          "is a branch of a Merge with \(outputs.count.counted("output")); it must have one")
      }
      return outputs[0].value
    }

    /// Adds the input implied by the shape of a Sequential's first layer.
    private mutating func addImpliedInput(
      of layer: JSONReader
    ) throws(WeighbridgeError) -> JSONValue {
      let config = try layer.member("config")
      guard let settings = config.value.object, let shape = settings["batch_input_shape"] else {
        throw layer.failure(
          "begins a branch of a Merge, but has no batch_input_shape",
          code: .unsupported)
      }
      var input: JSONObject = [
        "name": .string(try config.member("name").string() + "_input"), "batch_input_shape": shape,
      ]
      input["input_dtype"] = settings["input_dtype"]
      let inputLayer: JSONObject = ["class_name": "InputLayer", "config": .object(input)]
      return try add(
        JSONReader(.object(inputLayer), place: layer.place), inputs: [], isImplied: true)
    }

    /// Adds a layer with one call.
    private mutating func add(
      _ layer: JSONReader, inputs: [JSONValue], isImplied: Bool = false
    ) throws(WeighbridgeError) -> JSONValue {
      var object = try layer.object()
      let config = try layer.member("config")
      var name = "sequential_\(layers.count + 1)"
      if config.value.array == nil {
        name = try config.member("name").string()
      } else if layerNames.indices.contains(fileLayerCount) {
        name = layerNames[fileLayerCount]
      }
      if !isImplied { fileLayerCount += 1 }
      object["name"] = .string(name)
      object["inbound_nodes"] = .array(inputs.isEmpty ? [] : [.array(inputs)])
      layers.append(.object(object))
      return .array([.string(name), 0, 0])
    }
  }
}
