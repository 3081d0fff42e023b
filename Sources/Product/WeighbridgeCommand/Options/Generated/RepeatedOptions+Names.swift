// Generated from Schemas/options.json by Scripts/options. Do not edit.

extension RepeatedOptions {
  /// The options of the table that may be given several times.
  static let repeatable: Set<String> = ["calibration", "evaluation", "fixed-input", "input-shape"]
  /// Other names of options, and the first name.
  static let otherNames = [
    "confidence-threshold": "threshold", "iou-threshold": "nms", "set": "fixed-input",
  ]
}
