import Foundation
import Testing

/// The links between the documents. Those to symbols are checked by `make docs`.
@Suite struct LinkTests {
  /// The paths of the documents from the root.
  private static func documents() throws -> [String] {
    let hidden = [".build", ".git", "Documentation/Manual/Manual.docc/Generated"]
    let folders = try FileManager.default.contentsOfDirectory(atPath: Project.folder)
    return folders.flatMap { name -> [String] in
      if name.hasSuffix(".md") { return [name] }
      guard !name.hasPrefix(".") else { return [] }
      let paths = FileManager.default.enumerator(atPath: "\(Project.folder)/\(name)")
      return (paths?.compactMap { $0 as? String } ?? [])
        .map { "\(name)/\($0)" }
        .filter { path in
          path.hasSuffix(".md") && !hidden.contains { path.contains($0) }
        }
    }
  }

  /// The document without its code.
  private func prose(_ text: String) -> String {
    var isCode = false
    let lines = text.components(separatedBy: "\n").filter { line in
      if line.hasPrefix("```") { isCode.toggle() }
      return !isCode
    }
    return lines.joined(separator: "\n").replacing(/`[^`\n]+`/, with: "")
  }

  private func headings(_ text: String) -> [String] {
    var isCode = false
    return text.components(separatedBy: "\n").compactMap { line in
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode, line.hasPrefix("#") else { return nil }
      return line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
    }
  }

  /// The fragment that GitHub generates for a heading.
  private func anchor(_ heading: String) -> String {
    heading.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
      .replacing(" ", with: "-")
  }

  @Test("Every file that a document links to is there, and so is the heading in it")
  func files() throws {
    let documents = try Self.documents()
    #expect(documents.count > 40)
    var count = 0
    for document in documents {
      let folder = URL(filePath: "\(Project.folder)/\(document)").deletingLastPathComponent()
      for link in prose(try Project.text(document)).matches(
        of: /\]\(([^)<>:\s#]*)(?:#([^)\s]+))?\)/)
      {
        count += 1
        let path = String(link.1)
        let target =
          path.isEmpty
          ? "\(Project.folder)/\(document)"
          : folder.appending(path: path).path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: target) else {
          Issue.record("\(document): \(path)")
          continue
        }
        guard let heading = link.2 else { continue }
        let anchors = headings(try String(contentsOfFile: target, encoding: .utf8)).map(anchor)
        #expect(anchors.contains(String(heading)), "\(document): \(link.0)")
      }
    }
    #expect(count > 100)
  }

  @Test("Every article that an article links to is there, and so is the heading in it")
  func articles() throws {
    let articles = try Article.all()
    let headings = Dictionary(
      uniqueKeysWithValues: articles.map { ($0.name, self.headings($0.text)) })
    var count = 0
    for article in articles {
      for link in article.text.matches(of: /<doc:(?:[\w\/]*\/)?(\w*)(?:#([^>]+))?>/) {
        let name = link.1.isEmpty ? article.name : String(link.1)
        // Generated articles, and libraries without an article, are checked by `make docs`.
        guard !["CHeader", "FileFormat", "ModelReport", "Operators", "PythonAPI"].contains(name)
        else { continue }
        count += 1
        let found = headings[name]?.map { $0.replacing(" ", with: "-") }
        #expect(found != nil, "\(article.path): \(link.0)")
        if let heading = link.2 {
          #expect(found?.contains(String(heading)) == true, "\(article.path): \(link.0)")
        }
      }
    }
    #expect(count > 20)
  }
}
