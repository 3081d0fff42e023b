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

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top must be 1 or more") }
  }
}
