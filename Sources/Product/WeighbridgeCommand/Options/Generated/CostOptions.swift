// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// What a difference costs, and what is shown.
struct CostOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The classes that count for the presence; all by default.", valueName: "label,..."))
  var classes: NamesArgument?

  @Option(
    help: ArgumentHelp(
      "Images must cost less; 5 by default.", valueName: "x"))
  var maxCost: Double?

  @Option(
    help: ArgumentHelp(
      """
      The weights of presence, relative position, size and relative size; 2, 1.5, 1 and 0.5 by \
      default.
      """, valueName: "p,r,s,o"))
  var weights: NumbersArgument?

  @Option(
    help: ArgumentHelp(
      "The most images that are given; all by default.", valueName: "n"))
  var top: Int?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      """
      Where a sheet with the wanted layout, the first images and their boxes goes (.png or .jpg).
      """, valueName: "found.png"))
  var output: String?

  func validate() throws {
    if let maxCost, maxCost.isNaN {
      throw ValidationError("--max-cost takes a number")
    }
    if let top, top < 1 { throw ValidationError("--top must be 1 or more") }
  }
}
