import Foundation
import TestSupport
import Testing

/// Failures of each call that can fail while an output is written.
///
/// `make test` tries a sample of the faults; `make test-faults` (`WEIGHBRIDGE_FAULTS=all`) tries all of
/// them and prints how many there were.
@Suite(.enabled(if: FaultLibrary.isAvailable, Comment(rawValue: FaultLibrary.skipReason)))
struct FaultTests {
  private static let triesAll = ProcessInfo.processInfo.environment["WEIGHBRIDGE_FAULTS"] == "all"

  /// The number of faults in a sample for one command.
  private static let sampleSize = 6

  @Test("After a fault, either the old or the new output is complete", arguments: FaultCommand.all)
  func faults(_ command: FaultCommand) throws {
    let trial = try FaultTrial(command)
    let faults = Fault.all(of: trial.counts)
    try #require(faults.count > 10, "\(trial.counts)")
    let tried = Self.sample(of: faults)
    for fault in tried { try trial.check(fault) }
    try Self.report("\(command)", tried.count, trial.counts)
  }

  /// The faults that are tried.
  static func sample(of faults: [Fault]) -> [Fault] {
    let step = triesAll ? 1 : max(1, faults.count / sampleSize)
    return stride(from: step / 2, to: faults.count, by: step).map { faults[$0] }
  }

  /// Prints the number of faults if all were tried.
  static func report(_ command: String, _ count: Int, _ counts: [(call: String, count: Int)]) throws
  {
    guard triesAll else { return }
    let line = "\(command): \(count) faults, \(counts)\n"
    try FileHandle.standardError.write(contentsOf: Data(line.utf8))
  }
}

/// A command with its outputs when nothing fails, and the old files.
struct FaultTrial {
  let command: FaultCommand
  /// The number of calls of each function.
  let counts: [(call: String, count: Int)]
  private let old: [String: Data]
  private let new: [String: Data]

  init(_ command: FaultCommand) throws {
    self.command = command
    let files = try TemporaryFolder()
    try Sample.convert(to: files.file("model.wbm"))
    old = command.old(try Files.read(files.file("model.wbm")))
    let folder = try command.prepare(old)
    try command.run(in: folder, ["FAULT_COUNTS": files.file("counts")]).expect(0)
    new = try Dictionary(
      uniqueKeysWithValues: command.outputs.map { ($0, try Files.read(folder.file($0))) })
    counts = try Fault.counts(files.file("counts"))
    #expect(new != old && command.litter(in: folder).isEmpty)
  }

  /// Runs the command with a fault and checks the remaining files.
  func check(_ fault: Fault) throws {
    let folder = try command.prepare(old)
    let outcome = try command.run(in: folder, fault.environment)
    let context: Comment = "\(command), \(fault): \(outcome.status) \(outcome.messages)"
    if fault.kind == .kill {
      #expect(outcome.wasKilled && outcome.status == SIGKILL, context)
    } else {
      #expect(!outcome.wasKilled, context)
      let statuses = fault.statuses.union(mayPrintResult(fault) ? [4] : [])
      #expect(statuses.contains(outcome.status), context)
    }
    var isNew: [Bool] = []
    for (name, expected) in new {
      let found = try? Files.read(folder.file(name))
      #expect(found == expected || found == old[name], "\(name) is neither old nor new: \(context)")
      isNew.append(found == expected)
    }
    if outcome.status == 0, !outcome.wasKilled { #expect(isNew.allSatisfy { $0 }, context) }
    if command.isPackage { #expect(Set(isNew).count == 1, "is mixed: \(context)") }
    expectNoLitter(folder, fault, context)
  }

  /// Whether a failing `write` may be that of the result to standard output.
  private func mayPrintResult(_ fault: Fault) -> Bool {
    fault.call == "write" && command.arguments.contains("--json")
  }

  /// Expects that only the outputs remain. If a process is killed when the new file is complete and
  /// about to replace the old one, that file remains under its temporary name; so does the file
  /// that HDF5 writes for a Keras file, because HDF5 can only open files by name, and a folder.
  private func expectNoLitter(_ folder: TemporaryFolder, _ fault: Fault, _ context: Comment) {
    let others = command.litter(in: folder)
    let isNamed = fault.call == "rename" || command.writesHDF5 || command.isPackage
    guard fault.kind == .kill, isNamed else {
      return #expect(others.isEmpty, "\(others): \(context)")
    }
    let places = Set(others.map { $0.prefix { $0 != "/" } })
    #expect(places.count <= 1 && places.allSatisfy { $0.hasSuffix(".tmp") }, context)
  }
}

extension FaultCommand {
  /// What is in a folder besides the outputs and the folders that they are in.
  fileprivate func litter(in folder: TemporaryFolder) -> [String] {
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    return (paths ?? []).filter { path in
      !outputs.contains { $0 == path || $0.hasPrefix(path + "/") }
    }
  }
}
