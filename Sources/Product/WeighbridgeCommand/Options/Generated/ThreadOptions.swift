// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser

/// The number of threads.
struct ThreadOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      How many threads work at once; by default one for each processor. Results do not depend on \
      it.
      """, valueName: "n"))
  var threads: Int?

  func validate() throws {
    if let threads, threads < 1 { throw ValidationError("--threads must be 1 or more") }
  }
}
