// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser
import Weighbridge

/// The options that decide which classes are shown.
struct ClassificationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The most classes that are given for an image; 5 by default.", valueName: "k"))
  var top: Int?

  @Option(
    help: ArgumentHelp(
      "The probability above which a class is given, 0 to 1; by default all are.", valueName: "x"))
  var threshold: Double?

  @Option(
    help: """
      The kind of scores: probabilities, logits (a softmax turns them into probabilities) or \
      log-probabilities. By default as the metadata entry class_scores says, else as the last \
      layers show.
      """)
  var scores: EnumArgument<ScoreKind>?

  func validate() throws {
    if let top, top < 1 { throw ValidationError("--top must be 1 or more") }
    if let threshold, !(0...1 ~= threshold) {
      throw ValidationError("--threshold takes a number from 0 to 1")
    }
  }

  /// The options that are given, and the defaults of the others.
  var options: ClassifyOptions {
    var options = ClassifyOptions()
    if let top { options.top = top }
    options.threshold = threshold
    options.scores = scores?.value
    return options
  }
}
