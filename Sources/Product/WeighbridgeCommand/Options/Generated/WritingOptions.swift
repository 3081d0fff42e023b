// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser
import Weighbridge

/// How a file is written.
struct WritingOptions: ParsableArguments {
  @Flag(
    help: "Refuse to replace existing files.")
  var noClobber = false

  /// The options that are given, and the defaults of the others.
  var writeOptions: WriteOptions {
    var options = WriteOptions()
    options.noClobber = noClobber
    return options
  }
}
