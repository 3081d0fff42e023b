// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser
import ImageSearch

/// How images are ranked by their features.
struct RankingOptions: ParsableArguments {
  @Option(
    help: "The distance: cosine, the default, or euclidean.")
  var metric: EnumArgument<FeatureDistance>?

  @Option(
    help: ArgumentHelp(
      "How many images are given for each query; 10 by default.", valueName: "n"))
  var top: Int?

  @Option(
    help: ArgumentHelp(
      """
      A folder for drawings, as SVG and PNG: the features of each query as bars, and the \
      distances of all pairs of the queries and the images found.
      """, valueName: "folder"))
  var plot: String?

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top must be 1 or more") }
  }
}
