// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// The wanted layout.
struct LayoutOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The wanted objects, as JSON: a list of {label, x, y, width, height} in the unit square, \
      from the upper left corner.
      """, valueName: "file.json"))
  var layout: String?

  @Option(
    help: ArgumentHelp(
      "An image whose own detections are the wanted objects.", valueName: "image"))
  var like: String?

  @Option(
    help: ArgumentHelp(
      """
      The width over the height of the image that layout describes; 1 by default. A fraction such \
      as 4/3 is a number, too.
      """, valueName: "x"))
  var aspect: FractionArgument?

  func validate() throws {
    if let aspect, !(aspect.value > 0 && aspect.value.isFinite) {
      throw ValidationError("--aspect takes a number above 0")
    }
  }
}
