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
    help: "Leave verifying out.")
  var noVerify = false

  @Flag(
    help: "Leave out how long the layers of a run take.")
  var noProfile = false

  @Flag(
    help: """
      Also compare the fast engine with the reference engine, which takes many times as long as a \
      run.
      """)
  var verify = false
}
