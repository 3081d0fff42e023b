import Bytes
import Foundation
import GraphIR
import LayerCatalog
import Testing

@Suite struct CatalogTests {
  /// The names of the operators that the files of the module define.
  private func definedOperators() throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appending(path: "Sources/Operators/LayerCatalog")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var names: [String] = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let source = try String(contentsOf: file, encoding: .utf8)
      for match in source.matches(of: /struct (\w+)(?:<[^>]*>)?\s*:[^{]*\b\w*Operator\b[^{]*{/) {
        names.append(String(match.1))
        #expect(file.lastPathComponent == "\(match.1).swift", "one operator is one file")
      }
    }
    return names
  }

  @Test("The catalog lists every operator that a file defines, in alphabetical order")
  func listIsComplete() throws {
    #expect(Catalog.all.count > 100)
    let listed = Catalog.all.map { String(describing: $0) }
    let defined = try definedOperators().sorted { $0.lowercased() < $1.lowercased() }
    #expect(listed == defined)
  }

  @Test("No two operators have the same kind")
  func kindsAreUnique() {
    #expect(duplicates(Catalog.all.map { $0.kind }) == [])
  }

  @Test(
    "An operator of another version is refused, with what can be done",
    arguments: [(1, "convert the original model again"), (3, "a newer version of this program")])
  func versions(_ version: Int, _ advice: String) {
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try Catalog.standard.makeOperator(
        kind: "resizing", version: version, attributes: [:])
    }
    #expect(error?.code == .unsupported)
    #expect(
      error?.reason.contains("has version \(version), and this program knows 2; \(advice)") == true)
  }

  private func duplicates(_ names: [String]) -> [String] {
    Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
  }
}
