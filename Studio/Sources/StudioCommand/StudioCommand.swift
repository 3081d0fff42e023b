import ArgumentParser
import Dispatch
import Foundation
import Studio

/// `weighbridge-studio`
struct StudioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weighbridge-studio",
    abstract: "Serves a local web page on which models are used.",
    discussion: """
      The page opens at the address that is printed, on this machine only. What is dropped on it does not \
      leave the machine and is not kept. Ctrl-C ends it.

      Example:
        weighbridge-studio --models models --photos photos --sketches sketches
      """)

  @Option(
    help: ArgumentHelp("The folder of models: .wbm files, which say how they are used."))
  var models: String

  @Option(help: "The folder of photos that are searched.")
  var photos: String?

  @Option(help: "The folder with a folder of pictures for each label of a classifier of sketches.")
  var sketches: String?

  @Option(
    help: ArgumentHelp(
      "The layer whose numbers are a sketch's features; the one before the last with weights, unless "
        + "given.", valueName: "layer"))
  var features: String?

  @Option(
    help: ArgumentHelp(
      "The folder where indexes of pictures are kept for the next time.", valueName: "folder"))
  var indexes: String?

  @Option(help: "The port; any that is free, unless given.")
  var port = 0

  @Option(
    help: ArgumentHelp(
      "The longest time for the work that a request asks for.", valueName: "seconds"))
  var timeLimit = 120

  @Option(
    help: ArgumentHelp("The most memory for reading a file that was dropped.", valueName: "MiB"))
  var memoryLimit = 4096

  @Option(
    help: ArgumentHelp(
      "How long a client may leave an answer unread, or its request unfinished.",
      valueName: "seconds"))
  var patience = 30

  func validate() throws {
    guard 1...3600 ~= patience else { throw ValidationError("--patience takes 1 to 3600") }
    guard 0...65_535 ~= port else { throw ValidationError("--port takes 0 to 65535") }
    guard 1...86_400 ~= timeLimit else { throw ValidationError("--time-limit takes 1 to 86400") }
    guard 64...(1 << 20) ~= memoryLimit else {
      throw ValidationError("--memory-limit takes 64 to 1048576")
    }
  }

  func run() async throws {
    var options = StudioOptions(models: models)
    (options.photos, options.sketches, options.features) = (photos, sketches, features)
    (options.indexes, options.timeLimit) = (indexes, timeLimit)
    (options.memoryLimit, options.patience) = (memoryLimit << 20, patience)
    let studio: Studio
    do {
      studio = try Studio(
        options, executable: Bundle.main.executablePath ?? CommandLine.arguments[0])
    } catch {
      Self.say(StudioError(error).message)
      throw ExitCode(3)
    }
    defer { studio.stop() }
    let signals = Self.onEnd { studio.stop() }
    defer { signals.forEach { $0.cancel() } }
    for model in studio.shelf.models {
      if let problem = model.problem { Self.say("\(model.name): \(problem)") }
    }
    try await studio.serve(port: port) { address in
      try? FileHandle.standardOutput.write(contentsOf: Data("Open \(address)\n".utf8))
    }
  }

  private static func say(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("weighbridge-studio: \(text)\n".utf8))
  }

  /// Has the process end soon after it is asked to, whatever clients do.
  private static func onEnd(
    _ stop: @escaping @Sendable () -> Void
  ) -> [any DispatchSourceSignal] {
    signal(SIGPIPE, SIG_IGN)
    return [SIGINT, SIGTERM].map { number in
      let source = DispatchSource.makeSignalSource(
        signal: number, queue: .global(qos: .userInteractive))
      source.setEventHandler {
        stop()
        DispatchQueue.global(qos: .userInteractive).asyncAfter(deadline: .now() + 2) {
          endProcess()
        }
      }
      source.resume()
      return source
    }
  }
}

/// The system's `exit`, which the command's own method hides.
private func endProcess() -> Never { exit(0) }
