// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// How images are transformed.
struct StylizingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The scale of the output: an 8-bit component x is x times this plus --output-bias. By \
      default from the metadata, else from the last activation, else 1. A fraction such as 1/255 \
      is a number, too.
      """, valueName: "x"))
  var outputScale: FractionArgument?

  @Option(
    help: ArgumentHelp(
      "See --output-scale, without which it has no meaning; 0 by default.", valueName: "x"))
  var outputBias: Double?

  @Option(
    help: ArgumentHelp(
      """
      The most pixels along a side of a tile, of a model that takes images of any size; 512 by \
      default.
      """, valueName: "pixels"))
  var tile: Int?

  @Option(
    help: ArgumentHelp(
      "The fewest pixels that neighboring tiles share; 64 by default.", valueName: "pixels"))
  var overlap: Int?

  func validate() throws {
    if let outputScale, outputScale.value.isNaN {
      throw ValidationError("--output-scale takes a number")
    }
    if let outputBias, outputBias.isNaN {
      throw ValidationError("--output-bias takes a number")
    }
    if let tile, tile < 1 { throw ValidationError("--tile must be 1 or more") }
    if let overlap, overlap < 0 { throw ValidationError("--overlap must be 0 or more") }
  }
}
