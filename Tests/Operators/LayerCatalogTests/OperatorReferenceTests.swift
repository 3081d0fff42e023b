import Foundation
import GraphIR
import JSON
import LayerCatalog
import Testing
import _CatalogTesting

/// Checks that `Schemas/operators.json` and `operators.md`, which define the operators of `.wbm`
/// files, agree with the catalog.
@Suite struct OperatorReferenceTests {
  @Test("Schemas/operators.md agrees with the catalog (`make generate` renews it)")
  func markdownIsUpToDate() throws {
    try expect("operators.md", isEqualTo: try OperatorReference().markdown)
  }

  @Test("Schemas/operators.json agrees with the catalog (`make generate` renews it)")
  func jsonIsUpToDate() throws {
    try expect(
      "operators.json", isEqualTo: try OperatorReference().json.text(indented: true) + "\n")
  }

  @Test("The reference names no declaration of the source")
  func namesNoSourceIdentifier() throws {
    let markdown = try OperatorReference().markdown
    // Words in lower camel case.
    #expect(markdown.matches(of: /\b[a-z][a-z0-9]*[A-Z]\w*/).map { String($0.output) } == [])
    #expect(!markdown.contains(/see [^.\n]* below/))
  }

  @Test("Every link of the reference leads to a heading of it")
  func linksLeadToHeadings() throws {
    let markdown = try OperatorReference().markdown
    let headings = markdown.split(separator: "\n").filter { $0.hasPrefix("#") }.map {
      $0.drop { $0 == "#" || $0 == " " }.lowercased().replacing(" ", with: "-")
    }
    let links = markdown.matches(of: /\]\(#([^)]*)\)/).map { String($0.output.1) }
    #expect(!links.isEmpty)
    #expect(Set(links).subtracting(headings) == [])
    #expect(Set(headings).count == headings.count)
  }

  private func expect(_ name: String, isEqualTo text: String) throws {
    let file = OperatorReference.root.appending(path: "Schemas/\(name)")
    if ProcessInfo.processInfo.environment["WEIGHBRIDGE_GENERATE"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }
}
