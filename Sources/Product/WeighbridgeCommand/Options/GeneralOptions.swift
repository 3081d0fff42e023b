import ArgumentParser
import Dispatch
import JSON
import Weighbridge

/// The options of every command.
struct GeneralOptions: ParsableArguments {
  @Flag(help: "Print the result as JSON.")
  var json = false

  @Flag(help: "Print results and errors only.")
  var quiet = false

  @Option(
    help: ArgumentHelp(
      "The most memory that may be taken beyond mapped files, such as 500M; by default as much as "
        + "the machine has.", valueName: "size"))
  var memoryLimit: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "The time limit in seconds, such as 60 or 0.5; by default there is none.",
      valueName: "seconds"))
  var timeLimit: SecondsArgument?

  /// Returns the options for running models, from these options and those of the command.
  func runOptions(
    _ cancellation: Cancellation, threads: ThreadOptions? = nil, progress: ProgressOptions? = nil,
    showsBar: Bool = false
  ) -> RunOptions {
    var options = RunOptions()
    options.cancellation = cancellation
    options.memoryLimit = memoryLimit?.bytes
    options.threads = threads?.threads
    options.progress = progress?.report
    if showsBar, options.progress == nil { options.progress = RunProgressBar(isQuiet: quiet)?.show }
    return options
  }

  /// Reports the result of a command: as JSON if requested, otherwise as text, unless the command
  /// is quiet.
  func report(
    _ result: @autoclosure () throws -> JSONValue, text printText: () throws -> Void
  ) rethrows {
    if json {
      Console.printLine(try result().text(indented: true))
    } else if !quiet {
      try printText()
    }
  }
}

/// A command that has the general options.
protocol GeneralCommand: ParsableCommand {
  var general: GeneralOptions { get }
}

/// A command that Ctrl-C cancels.
protocol CancellableCommand: GeneralCommand {
  func run(_ cancellation: Cancellation) throws
}

extension CancellableCommand {
  func run() throws {
    let (cancellation, signals) = Interrupts.cancellation()
    defer { signals.cancel() }
    try run(cancellation)
  }
}
