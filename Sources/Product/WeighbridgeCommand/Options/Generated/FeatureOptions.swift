// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// The features of images.
struct FeatureOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The output or layer whose numbers are the features; by default the only output of a model \
      that is not a detector. A detector then has no features.
      """, valueName: "name"))
  var features: String?
}
