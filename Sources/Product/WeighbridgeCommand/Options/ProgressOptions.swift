import ArgumentParser
import Weighbridge

/// The option for reporting progress.
struct ProgressOptions: ParsableArguments {
  @Flag(help: "Say on standard error which layer is being computed.")
  var progress = false

  /// Prints a line for each layer, if requested.
  var report: (@Sendable (RunProgress) -> Void)? {
    guard progress else { return nil }
    return { progress in
      Console.message(
        "\(progress.engine) computes layer \(progress.number) of \(progress.count), "
          + progress.layer)
    }
  }
}
