import ArgumentParser
import Weighbridge

/// The options that decide which detections count.
struct DetectionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The confidence above which an object counts, 0 to 1; the model's own, or 0.25.",
      valueName: "x"))
  var threshold: Double?

  @Option(
    help: ArgumentHelp(
      """
      The overlap (intersection over union) above which boxes suppress each other, 0 to 1; the \
      model's own, or 0.45.
      """, valueName: "iou"))
  var nms: Double?

  @Option(
    help: """
      How overlapping boxes are suppressed: none, greedy (each class by itself), distance (the \
      same with the centres' distance, DIoU) or class-agnostic; the model's own, or greedy.
      """)
  var suppression: EnumArgument<DetectorDescription.Suppression>?

  func validate() throws {
    for (name, value) in [("--threshold", threshold), ("--nms", nms)] {
      guard let value, !(0...1 ~= value) else { continue }
      throw ValidationError("\(name) takes a number from 0 to 1")
    }
  }

  /// The options for the detector.
  var options: DetectOptions {
    var options = DetectOptions()
    options.threshold = threshold
    options.overlap = nms
    options.suppression = suppression?.value
    return options
  }
}
