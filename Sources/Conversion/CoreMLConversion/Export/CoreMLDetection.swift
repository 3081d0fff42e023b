import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// A network that returns boxes, followed by non-maximum suppression: the form that Vision treats
/// as an object detector, and that Turi Create writes.
struct CoreMLDetection {
  /// The network's outputs: `[boxes, classes]` and `[boxes, 4]`.
  static let rawOutputs = CoreMLSuppression.Names(
    confidence: "raw_confidence", coordinates: "raw_coordinates")
  /// The outputs after suppression.
  private static let outputs = CoreMLSuppression.Names(
    confidence: "confidence", coordinates: "coordinates")
  /// The optional inputs.
  private static let (iouThreshold, confidenceThreshold) = ("iouThreshold", "confidenceThreshold")

  private let detector: DetectorDescription
  private let labels: [String]

  /// - Parameter labels: The names of the classes; if empty, the class indices are used.
  init(_ detector: DetectorDescription, labels: [String]) {
    self.detector = detector
    self.labels = labels.isEmpty ? (0..<detector.classCount).map { "\($0)" } : labels
  }

  /// Returns the graph of decoded boxes with the names that the suppression reads.
  static func naming(_ boxes: Graph) -> Graph {
    boxes.renamingPorts(
      inputs: boxes.inputs.map(\.name),
      outputs: [rawOutputs.confidence, rawOutputs.coordinates])
  }

  /// How the suppression differs from the detector's own, as messages.
  var losses: [String] {
    detector.suppression == .distance ? [DetectionDecoding.distanceLoss] : []
  }

  /// Returns the pipeline of a network and the suppression.
  func pipeline(_ network: CoreMLModel, metadata: CoreMLMetadata) -> CoreMLModel {
    var inner = network
    inner.description.metadata = CoreMLMetadata()
    let suppression = CoreMLModel(
      specificationVersion: network.specificationVersion,
      description: CoreMLDescription(
        inputs: network.description.outputs + thresholds, outputs: outputs(network.description)),
      content: .nonMaximumSuppression(self.suppression))
    return CoreMLModel(
      specificationVersion: network.specificationVersion,
      description: CoreMLDescription(
        inputs: network.description.inputs + thresholds, outputs: outputs(network.description),
        metadata: metadata),
      content: .pipeline(
        CoreMLPipeline(
          models: [inner, suppression], names: ["network", "non-maximum suppression"])))
  }

  /// With `none` nothing is suppressed, since no IoU exceeds 1.
  private var suppression: CoreMLSuppression {
    CoreMLSuppression(
      method: .init(isPerClass: detector.suppression != .classAgnostic), labels: .strings(labels),
      iouThreshold: detector.suppression == DetectorDescription.Suppression.none
        ? 1 : detector.iouThreshold ?? DetectorDescription.defaultIoUThreshold,
      confidenceThreshold: detector.confidenceThreshold
        ?? DetectorDescription.defaultConfidenceThreshold,
      inputs: Self.rawOutputs, outputs: Self.outputs, iouThresholdInput: Self.iouThreshold,
      confidenceThresholdInput: Self.confidenceThreshold)
  }

  private var thresholds: [CoreMLFeature] {
    [
      CoreMLFeature(
        name: Self.iouThreshold,
        summary: "The overlap above which the less confident of two boxes is removed; by default "
          + "\(suppression.iouThreshold)", type: .double, isOptional: true),
      CoreMLFeature(
        name: Self.confidenceThreshold,
        summary: "The minimum confidence of a box; by default \(suppression.confidenceThreshold)",
        type: .double, isOptional: true),
    ]
  }

  private func outputs(_ network: CoreMLDescription) -> [CoreMLFeature] {
    let summaries = [
      (Self.outputs.confidence, detector.classCount, "Boxes by classes: the confidence, 0 to 1"),
      (
        Self.outputs.coordinates, 4,
        "Boxes by centre x, centre y, width and height, in the image's unit square"
      ),
    ]
    return summaries.map { name, count, summary in
      let ranges = [
        CoreMLSizeRange(lowerBound: 0, upperBound: nil),
        CoreMLSizeRange(lowerBound: count, upperBound: count),
      ]
      let array = CoreMLArray(
        shape: [], element: network.outputs.first?.element, flexibility: .ranges(ranges))
      return CoreMLFeature(name: name, summary: summary, type: .multiArray(array))
    }
  }
}

extension CoreMLFeature {
  /// The type of an array's elements.
  fileprivate var element: CoreMLArray.Element? {
    if case .multiArray(let array) = type { array.element } else { nil }
  }
}
