import Bytes
import Foundation
import HDF5File
import Testing

/// Damaged files: whatever the bytes, reading ends with values or with errors that have a place.
///
/// `HDF5_MUTATIONS` sets how many files are tried, and `HDF5_SEED` where the series begins.
@Suite("Damaged HDF5 files")
struct MutationTests {
  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  /// The files that are damaged: those of the family, of the other tests and a few samples, as far as
  /// they are not large.
  private static func originals() -> [[UInt8]] {
    let names =
      FamilyTests.names.map { "Family/\($0)" }
      + ["attributes", "links", "numbers", "layouts", "refused", "latest", "user_block", "deep"]
      .map { "\($0).h5" }
    let samples = JudgeTests.files(below: JudgeTests.samples, [".h5"])
    let some = stride(from: 0, to: samples.count, by: 40).map { samples[$0] }
    return (names.map(file) + some).compactMap { path in
      guard let map = try? MappedFile(path: path), (1...120_000).contains(map.count) else {
        return nil
      }
      return map.withBytes { $0.copied(0..<$0.byteCount) }
    }
  }

  @Test("Changed metadata never ends the program and always gives errors with a place")
  func mutations() throws {
    let originals = Self.originals()
    #expect(originals.count > 50)
    let (first, count) = (Self.setting("HDF5_SEED") ?? 0, Self.setting("HDF5_MUTATIONS") ?? 600)
    var limits = HDF5File.Limits()
    limits.datasetByteCount = 1 << 22
    var (failed, slowest) = (0, (Duration.zero, 0))
    for seed in first..<first + count {
      let start = ContinuousClock.now
      var mutator = Mutator(seed: UInt64(seed))
      var bytes = mutator.change(originals[seed % originals.count])
      let errors = ChecksumRepair.repair(&bytes, atMost: seed % 4 == 0 ? 0 : 6) {
        FullReading.errors($0, limits: limits)
      }
      if !errors.isEmpty { failed += 1 }
      for error in errors {
        #expect(error.place.file == "changed.h5" && !error.reason.isEmpty, "seed \(seed)")
      }
      let duration = start.duration(to: .now)
      if duration > slowest.0 { slowest = (duration, seed) }
      if count >= 10_000, seed % 10_000 == 0 {
        let line = "seed \(seed): \(failed) refused, slowest \(slowest)\n"
        try FileHandle.standardError.write(contentsOf: Data(line.utf8))
      }
    }
    #expect(failed > count / 10)
    #expect(failed < count)
  }
}
