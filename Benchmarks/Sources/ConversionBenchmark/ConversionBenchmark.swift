import Foundation

/// Measures what converting and inspecting a model cost, beside copying the same file.
///
/// All commands run in turn, round after round, so that a machine that is slow for a while is slow
/// for all of them; medians and ratios are what counts.
@main
struct ConversionBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else {
      print("usage: ConversionBenchmark WEIGHBRIDGE MODEL.h5 [ROUNDS]")
      exit(2)
    }
    let (program, model) = (arguments[1], arguments[2])
    let rounds = arguments.count > 3 ? Int(arguments[3]) ?? 15 : 15
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("weighbridge-benchmark-\(getpid())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    let source = folder + "/source.h5"
    let converted = folder + "/converted.wbm"
    try Command("cp", ["cp", model, source]).run()
    try Command("convert", [program, "convert", source, "-o", converted, "--quiet"]).run()
    let commands = [
      Command("cp", ["cp", source, folder + "/copy"], output: folder + "/copy"),
      Command(
        "cp, synced",
        ["dd", "if=" + source, "of=" + folder + "/synced", "bs=1M", "conv=fsync", "status=none"],
        output: folder + "/synced"),
      Command(
        "convert", [program, "convert", source, "-o", folder + "/out.wbm", "--quiet"],
        output: folder + "/out.wbm"),
      Command("inspect", [program, "inspect", converted, "--quiet"]),
      Command("--version", [program, "--version"]),
    ]
    let size = try FileManager.default.attributesOfItem(atPath: source)[.size] as? Int ?? 0
    print("\(size) bytes, \(rounds) rounds after a warm-up; medians")
    print("\nonto new names:\n")
    report(try measure(commands, rounds: rounds, removesOutputs: true))
    print("\nreplacing the files of the round before:\n")
    report(try measure(commands, rounds: rounds, removesOutputs: false))
  }

  private static func measure(
    _ commands: [Command], rounds: Int, removesOutputs: Bool
  ) throws -> [(name: String, runs: [Measurement])] {
    var results = commands.map { (name: $0.name, runs: [Measurement]()) }
    for round in 0...rounds {
      for (index, command) in commands.enumerated() {
        if removesOutputs, let output = command.output {
          try? FileManager.default.removeItem(atPath: output)
        }
        let measurement = try command.run()
        if round > 0 { results[index].runs.append(measurement) }  // the first round warms up
      }
    }
    return results
  }

  private static func report(_ results: [(name: String, runs: [Measurement])]) {
    print("| command | wall ms | x cp | resident MB |\n|---|---:|---:|---:|")
    let base = results[0].runs.map(\.milliseconds).median
    for result in results {
      let wall = result.runs.map(\.milliseconds).median
      let resident = result.runs.map(\.residentMegabytes).median
      print(
        "| \(result.name) | \(wall.short) | \((wall / base).short) | \(resident.short) |")
    }
  }
}

/// What one run of a command took.
struct Measurement {
  /// From start to end.
  let milliseconds: Double
  /// The most memory that was resident at once.
  let residentMegabytes: Double
}

/// A command that is run as a process of its own.
struct Command {
  let name: String
  /// The file that it writes.
  let output: String?
  private let arguments: [String]

  /// - Parameters:
  ///   - arguments: The program, found on the search path, and what it is given.
  ///   - output: The file that it writes.
  init(_ name: String, _ arguments: [String], output: String? = nil) {
    self.name = name
    self.output = output
    self.arguments = arguments
  }

  /// Runs it; its output is thrown away.
  @discardableResult
  func run() throws -> Measurement {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var list = arguments.map { strdup($0) } + [nil]
    defer { for pointer in list { free(pointer) } }
    var child = pid_t()
    let start = ContinuousClock.now
    guard posix_spawnp(&child, arguments[0], &actions, nil, &list, environ) == 0 else {
      throw Failure(reason: "cannot start \(arguments[0])")
    }
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(child, &status, 0, &usage) == child, status == 0 else {
      throw Failure(reason: "\(arguments.joined(separator: " ")) failed")
    }
    return Measurement(
      milliseconds: (ContinuousClock.now - start) / .milliseconds(1),
      residentMegabytes: Double(usage.ru_maxrss) / 1024)
  }

  /// Why a benchmark cannot go on.
  struct Failure: Error {
    let reason: String
  }
}

extension [Double] {
  var median: Double {
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}

extension Double {
  /// One decimal.
  var short: String { "\((self * 10).rounded() / 10)" }
}
