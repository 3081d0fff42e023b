import Foundation
import Testing

/// Each code block in an article is compiled or run, or says why not.
@Suite struct ArticleBlockTests {
  @Test("Each code block is compiled or run by a test, or a note before it says why not")
  func blocks() throws {
    let tests = try compiledCode()
    var counts: [String: Int] = [:]
    for article in try Article.all() {
      for block in article.blocks {
        if case .isRun(let file) = block.note {
          let path = "\(Project.folder)/\(file)"
          #expect(FileManager.default.fileExists(atPath: path), "\(article.path): \(file)")
        }
        guard block.note == nil else { continue }
        counts[block.language, default: 0] += 1
        let isTested =
          switch block.language {
          case "swift": tests.contains("\n\(block.unindented)\n")
          case "console": block.lines.first?.hasPrefix("$ ") == true  // run below
          case "json": article.name == "CustomLayers"  // read by ArticleTests
          case "python": try runsPython(article)
          case "text": true
          default: false
          }
        #expect(isTested, "\(article.path): \(block.language)\n\(block.unindented)")
      }
    }
    for (language, least) in ["swift": 38, "console": 17, "json": 12, "python": 13] {
      #expect(counts[language, default: 0] >= least, "\(language): \(counts)")
    }
  }

  @Test(
    "Swift that is not run here is Swift",
    .enabled(
      if: try Program.run(["-c", "command -v swiftc"], of: "/bin/sh").status == 0, "needs swiftc"))
  func parsed() throws {
    var count = 0
    for article in try Article.all() {
      for block in article.blocks where block.language == "swift" {
        guard case .isNotRun = block.note else { continue }
        count += 1
        try withTemporaryFile("block.swift") { path in
          let text = block.lines.joined(separator: "\n")
          try text.write(toFile: path, atomically: true, encoding: .utf8)
          let (output, status) = try Program.run(
            ["-c", "exec swiftc -parse '\(path)' 2>&1"], of: "/bin/sh")
          #expect(status == 0, "\(article.path): \(output)")
        }
      }
    }
    #expect(count >= 4)
  }

  /// The Swift of the articles that is compiled and run.
  private func compiledCode() throws -> String {
    let folder = "\(Project.folder)/Tests"
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix("ArticleTests.swift") }
    return try files.map { file in
      // The articles name files without their folder.
      let text = try Project.text("Tests/\(file)").replacing(#"\(folder)/"#, with: "")
      return "\n\(CodeBlock.unindented(text.components(separatedBy: "\n")))\n"
    }.joined()
  }

  /// Whether `make test-python` or `make test-peers` runs an article's Python.
  private func runsPython(_ article: Article) throws -> Bool {
    let tests = try Project.text("Python/tests/test_documentation.py")
    let lines = try Project.text("Scripts/test-peers.sh").split(separator: "\n")
      .filter { $0.contains("peer article ") }
    return tests.contains("\"\(article.name).md\"")
      || lines.contains { $0.split(separator: " ").contains(article.name[...]) }
  }

  /// Calls `body` with a folder that has the files which the articles name.
  private func withFiles(_ body: (String) throws -> Void) throws {
    try withTemporaryFile("article") { folder in
      let script = "\(Project.folder)/Samples/Models/articles.sh"
      let (_, status) = try Program.run([Program.path, folder], of: script)
      try #require(status == 0)
      try body(folder)
    }
  }

  @Test(
    "The commands of an article print what it shows",
    arguments: try Article.all().filter { article in
      article.blocks.contains { $0.language == "console" && $0.note == nil }
    })
  func commands(_ article: Article) throws {
    let blocks = article.blocks.filter { $0.language == "console" && $0.note == nil }
    #expect(!blocks.isEmpty)
    try withFiles { folder in
      for block in blocks {
        // A block of only commands omits their output.
        let showsOutput = block.commands.contains { !$0.shown.isEmpty }
        for command in block.commands {
          let (output, status) = try run(command.written, in: folder)
          // `diff` ends with 1 when the models differ.
          let isDifference = command.written[0].hasPrefix("$ weighbridge diff ") && status == 1
          #expect(status == 0 || isDifference, "\(command.written): \(status)\n\(output)")
          guard showsOutput else { continue }
          let shown = command.shown.joined(separator: "\n")
          #expect(output.trimmingCharacters(in: .newlines) == shown, "\(command.written)")
        }
      }
    }
  }

  private func run(
    _ command: [String], in folder: String
  ) throws -> (output: String, status: Int32) {
    let programs = URL(filePath: Program.path).deletingLastPathComponent()
      .path(percentEncoded: false)
    let text = command.joined(separator: "\n").dropFirst(2)
    let script = "exec 2>&1; cd '\(folder)'; PATH='\(programs)':\"$PATH\"; \(text)"
    return try Program.run(["-c", script], of: "/bin/bash")
  }
}
