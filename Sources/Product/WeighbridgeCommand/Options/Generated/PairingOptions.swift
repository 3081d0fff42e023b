// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// What is compared of two models.
struct PairingOptions: ParsableArguments {
  @Flag(
    help: """
      Pair layers by their names, and compare names too; otherwise layers are paired by \
      structure.
      """)
  var names = false

  @Option(
    help: ArgumentHelp(
      """
      Arrays for the models' inputs (.npy or .npz): both are run on them, and their outputs are \
      compared.
      """, valueName: "file"))
  var inputs: String?
}
