// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// What a report contains.
struct ReportingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A JPEG or PNG picture in which detectors look for objects, and which classifiers classify.
      """, valueName: "picture"))
  var image: String?

  @Flag(
    help: "Leave verifying out, which takes a run of the slow reference engine.")
  var noVerify = false

  @Flag(
    help: "Leave out how long the layers of a run take.")
  var noProfile = false
}
