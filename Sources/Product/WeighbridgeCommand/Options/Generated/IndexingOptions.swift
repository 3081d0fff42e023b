// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// How an index of images is updated.
struct IndexingOptions: ParsableArguments {
  @Flag(
    help: "Empty an index of another model, other options or another version.")
  var rebuild = false
}
