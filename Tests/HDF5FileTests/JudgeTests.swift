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

  private static let repository = file("").split(separator: "/").dropLast(3)
  static let samples = "/\(repository.joined(separator: "/"))/Samples"
  private static let fixtures = "/\(repository.dropLast().joined(separator: "/"))/shared/fixtures"

  @Test("every sample reads as libhdf5 reads it")
  func everySample() throws {
    let paths = Self.files(below: Self.samples, [".h5", ".hdf5"]).filter {
      !$0.contains("/Hostile/hdf5/")  // they break libhdf5, and the process with it
    }
    #expect(paths.count > 800)
    try compare(paths)
  }

  @Test("the weights in every archive of the samples read as libhdf5 reads them")
  func everyArchive() throws {
    let paths = Self.files(below: Self.samples, [".keras"])
    var count = 0
    for path in paths {
      let store = ByteStore(try MappedFile(path: path))
      let directory = store.withBytes { try? ZipDirectory($0, memberLimit: 1000) }
      // Some samples are no archives, on purpose.
      guard let member = directory?.members.first(where: { $0.name == "model.weights.h5" }) else {
        continue
      }
      var memory = 1 << 30
      let (contents, range) = try ZipReader.contents(of: member, in: store, memory: &memory)
      guard let file = try? HDF5File(contents, byteRange: range, path: path) else { continue }
      let bytes = contents.withBytes { $0.copied(range) }
      expectSame(
        try FileListing(file: file).lines(), try LibHDF5Listing.lines(bytes: bytes), path)
      count += 1
    }
    #expect(count > 40)
  }

  @Test(
    "every fixture reads as libhdf5 reads it",
    .enabled(
      if: FileManager.default.fileExists(atPath: fixtures), "there is no ../shared/fixtures"))
  func everyFixture() throws {
    let paths = Self.files(below: Self.fixtures, [".h5", ".hdf5"])
    #expect(paths.count > 10)
    try compare(paths)
  }

  @Test("the test files read as libhdf5 reads them, as far as it can")
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

  /// Compares what both read; what libhdf5 refuses as a whole may be refused by us.
  private func compare(_ paths: [String]) throws {
    var count = 0
    for path in paths {
      guard let expected = try? LibHDF5Listing.lines(path: path) else { continue }
      count += 1
      let ours = try? FileListing(file: HDF5File(path: path)).lines()
      expectSame(ours ?? ["nothing"], expected, path)
    }
    #expect(2 * count > paths.count)
  }
}
