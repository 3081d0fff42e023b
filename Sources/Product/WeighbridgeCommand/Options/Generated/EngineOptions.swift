// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser
import GraphIR
import Vision
import Weighbridge

/// The engine.
struct EngineOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The engine: cpu, the default, or reference, which is slow and defines the correct results.
      """, valueName: "name"))
  var engine: EnumArgument<Engine>?
}
