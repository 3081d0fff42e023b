import Foundation
import Testing

/// An article of the documentation.
struct Article: CustomTestStringConvertible, Sendable {
  /// The path from the root.
  let path: String
  let text: String

  var testDescription: String { path }

  /// The name in links.
  var name: String {
    URL(filePath: path).deletingPathExtension().lastPathComponent
  }

  init(_ path: String) throws {
    self.path = path
    text = try Project.text(path)
  }

  /// All articles, in the catalogs of the libraries and of the site.
  static func all() throws -> [Article] {
    let catalogs = try folders(in: "Sources/Product") + ["Documentation/Manual"]
    return try catalogs.flatMap { folder in
      try folders(in: folder).filter { $0.hasSuffix(".docc") }.flatMap { catalog in
        try names(in: catalog).filter { $0.hasSuffix(".md") }.map {
          try Article("\(catalog)/\($0)")
        }
      }
    }
  }

  private static func folders(in folder: String) throws -> [String] {
    try names(in: folder).map { "\(folder)/\($0)" }.filter { path in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(
        atPath: "\(Project.folder)/\(path)", isDirectory: &isFolder) && isFolder.boolValue
    }
  }

  private static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(Project.folder)/\(folder)").sorted()
  }

  /// The code blocks.
  var blocks: [CodeBlock] {
    var blocks: [CodeBlock] = []
    var previous = ""
    var open: CodeBlock?
    for line in text.components(separatedBy: "\n") {
      if var block = open {
        if line == "```" {
          blocks.append(block)
          open = nil
        } else {
          block.lines.append(line)
          open = block
        }
      } else if line.hasPrefix("```") {
        open = CodeBlock(language: String(line.dropFirst(3)), note: CodeBlock.Note(previous))
      } else if line.hasPrefix("    "), previous.isEmpty {
        blocks.append(CodeBlock(language: "", note: nil, lines: [line]))
      }
      previous = line
    }
    return blocks
  }
}

/// A block of code in an article.
struct CodeBlock {
  /// The comment before a block that the article tests do not run.
  enum Note {
    /// The file that says how it is run.
    case isRun(by: String)
    case isNotRun(reason: String)

    init?(_ line: String) {
      if let found = line.firstMatch(of: /^<!-- Run by ([\w\/.]+\w)\b.* -->$/) {
        self = .isRun(by: String(found.1))
      } else if let found = line.firstMatch(of: /^<!-- Not run: (.+) -->$/) {
        self = .isNotRun(reason: String(found.1))
      } else {
        return nil
      }
    }
  }

  let language: String
  let note: Note?
  var lines: [String] = []

  /// The lines without their indentation and without empty lines.
  var unindented: String { CodeBlock.unindented(lines) }

  static func unindented(_ lines: [String]) -> String {
    lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  /// The commands of a console, each with its own lines and the lines of its output.
  var commands: [(written: [String], shown: [String])] {
    var commands: [(written: [String], shown: [String])] = []
    var goesOn = false
    for line in lines {
      if goesOn {
        commands[commands.count - 1].written.append(line)
      } else if line.hasPrefix("$ ") {
        commands.append(([line], []))
      } else if !commands.isEmpty {
        commands[commands.count - 1].shown.append(line)
        continue
      }
      goesOn = line.hasSuffix("\\")
    }
    return commands
  }
}
