// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// The inputs on which a stated error is measured anew.
struct MeasuringOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Images, files of arrays (.npy, .npz) or folders of either, on which the stated error of a \
      compacted model is measured anew against the original.
      """, valueName: "path"))
  var evaluation: [String] = []
}
