// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// The file that a model was made of.
struct OriginalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The original file to compare with.", valueName: "source"))
  var against: String?
}
