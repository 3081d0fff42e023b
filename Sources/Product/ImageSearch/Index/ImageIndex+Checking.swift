package import Bytes

extension ImageIndex {
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the index has no detections.
  package func checkHasDetections() throws(WeighbridgeError) {
    guard !contents.hasDetections else { return }
    throw missing(
      "detections", found: "features",
      "objects are searched for in what a detector finds, and \(modelName) is not a detector")
  }

  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the index has no feature vectors.
  package func checkHasFeatures() throws(WeighbridgeError) {
    guard !contents.hasFeatures else { return }
    throw missing(
      "features", found: "detections",
      "\(modelName) is a detector: name the layer that makes features, or use another model")
  }

  private var modelName: String { contents.modelName ?? "the model" }

  private func missing(_ kind: String, found: String, _ advice: String) -> WeighbridgeError {
    guard path != Self.inMemory else { return .mismatch(advice) }
    return .mismatch("the index holds \(found) and no \(kind); \(advice)").at(file: path)
  }
}
