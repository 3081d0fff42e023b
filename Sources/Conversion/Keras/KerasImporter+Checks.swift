import Bytes
import JSON
import KerasFormat
import LayerCatalog

extension KerasImporter {
  /// One error for all layers that cannot be had, those of models inside the model included.
  static func checkClasses(_ model: KerasModelRecord) throws(WeighbridgeError) {
    var unknown: [String] = []
    try collectUnknown(model, path: "", into: &unknown)
    guard !unknown.isEmpty else { return }
    let count = unknown.count == 1 ? "a layer" : "\(unknown.count) layers"
    throw WeighbridgeError(
      .unsupported,
      "\(count) of a class that is not supported: \(unknown.joined(separator: ", "))")
  }

  private static func collectUnknown(
    _ model: KerasModelRecord, path: String, into labels: inout [String]
  ) throws(WeighbridgeError) {
    for layer in model.layers where layer.className != "InputLayer" {
      if let inner = try innerModel(layer) {
        try collectUnknown(inner, path: "\(path)\(layer.name)/", into: &labels)
      } else if let registered = layer.registeredName {
        // Keras registers only classes of somebody else, which may be called like one of its own.
        labels.append("\(label(layer, path)), registered as \(registered)")
      } else if Catalog.kerasLayers[layer.className] == nil {
        labels.append(label(layer, path))
      }
    }
  }

  /// Weights under a name that no layer has would go unused.
  func checkWeightOwners(_ model: KerasModelRecord) throws(WeighbridgeError) {
    let owned = weights.filter { model.layerIndices[$0.key] == nil && !$0.value.isEmpty }
    if owned.isEmpty { return }
    // Some containers have the weights of models inside the model one by one.
    let paths = Set(try Self.layerPaths(model, path: ""))
    for name in owned.keys.sorted() where !paths.contains(name) {
      throw WeighbridgeError(
        .malformed, "the file has weights of a layer \(name), which the architecture does not have")
    }
  }

  /// A layer's settings, without the number type once it is known to be float32.
  static func settings(_ record: KerasLayerRecord) throws(WeighbridgeError) -> JSONObject {
    var settings = record.config
    let dtype = settings["dtype"] ?? .null
    let name = dtype.string ?? dtype.object?["config"]?.object?["name"]?.string
    // Whole numbers stay among the settings, for the layers that make them.
    if let name, ["int32", "int64"].contains(name) { return settings }
    guard dtype == .null || name == "float32" else {
      throw WeighbridgeError(
        .unsupported, "computes in \(name ?? dtype.text()), and only float32 can be had")
    }
    settings["dtype"] = nil
    return settings
  }
}
