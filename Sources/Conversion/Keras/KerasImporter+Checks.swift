import Bytes
import JSON
import KerasFormat
import LayerCatalog

extension KerasImporter {
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
