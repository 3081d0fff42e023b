import ArgumentParser
import Dispatch
import Weighbridge

/// The command-line program: parses the arguments, runs one command, and turns errors into messages
/// and exit statuses.
@main
struct WeighbridgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weighbridge",
    abstract: "Converts trained models to .wbm files and proves that they compute the same.",
    discussion: """
      Example:
        weighbridge convert tinyyolo.h5 -o tinyyolo.wbm && weighbridge verify tinyyolo.wbm

      Exit status: 0 done or passed; 1 a check failed or models differ; 2 bad usage, or names, labels, anchors or \
      arrays that do not fit the model; 3 the input is missing, malformed or unsupported; 4 the \
      output could not be written; 5 a limit was reached; 130 interrupted.
      """,
    version: "weighbridge \(weighbridgeVersion)",
    subcommands: [
      Convert.self, Inspect.self, MetadataCommand.self, Verify.self, Run.self, Diff.self,
      Detect.self, Classify.self, Stylize.self, Index.self, Similar.self, Search.self, Cut.self,
      Compact.self, Export.self, SwiftCommand.self, ReportCommand.self,
    ])

  static func main() {
    let start = DispatchTime.now()
    Interrupts.prepare()
    do {
      try RepeatedOptions.check(Array(CommandLine.arguments.dropFirst()))
      var command = try parseAsRoot()
      let limits = (command as? any GeneralCommand).map { Limits($0.general, since: start) }
      try withExtendedLifetime(limits) { try command.run() }
    } catch {
      finish(with: error)
    }
  }

  /// Prints the message of an error and ends the program.
  private static func finish(with error: any Error) -> Never {
    if let error = error as? WeighbridgeError {
      Console.message("error: \(error)")
      end(ExitStatus(error.code))
    }
    if let status = error as? ExitStatus { end(status) }
    let text = fullMessage(for: error)
    guard exitCode(for: error) != .success else {
      Console.printLine(text)  // --help and --version
      end(.done)
    }
    Console.message(text)
    end(.usage)
  }
}
