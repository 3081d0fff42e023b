import Bytes
import HDF5File
import Testing

/// One file for each rule of the format that can be broken.
@Suite("Hostile HDF5 files")
struct HostileTests {
  static let files =
    HostileFiles.superblocks + HostileFiles.headers + HostileFiles.groups + HostileFiles.heaps
    + HostileFiles.trees + HostileFiles.attributes + HostileFiles.datasets + HostileFiles.chunks
    + HostileFiles.filters

  @Test("Each is refused with its path and the reason", arguments: files)
  func refused(file: HostileFile) throws {
    let (_, errors) = try file.bytes()
    let found = errors.first(where: file.explains)
    #expect(found != nil, "\(errors.map { "\($0.code) \($0)" })")
    // Where it is said what is supported, the path is enough.
    if let found, file.path != nil, file.code == .malformed {
      #expect(found.reason.contains("(byte "), "\(found)")
    }
  }

  @Test("There are more than 200 hostile files, all different")
  func count() {
    #expect(Self.files.count > 200)
    #expect(Set(Self.files.map(\.story)).count == Self.files.count)
  }
}
