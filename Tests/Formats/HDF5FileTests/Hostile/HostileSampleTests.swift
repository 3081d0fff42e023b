import Bytes
import Foundation
import HDF5File
import Testing

/// The files of `Samples/Hostile/hdf5`: `WEIGHBRIDGE_GENERATE=1` writes them anew.
@Suite("Hostile HDF5 samples")
struct HostileSampleTests {
  @Test("Each is refused with the recorded error", arguments: HostileSample.committed)
  func refused(sample: HostileSample) throws {
    let path = "\(HostileSample.folder)/\(sample.file)"
    let bytes = try MappedFile(path: path).withBytes { $0.copied(0..<$0.byteCount) }
    let errors = FullReading.errors(bytes, limits: HDF5File.Limits())
    #expect(errors.contains(where: sample.isExplained), "\(errors)")
    if sample.code == "malformed", sample.path != nil {
      #expect(sample.reason.contains("(byte "), "\(sample)")
    }
  }

  @Test("The committed files are those of the tests, and not larger than 2 MiB together")
  func committed() throws {
    let files = try Self.files()
    let samples = files.map(\.sample)
    if ProcessInfo.processInfo.environment["WEIGHBRIDGE_GENERATE"] == "1" {
      try Self.write(files)
    }
    #expect(samples.count == HostileSample.count)
    #expect(Set(samples.map(\.file)).count == samples.count)
    var total = 0
    for (sample, bytes) in files {
      let data = try? Data(contentsOf: URL(filePath: "\(HostileSample.folder)/\(sample.file)"))
      #expect(data == Data(bytes), "\(sample.file): run with WEIGHBRIDGE_GENERATE=1 to renew")
      total += bytes.count
    }
    #expect(total < 2 << 20)
    let list = try Data(contentsOf: URL(filePath: "\(HostileSample.folder)/expected.json"))
    #expect(list == (try Self.list(samples)), "run with WEIGHBRIDGE_GENERATE=1 to renew")
  }

  private typealias File = (sample: HostileSample, bytes: [UInt8])

  /// The smallest of the hostile files, in the order of their names.
  private static func files() throws -> [File] {
    var files: [File] = []
    for hostile in HostileTests.files {
      let (bytes, errors) = try hostile.bytes()
      files.append((try #require(HostileSample(hostile, errors), "\(hostile)"), bytes))
    }
    let order = files.indices.sorted { (files[$0].bytes.count, $0) < (files[$1].bytes.count, $1) }
    return order.prefix(HostileSample.count).map { files[$0] }.sorted {
      $0.sample.file < $1.sample.file
    }
  }

  private static func list(_ samples: [HostileSample]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(samples) + Data("\n".utf8)
  }

  private static func write(_ files: [File]) throws {
    let folder = HostileSample.folder
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (sample, bytes) in files {
      try Data(bytes).write(to: URL(filePath: "\(folder)/\(sample.file)"))
    }
    try list(files.map(\.sample)).write(to: URL(filePath: "\(folder)/expected.json"))
    let lines = files.map { "| `\($0.sample.file)` | \($0.sample.story) |" }
    let text = """
      # Hostile HDF5 files

      One file for each rule of the format, broken: an intact file of
      `Tests/Formats/HDF5FileTests/Files` with one change, the checksums around it made right.
      `Tests/Formats/HDF5FileTests/Hostile` makes them (`WEIGHBRIDGE_GENERATE=1`), and `expected.json` says
      what the reader must answer: the object's path and the byte.

      | file | what is wrong |
      |---|---|
      \(lines.joined(separator: "\n"))

      """
    try Data(text.utf8).write(to: URL(filePath: "\(folder)/README.md"))
  }
}
