import Foundation
import HDF5File
import Testing

/// Files that `Files/Family/make_family.py` made: one for each way that HDF5 has to store things.
@Suite("HDF5's ways to store things")
struct FamilyTests {
  static let names: [String] = {
    let folder = file("Family")
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return all.filter { $0.hasSuffix(".h5") }.sorted()
  }()

  @Test("There are files of the family")
  func family() { #expect(Self.names.count > 30) }

  @Test("A file reads as HDF5 2.0 reads it", arguments: names)
  func recorded(name: String) throws {
    let recorded = try String(
      contentsOfFile: file("Family/\(name.dropLast(3)).txt"), encoding: .utf8)
    let lines = try FileListing(file: open("Family/\(name)")).lines()
    expectSame(lines, recorded.split(separator: "\n").map(String.init))
  }
}

/// Expects two listings to be equal, and says the first lines that are not.
func expectSame(
  _ lines: [String], _ expected: [String], _ name: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(!expected.isEmpty, "\(name)", sourceLocation: sourceLocation)
  let missing = Set(expected).subtracting(lines).sorted().prefix(5)
  let surplus = Set(lines).subtracting(expected).sorted().prefix(5)
  #expect(missing.isEmpty, "\(name)", sourceLocation: sourceLocation)
  #expect(surplus.isEmpty, "\(name)", sourceLocation: sourceLocation)
  #expect(lines.count == expected.count, "\(name)", sourceLocation: sourceLocation)
}
