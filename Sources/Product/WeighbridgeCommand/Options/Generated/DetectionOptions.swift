// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser
import Weighbridge

/// The options that decide which detections count.
struct DetectionOptions: ParsableArguments {
  @Option(
    name: [.customLong("threshold"), .customLong("confidence-threshold")],
    help: ArgumentHelp(
      "The confidence above which an object counts, 0 to 1; the model's own, or 0.25.",
      valueName: "x"))
  var confidenceThreshold: Double?

  @Option(
    name: [.customLong("nms"), .customLong("iou-threshold")],
    help: ArgumentHelp(
      """
      The overlap (intersection over union) above which boxes suppress each other, 0 to 1; the \
      model's own, or 0.45.
      """, valueName: "iou"))
  var iouThreshold: Double?

  @Option(
    help: """
      How overlapping boxes are suppressed: none, greedy (each class by itself), distance (the \
      same with the centers' distance, DIoU) or class-agnostic; the model's own, or greedy.
      """)
  var suppression: EnumArgument<DetectorDescription.Suppression>?

  func validate() throws {
    if let confidenceThreshold, !(0...1 ~= confidenceThreshold) {
      throw ValidationError("--threshold takes a number from 0 to 1")
    }
    if let iouThreshold, !(0...1 ~= iouThreshold) {
      throw ValidationError("--nms takes a number from 0 to 1")
    }
  }

  /// The options that are given, and the defaults of the others.
  var options: DetectOptions {
    var options = DetectOptions()
    options.confidenceThreshold = confidenceThreshold
    options.iouThreshold = iouThreshold
    options.suppression = suppression?.value
    return options
  }
}
