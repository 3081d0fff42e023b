import Foundation
import GraphIR
import LayerCatalog
import Testing
import _CatalogTesting

/// The catalog as a document: the definitions from which `operators.json` and `operators.md` are
/// generated.
struct OperatorReference {
  /// The root of the repository.
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The operators, sorted by kind.
  let entries: [Entry]

  /// An operator with what its definition does not contain.
  struct Entry {
    let kind: String
    let version: Int
    let earliestVersion: Int
    let definition: OperatorDefinition
    /// The documentation comment, as Markdown.
    let description: String
    /// The inputs of all examples.
    let slots: [InputSlot]
    /// The kinds of operators in the decompositions of the examples; `nil` for a primitive.
    let decomposition: [String]?
  }

  init() throws {
    let comments = try Self.comments()
    let entries = try Catalog.all.map { type in
      let examples = OperatorExample.all.filter { $0.operation.kind == type.kind }
      return Entry(
        kind: type.kind, version: type.version, earliestVersion: type.earliestVersion,
        definition: type.definition,
        description: try #require(comments[String(describing: type)], "\(type)"),
        slots: examples.flatMap(\.operation.inputs),
        decomposition: try Self.decomposition(of: examples))
    }
    self.entries = (entries + [Self.opaque]).sorted { $0.kind < $1.kind }
  }

  /// Layers that are not understood, which are not in the catalog.
  private static var opaque: Entry {
    Entry(
      kind: Opaque.kind, version: Opaque.version, earliestVersion: Opaque.version,
      definition: .opaque,
      description: "A layer of the source that is not understood, kept as it is.",
      slots: [.data("input"), .weight("weights")], decomposition: nil)
  }

  private static func decomposition(of examples: [OperatorExample]) throws -> [String]? {
    var kinds: Set<String>?
    for example in examples {
      guard let graph = try example.decomposed() else { continue }
      kinds = (kinds ?? []).union(graph.nodes.map { $0.operation.kind })
    }
    return kinds?.sorted()
  }

  /// The documentation comments of the operators, by type name.
  private static func comments() throws -> [String: String] {
    let folder = root.appending(path: "Sources/Operators/LayerCatalog")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var comments: [String: String] = [:]
    for case let file as URL in files where file.pathExtension == "swift" {
      let name = file.deletingPathExtension().lastPathComponent
      comments[name] = comment(
        before: "package struct \(name):", in: try String(contentsOf: file, encoding: .utf8))
    }
    return comments
  }

  /// The documentation comment before a declaration, with links to the operators that it mentions.
  private static func comment(before declaration: String, in source: String) -> String? {
    let lines = source.components(separatedBy: "\n")
    guard let end = lines.firstIndex(where: { $0.hasPrefix(declaration) }) else { return nil }
    let start = lines[..<end].lastIndex { !$0.hasPrefix("///") }.map { $0 + 1 } ?? 0
    let kinds = Dictionary(
      Catalog.all.map { (String(describing: $0), $0.kind) }, uniquingKeysWith: { first, _ in first }
    )
    return lines[start..<end].map { line in
      String(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)).replacing(/``(\w+)``/) { match in
        kinds[String(match.output.1)].map { "[\($0)](#\($0))" } ?? String(match.output.1)
      }
    }.joined(separator: "\n")
  }
}

extension OperatorReference.Entry {
  /// The slot of an input, which says whether it is data, a weight, indices or variadic.
  func slot(of input: InputDefinition) -> InputSlot? {
    slots.first { $0.name == input.name }
  }

  /// The concepts that the definition refers to, in the order of the document.
  var concepts: [Concept] {
    let named = Set(definition.concepts + definition.attributes.compactMap(\.concept))
    return Concept.allCases.filter(named.contains)
  }
}

extension Concept {
  /// The heading of its section.
  var title: String {
    let words = rawValue.replacing("-", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
