import Bytes
import Foundation
import GraphIR
import KerasConversion
import LayerCatalog
import Testing
import _CatalogTesting

/// The README and the tables in an article are in sync with the code.
@Suite struct ReadmeTests {
  /// A generated part of a document, which `make generate` writes.
  enum Part: String, CaseIterable, Sendable {
    case demonstration = "what `make demo` prints"
    case layers = "the layers of Keras"
    case support = "the layer catalogue"

    /// The file that contains it.
    var file: String {
      switch self {
      case .demonstration: "README.md"
      case .layers, .support: "Sources/Product/Weighbridge/Weighbridge.docc/LayersAndOperators.md"
      }
    }

    /// The part, generated now.
    func text() throws -> String {
      switch self {
      case .layers: KerasLayerTable.markdown
      case .support: SupportTable().markdown
      case .demonstration: "```console\n\(try demonstration())\n```"
      }
    }

    /// The output of the demonstration, with most of the layers omitted.
    private func demonstration() throws -> String {
      try withTemporaryFile("demo") { folder in
        let (output, status) = try Program.run(
          [Program.path, folder], of: "\(Project.detector)/demo.sh")
        #expect(status == 0)
        var lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasPrefix(" 4  ") })
        let last = try #require(lines.firstIndex { $0.hasPrefix("22  ") })
        lines.replaceSubrange(first..<last, with: ["[... \(last - first) layers ...]"])
        return lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
      }
    }
  }

  /// A text with a part regenerated.
  private func renewed(_ text: String, _ part: Part) throws -> String {
    let begin = "<!-- From \(part.rawValue), by `make generate`. -->\n"
    let start = try #require(text.range(of: begin), "\(part.file) has lost the marker \(begin)")
    let end = try #require(
      text.range(of: "<!-- End. -->", range: start.upperBound..<text.endIndex),
      "\(part.file) has lost the marker of an end")
    return text.replacingCharacters(
      in: start.upperBound..<end.lowerBound, with: try part.text() + "\n")
  }

  /// The README with the commands under "Commands" run again, one after the other, in the folder of
  /// the demonstration.
  private func renewedExamples(_ text: String) throws -> String {
    let heading = try #require(text.range(of: "\n## Commands\n"), "the README has lost a heading")
    return try withTemporaryFile("demo") { folder in
      let status = try Program.run([Program.path, folder], of: "\(Project.detector)/demo.sh").status
      #expect(status == 0)
      var result = String(text[..<heading.upperBound])
      var isBlock = false
      let parts = text[heading.upperBound...].components(separatedBy: "```")
      for part in parts {
        if isBlock, part.hasPrefix("console\n") {
          result += "```console\n" + (try renewedBlock(part, folder)) + "```"
        } else {
          result += isBlock ? "```\(part)```" : part
        }
        isBlock.toggle()
      }
      return result
    }
  }

  /// A block with each command followed by its current output.
  private func renewedBlock(_ block: String, _ folder: String) throws -> String {
    let programs = URL(filePath: Program.path).deletingLastPathComponent()
      .path(percentEncoded: false)
    return try block.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { line in
      let script = "exec 2>&1; cd '\(folder)'; PATH='\(programs)':\"$PATH\"; \(line.dropFirst(2))"
      return try "\(line)\n" + Program.run(["-c", script], of: "/bin/bash").output
    }.joined()
  }

  @Test(
    "The README's program output and the generated tables are up to date",
    arguments: Set(Part.allCases.map(\.file)))
  func generatedParts(_ file: String) throws {
    let text = try Project.text(file)
    var renewed = text
    for part in Part.allCases where part.file == file {
      renewed = try self.renewed(renewed, part)
    }
    if file == "README.md" { renewed = try renewedExamples(renewed) }
    if ProcessInfo.processInfo.environment["WEIGHBRIDGE_GENERATE"] == "1", renewed != text {
      try renewed.write(toFile: "\(Project.folder)/\(file)", atomically: true, encoding: .utf8)
    }
    let current = try Project.text(file)
    // A separate variable, so that a failure does not print both texts.
    let isCurrent = masked(renewed) == masked(current)
    #expect(isCurrent, "\(file) is out of date. Run: make generate")
  }

  /// The text without tensor differences and their places, which depend on the processor.
  private func masked(_ text: String) -> String {
    text.replacing(/(max abs|max rel|cosine|by) [0-9][0-9.e+-]*/) { "\($0.output.1)" }
      .replacing(/worst at \[[^\]\n]*\]: \S+ instead of \S+/) { _ in "worst at" }
      .replacing(/at most \(#[^\n]*/) { _ in "at most" }
  }

  @Test("The support table has empty layer cells for an operator that Keras lacks")
  func withoutLayers() {
    let table = SupportTable([WithoutKeras.self]).markdown
    #expect(table.contains("| `without_keras` |  |  | yes |"))
  }

  @Test("Every layer of Keras is read, or refused with a reason")
  func everyLayer() {
    #expect(KerasLayerTable.names(of: 3).count > 100)
    let unknown = KerasLayerTable.refused.filter { $0.value == "it is not known" }.keys.sorted()
    #expect(unknown == [])
  }

  @Test(
    "The table of layers has every Keras class except abstract bases",
    arguments: zip([2, 3], ["2_15_0", "3_15_1"]))
  func everyClass(_ generation: Int, _ version: String) throws {
    let bases: Set = ["AbstractRNNCell", "Layer", "Wrapper"]
    let listed = try Project.text("Samples/Layers/classes_keras\(version).txt")
      .split(separator: "\n").map { Set($0.split(separator: " ").map(String.init)) }
    #expect(listed.count > 100)
    let known = KerasLayerTable.names(of: generation).union(bases)
    #expect(listed.filter { $0.isDisjoint(with: known) } == [])
  }
}

/// An operator that Keras does not have.
private struct WithoutKeras: ScalarOperator, PlainOperator, PrimitiveOperator {
  static let kind = "without_keras"
  static let version = 1
  static let declaration = OperatorDeclaration<Self>("y = x", of: .float)

  func apply(_ element: Double) -> Double { element }
}
