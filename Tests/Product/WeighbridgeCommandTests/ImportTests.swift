import Foundation
import TestSupport
import Testing

/// The modules that the program's sources may import.
@Suite struct ImportTests {
  /// Modules that are not part of the program.
  private static let others = [
    "Support/", "Product/WeighbridgePlugin/", "Product/WeighbridgeFoundation/",
  ]

  @Test("No module of the program imports Foundation, which would double its size")
  func foundation() throws {
    let folder = "\(Paths.project)/Sources"
    let paths = try #require(FileManager.default.enumerator(atPath: folder)).compactMap {
      $0 as? String
    }
    let sources = paths.filter { path in
      path.hasSuffix(".swift") && !Self.others.contains { path.hasPrefix($0) }
    }
    #expect(sources.contains { $0.hasPrefix("Execution/Compaction/") })
    for path in sources {
      let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
      let imports = text.split(separator: "\n").filter { line in
        line.split(separator: " ").suffix(2) == ["import", "Foundation"]
      }
      #expect(imports.isEmpty, "\(path)")
    }
  }
}
