// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// Reference arrays from the original framework.
struct ReferenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Arrays for the model's inputs (.npy or .npz); verifying takes them in place of those in the \
      file.
      """, valueName: "file"))
  var referenceInputs: String?

  @Option(
    help: ArgumentHelp(
      """
      The original framework's outputs for them (.npy or .npz); arrays named after layers are \
      references of those layers.
      """, valueName: "file"))
  var referenceOutputs: String?
}
