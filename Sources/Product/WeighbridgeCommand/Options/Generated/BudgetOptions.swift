// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser
import GraphIR
import Vision
import Weighbridge

/// The budget of a compaction, and the examples for calibrating and measuring it.
struct BudgetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The relative error of each output that at most 1 in 20 other inputs exceeds, such as 0.01.
      """, valueName: "error"))
  var maxError: Double?

  @Option(
    help: ArgumentHelp(
      "The most bytes that the weights may take. Such as 5M.", valueName: "size"))
  var maxSize: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "The share of top classes, or of detections, that must stay, such as 0.99.",
      valueName: "share"))
  var keepAnswers: Double?

  @Option(
    help: ArgumentHelp(
      """
      One encoding for all weights that are multiplied with data, whatever that costs: int2 to \
      int8 (a scale for each channel), int2-block32 to int8-block32, palette1 to palette8, \
      float16, bfloat16.
      """, valueName: "name"))
  var encoding: String?

  @Option(
    help: ArgumentHelp(
      """
      int8 or bfloat16: compute layers with 8-bit integers or bfloat16, both weights and data: as \
      many layers as --max-error allows (0.05 by default). The weights of the others stay exact.
      """, valueName: "type"))
  var activations: EnumArgument<CompactOptions.Activations>?

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Images, files of arrays (.npy, .npz) or folders of either to decide by.", valueName: "path"))
  var calibration: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Others to measure the loss on.", valueName: "path"))
  var evaluation: [String] = []

  @Flag(
    help: """
      Make batch normalizations part of the weights before them; by default they stay exact.
      """)
  var foldBatchNorm = false

  @Flag(
    help: "Lose nothing; what happens without a budget, too.")
  var lossless = false

  @Flag(
    inversion: .prefixedNo,
    help: """
      Whether an example with its outputs is stored, by which the loss can be verified; by \
      default when that takes little space.
      """)
  var proof: Bool?

  func validate() throws {
    if let maxError, !(maxError > 0 && maxError.isFinite) {
      throw ValidationError("--max-error takes a number above 0")
    }
    if let keepAnswers, !(keepAnswers > 0 && keepAnswers <= 1) {
      throw ValidationError("--keep-answers takes a number above 0, at most 1")
    }
  }
}
