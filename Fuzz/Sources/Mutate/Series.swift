import Foundation
import FuzzTargets

#if canImport(Glibc)
  import Glibc
#endif

/// The mutated files of a target, by number.
struct Series {
  private let target: FuzzTarget
  private let originals: [[UInt8]]
  private let program: String?
  private let changed: String

  init(_ target: FuzzTarget, program: String?) throws {
    self.target = target
    self.program = program
    originals = try target.samples(in: FileManager.default.currentDirectoryPath)
    changed = "\(NSTemporaryDirectory())/weighbridge-mutate-\(getpid())"
  }

  /// Returns the file with a number.
  private func file(_ number: Int) -> [UInt8] {
    var mutator = Mutator(seed: UInt64(number))
    var bytes = mutator.change(originals[number % originals.count])
    if number % 16 == 7 { bytes.removeLast(number / 16 % bytes.count) }
    return bytes
  }

  func run(_ numbers: Range<Int>) throws {
    var (refused, programs, slowest) = (0, 0, (Duration.zero, 0))
    var isClean = true
    for number in numbers {
      let bytes = file(number)
      let start = ContinuousClock.now
      do { try target.read(bytes) } catch { refused += 1 }
      let duration = start.duration(to: .now)
      if duration > slowest.0 { slowest = (duration, number) }
      if duration > .seconds(2) {
        report("SLOW \(target.name) \(number): \(duration)")
        isClean = false
      }
      if number % 100 == 0, let program, target.readsFiles {
        programs += 1
        if try !runProgram(program, bytes, number) { isClean = false }
      }
      if number % 1000 == 0 {
        report("\(target.name) \(number): \(refused) refused, slowest \(slowest), \(memory) MB")
      }
    }
    report(
      "DONE \(target.name) \(numbers): \(numbers.count) files, \(refused) refused, "
        + "\(programs) by the program, slowest \(slowest), at most \(memory) MB")
    try? FileManager.default.removeItem(atPath: changed)
    if !isClean || memory > 1024 { exit(1) }
  }

  /// The process's peak memory, in MB.
  private var memory: Int {
    var usage = rusage()
    getrusage(0, &usage)  // RUSAGE_SELF, whose type differs between systems
    return Int(usage.ru_maxrss) >> 10
  }

  private func report(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Runs the program on a file.
  ///
  /// - Returns: Whether it exited by itself with a status from 0 to 5.
  private func runProgram(_ program: String, _ bytes: [UInt8], _ number: Int) throws -> Bool {
    let path = changed + (target.endings.first ?? "")
    try Data(bytes).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // The limit is 1 GB of data; a hang is killed after 20 seconds, which gives a status other than
    // 0 to 5.
    process.arguments = [
      "-c", "ulimit -d 1048576; exec timeout -s KILL 20 \"$@\"", "sh", program, "inspect", path,
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let status = process.terminationStatus
    guard process.terminationReason == .exit, (0...5).contains(status) else {
      report("FOUND \(target.name) \(number): the program ended with \(status)")
      return false
    }
    return true
  }
}
