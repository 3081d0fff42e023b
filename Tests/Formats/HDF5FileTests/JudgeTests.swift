import Bytes
import Foundation
import HDF5File
import Testing
import ZipArchive

/// Recorded files, read by us and by libhdf5.
@Suite("Recorded HDF5 files beside libhdf5")
struct JudgeTests {
  /// All files below a folder whose names end so.
  static func files(below folder: String, _ suffixes: [String]) -> [String] {
    let folder = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return all.filter { name in suffixes.contains { name.hasSuffix($0) } }
      .map { "\(folder)/\($0)" }.sorted()
  }

  private static let repository = file("").split(separator: "/").dropLast(4)
  static let samples = "/\(repository.joined(separator: "/"))/Samples"
  private static let fixtures =
    ProcessInfo.processInfo.environment["WEIGHBRIDGE_FIXTURES"]
    ?? "/\(repository.dropLast().joined(separator: "/"))/shared/fixtures"

  @Test("Every sample reads as libhdf5 reads it")
  func everySample() throws {
    let paths = Self.files(below: Self.samples, [".h5", ".hdf5"]).filter {
      !$0.contains("/Hostile/hdf5/")  // they break libhdf5, and the process with it
    }
    #expect(paths.count > 800)
    try compare(paths)
  }

  @Test("The weights in every archive of the samples read as libhdf5 reads them")
  func everyArchive() throws {
    // Some hostile samples are no archives, on purpose.
    let paths = Self.files(below: Self.samples, [".keras"]).filter { !$0.contains("/Hostile/") }
    #expect(paths.count > 50)
    for path in paths {
      let store = ByteStore(try MappedFile(path: path))
      let directory = try store.withBytes { (bytes) throws(WeighbridgeError) in
        try ZipDirectory(bytes, memberLimit: 1000)
      }
      let member = try #require(
        directory.members.first { $0.name == "model.weights.h5" }, "\(path)")
      var memory = 1 << 30
      let (contents, range) = try ZipReader.contents(of: member, in: store, memory: &memory)
      let file = try HDF5File(contents, byteRange: range, path: path)
      let bytes = contents.withBytes { $0.copied(range) }
      expectSame(
        try FileListing(file: file).lines(), try LibHDF5Listing.lines(bytes: bytes), path)
    }
  }

  @Test(
    "Every fixture reads as libhdf5 reads it",
    .enabled(
      if: FileManager.default.fileExists(atPath: fixtures),
      "needs the reference files (WEIGHBRIDGE_FIXTURES or ../shared/fixtures)"))
  func everyFixture() throws {
    let paths = Self.files(below: Self.fixtures, [".h5", ".hdf5"])
    #expect(paths.count > 1000)
    try compare(paths)
  }

  @Test("The test files read as libhdf5 reads them, as far as it can")
  func everyFile() throws {
    let paths = Self.files(below: file(""), [".h5"]).filter { path in
      // libhdf5 reads zeros behind the end of a file, has no LZF, and compares types within types
      // in a time that doubles with each.
      !path.contains("/Family/") && !path.hasSuffix("past_the_end.h5")
        && !path.hasSuffix("refused.h5") && !path.hasSuffix("deep_types.h5")
    }
    #expect(paths.count > 10)
    try compare(paths)
  }

  /// Compares what both read; what libhdf5 refuses as a whole may be refused by us. Of files that
  /// are meant to be read, it refuses none.
  private func compare(_ paths: [String]) throws {
    var count = 0
    let own = file("")
    for path in paths {
      guard let expected = try? LibHDF5Listing.lines(path: path) else {
        #expect(path.contains("/Hostile/") || path.hasPrefix(own), "libhdf5 refuses \(path)")
        continue
      }
      count += 1
      let ours = try? FileListing(file: HDF5File(path: path)).lines()
      expectSame(ours ?? ["nothing"], expected, path)
    }
    #expect(2 * count > paths.count)
  }
}
