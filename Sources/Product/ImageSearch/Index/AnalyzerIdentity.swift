import Digests

/// A digest of everything that the results of an analyzer depend on.
struct AnalyzerIdentity {
  private let modelDigest: [UInt8]
  private let settings: String

  init(
    _ model: Model, _ options: AnalyzeOptions, output: String?
  ) throws(WeighbridgeError) {
    modelDigest = try model.identity()
    let detection = options.detection
    let detector = model.metadata.detector
    // The same defaults as the detector's own.
    let threshold =
      detection.confidenceThreshold ?? detector?.confidenceThreshold
      ?? Detector.defaultConfidenceThreshold
    let overlap = detection.iouThreshold ?? detector?.iouThreshold ?? Detector.defaultIoUThreshold
    let suppression = detection.suppression ?? detector?.suppression ?? .greedy
    settings = [
      "threshold \(threshold)", "overlap \(overlap)", "suppression \(suppression.rawValue)",
      "resampling \((detection.resampling ?? model.imageResampling).rawValue)",
      // An option that had no effect, in the indices of version 0.2.0.
      "fast false", "engine \(detection.run.engine.rawValue)",
      "features \(output ?? "-")",
    ].joined(separator: "\n")
  }

  func digest() throws(WeighbridgeError) -> [UInt8] {
    try sha256(of: ByteStore(modelDigest + Array(settings.utf8)))
  }
}
