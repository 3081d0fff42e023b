import Foundation
import GraphIR
import LayerCatalog
import Testing
import _CatalogTesting

/// Keeps `Schemas/operators.md`, the definition of the operators that `.wbm` files name, equal to
/// what the catalogue's files say.
@Suite struct OperatorReferenceTests {
  @Test("Schemas/operators.md says what the catalogue's files say (`make generate` renews it)")
  func isUpToDate() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appending(path: "Schemas/operators.md")
    let reference = try OperatorReference(
      folder: root.appending(path: "Sources/Operators/LayerCatalog"))
    let text = reference.markdown
    if ProcessInfo.processInfo.environment["WEIGHBRIDGE_GENERATE"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }
}

/// The catalogue as a document: each operator's definition, inputs and attributes.
private struct OperatorReference {
  private var definitions: [String: String] = [:]

  init(folder: URL) throws {
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let name = file.deletingPathExtension().lastPathComponent
      definitions[name] = Self.comment(
        before: "package struct \(name):", in: try String(contentsOf: file, encoding: .utf8))
    }
  }

  var markdown: String {
    let sections = Catalog.all.sorted { $0.kind < $1.kind }.map(section)
    return ([Self.introduction] + sections).joined(separator: "\n\n") + "\n"
  }

  private func section(_ type: any CatalogOperator.Type) -> String {
    let examples = OperatorExample.all.map(\.operation).filter { $0.kind == type.kind }
    var parts = ["## \(type.kind)", "Version \(type.version). "]
    parts[1] += definitions[String(describing: type)] ?? ""
    parts.append("Inputs: " + Self.inputs(examples) + ".")
    let attributes = Self.attributes(examples)
    if !attributes.isEmpty {
      parts.append((["| attribute | type |", "|---|---|"] + attributes).joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }

  /// The slots in order; those that only some settings have are in brackets.
  private static func inputs(_ examples: [any CatalogOperator]) -> String {
    if case .variadic(let name, let minimum) = examples.first?.inputs.first {
      return "`\(name)`, \(minimum) or more"
    }
    let longest = examples.map(\.inputs).max { $0.count < $1.count } ?? []
    return longest.map { slot in
      let isAlways = examples.allSatisfy { $0.inputs.contains { $0.name == slot.name } }
      return isAlways ? "`\(slot.name)`" : "[`\(slot.name)`]"
    }.joined(separator: ", ")
  }

  /// A row for each attribute; those that only some settings have say so.
  private static func attributes(_ examples: [any CatalogOperator]) -> [String] {
    var rows: [String] = []
    for entry in examples.flatMap(\.attributes.entries) {
      let isAlways = examples.allSatisfy { example in
        example.attributes.entries.contains { $0.name == entry.name }
      }
      let row = "| `\(entry.name)` | \(entry.value.typeName)\(isAlways ? "" : ", not always") |"
      if !rows.contains(row) { rows.append(row) }
    }
    return rows
  }

  /// The documentation comment in front of a declaration, as Markdown.
  private static func comment(before declaration: String, in text: String) -> String? {
    let lines = text.components(separatedBy: "\n")
    guard let end = lines.firstIndex(where: { $0.hasPrefix(declaration) }) else { return nil }
    let start = lines[..<end].lastIndex { !$0.hasPrefix("///") }.map { $0 + 1 } ?? 0
    return lines[start..<end].map { line in
      line.dropFirst(3).drop { $0 == " " }.replacingOccurrences(of: "``", with: "`")
    }.joined(separator: "\n")
  }

  private static let introduction = """
    # Operators of .wbm files

    What the nodes of a `.wbm` file compute, by `kind` and `version`. A reader refuses a kind, a \
    version or an attribute that it does not know. This document is made from the operators' \
    definitions in `Sources/Operators/LayerCatalog` (`make generate`); a test keeps it so.

    Each definition is exact up to rounding: sums are accumulated in float64, and each output is \
    rounded once to its element type, which is the input's.

    **Layouts.** `layout` is `channels_last` (`[batch, spatial..., channels]`) or `channels_first` \
    (`[batch, channels, spatial...]`).

    **Windows.** `window`, `strides` and `dilation` have one entry for each spatial axis, at least \
    1 each. A window covers (window - 1) x dilation + 1 elements of its axis and moves by the \
    stride. `padding` is `valid` (nothing is added; positions that do not fit are left out), \
    `same` (so much is added that there are ceil(extent / stride) positions; of an odd amount the \
    larger half goes behind) or `explicit` (`padding_before` and `padding_after` elements for each \
    spatial axis). The number of positions is floor((extent + added - covered) / stride) + 1.

    **Borders.** `before` and `after` have one entry for each spatial axis, in elements.

    **Layers that are not understood.** `opaque`, version 1, is a layer of the source that was kept \
    as it is; it has types and cannot be computed. Its inputs are what the layer takes, then its \
    weights. Attributes: `class` (text) and `settings` (text: JSON, without code) as the source has \
    them, `inputs` (integer: how many inputs are no weights), `weights` (list of texts: their \
    names), and of its outputs `element_types` (list of texts), `ranks` (list of integers) and \
    `extents` (list of integers: all axes one after the other, -1 where they are open; an open \
    first axis is as long as that of the first input).
    """
}

extension AttributeValue {
  fileprivate var typeName: String {
    switch self {
    case .integer: "integer"
    case .real: "real"
    case .flag: "boolean"
    case .text: "text"
    case .integers: "list of integers"
    case .reals: "list of reals"
    case .texts: "list of texts"
    }
  }
}
