import ArgumentParser
import JSON
import Testing

@testable import WeighbridgeCommand

/// What is made of the table of options, `Schemas/options.json`.
@Suite struct GeneratedOptionTests {
  @Test("The files that are generated from the table of options are up to date")
  func files() throws {
    let (output, status) = try Program.run(
      ["python3", "\(Project.folder)/Scripts/options", "--check"], of: "/usr/bin/env")
    #expect(status == 0, "\(output)")
  }

  @Test("Every option of the table that the program has is in the help of a command")
  func program() throws {
    let helps = [
      Convert.helpMessage(), Detect.helpMessage(), Export.helpMessage(), Run.helpMessage(),
      Verify.helpMessage(), Index.helpMessage(),
    ]
    let table = try JSONValue(parsing: Array(try Project.text("Schemas/options.json").utf8))
    var flags: [String] = []
    for (_, entry) in try #require(table.object) {
      for option in entry.object?["options"]?.array ?? [] {
        let option = try #require(option.object)
        let (name, type) = (option["name"]?.string ?? "", option["type"]?.string ?? "")
        let places = option["in"]?.array?.compactMap(\.string) ?? ["program"]
        guard type != "struct", places.contains("program") else { continue }
        let isList = ["shapes", "numbers"].contains(type)
        let own = (isList ? String(name.dropLast()) : name).replacing("_", with: "-")
        flags += option["flags"]?.array?.compactMap(\.string) ?? [own]
      }
    }
    #expect(flags.count > 30)
    #expect(
      flags.filter { flag in
        !helps.contains { $0.contains("--\(flag) ") || $0.contains("--\(flag)\n") }
      } == [])
  }
}
