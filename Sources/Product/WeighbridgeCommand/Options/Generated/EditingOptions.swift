// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// Where changed metadata go.
struct EditingOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where the changed file goes; by default in place.", valueName: "file"))
  var output: String?
}
