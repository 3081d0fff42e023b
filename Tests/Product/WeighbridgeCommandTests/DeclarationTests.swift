import Foundation
import JSON
import TestSupport
import Testing

/// Options of the program that are in the table `Schemas/options.json` are declared nowhere else.
@Suite struct DeclarationTests {
  /// The properties of options and flags in a file.
  private static func properties(of text: String) -> [String] {
    text.matches(of: /@(?:Option|Flag)[^@]*?\n? *var (\w+)/).map { String($0.output.1) }
  }

  /// The names of the table's options that the program has, as properties.
  private static func tableNames(_ folder: String) throws -> Set<String> {
    let text = try String(contentsOfFile: "\(folder)/Schemas/options.json", encoding: .utf8)
    let table = try #require(try JSONValue(parsing: Array(text.utf8)).object)
    var names: Set<String> = []
    for key in table.keys {
      for option in table[key]?.object?["options"]?.array ?? [] {
        let languages = option.object?["in"]?.array?.compactMap(\.string)
        guard languages?.contains("program") ?? true, let name = option.object?["name"]?.string
        else { continue }
        let words = name.split(separator: "_")
        names.insert(words[0] + words.dropFirst().map(\.capitalized).joined())
      }
    }
    return names
  }

  @Test("An option of the table is declared once, in a file that is made of the table")
  func declaredOnce() throws {
    let folder = Paths.project
    let sources = "\(folder)/Sources/Product/WeighbridgeCommand"
    let files = try #require(FileManager.default.subpaths(atPath: sources))
      .filter { $0.hasSuffix(".swift") }
    var generated: [String] = []
    var written: [String] = []
    for file in files {
      let text = try String(contentsOfFile: "\(sources)/\(file)", encoding: .utf8)
      let names = Self.properties(of: text)
      if file.contains("/Generated/") { generated += names } else { written += names }
    }
    #expect(generated.count > 40 && written.count > 60)
    let table = try Self.tableNames(folder)
    // --inputs, --layers and --output have another meaning in each command, --memory-limit is for the
    // whole program, the layout of a search is that of a composition, and --verify of convert and of
    // report checks different things.
    let others: Set = ["inputs", "layers", "layout", "memoryLimit", "output", "verify"]
    #expect(Set(written).intersection(table).subtracting(others) == [])
    #expect(Set(generated).isSuperset(of: ["engine", "threads", "resize", "against", "top"]))
  }
}
