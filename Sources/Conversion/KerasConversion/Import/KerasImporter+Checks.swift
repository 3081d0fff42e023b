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
      throw .malformed(
        "the file has weights of a layer \(name), which the architecture does not have")
    }
  }
}
