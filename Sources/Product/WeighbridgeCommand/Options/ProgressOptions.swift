import ArgumentParser
import Weighbridge

/// What is said while the program computes.
struct ProgressOptions: ParsableArguments {
  @Flag(help: "Say on standard error which layer is being computed.")
  var progress = false

  /// What prints a line for each layer, when that was asked for.
  var report: (@Sendable (RunProgress) -> Void)? {
    guard progress else { return nil }
    return { progress in
      Console.message(
        "\(progress.engine) computes layer \(progress.number) of \(progress.count), "
          + progress.layer)
    }
  }
}
