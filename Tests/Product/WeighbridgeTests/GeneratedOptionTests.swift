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
      Verify.helpMessage(), Index.helpMessage(), Classify.helpMessage(),
    ]
    let text = try Project.text("Schemas/options.json")
    let table = try #require(JSONValue(parsing: Array(text.utf8)).object)
    let structs = ["Read", "Run", "Write", "Export", "Verify", "Detect", "Analyze", "Classify"]
    var flags: [String] = []
    for name in structs {
      let entry = try #require(table["\(name)Options"]?.object)
      for option in try #require(entry["options"]?.array) {
        flags += try Self.flags(try #require(option.object))
      }
    }
    #expect(flags.count > 30)
    #expect(
      flags.filter { flag in
        !helps.contains { help in [" ", ",", "\n"].contains { help.contains("--\(flag)\($0)") } }
      } == [])
  }

  /// The flags of an option without their dashes; none if the program does not have it.
  private static func flags(_ option: JSONObject) throws -> [String] {
    let name = try #require(option["name"]?.string)
    let type = try #require(option["type"]?.string)
    let places = option["in"]?.array?.compactMap { $0.string } ?? ["program"]
    guard type != "struct", places.contains("program") else { return [] }
    let isList = ["shapes", "values"].contains(type)
    let own = (isList ? String(name.dropLast()) : name).split(separator: "_")
    return option["flags"]?.array?.compactMap { $0.string } ?? [own.joined(separator: "-")]
  }
}
