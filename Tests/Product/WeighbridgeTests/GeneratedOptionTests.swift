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
    let flags = try Self.options().filter { $0.places?.contains("program") ?? true }
      .flatMap(\.flags)
    #expect(flags.count > 60)
    #expect(
      flags.filter { flag in
        !Self.helps.contains { help in
          [" ", ",", "/", "\n"].contains { help.contains("--\(flag)\($0)") }
        }
      } == [])
  }

  /// The flags that are no options in C and Python, and what they have instead.
  private static let others: [String: [String]] = [
    "values, and nothing that is printed": ["help", "json", "progress", "quiet"],
    "an interrupt": ["time-limit"],
    "metadata": [
      "anchors", "author", "color", "description", "detector", "image-bias", "image-input",
      "image-scale", "input-description", "input-name", "labels", "license", "model-version",
      "output-description", "output-name", "reference-by", "set", "unset",
    ],
    "a tolerance": ["atol", "rtol"],
    "arguments": ["bundled", "in", "input", "model", "name", "object", "outputs", "to"],
    "other functions": ["compact", "profile", "repeat"],
    "an option that is left out": ["lossless"],
  ]

  @Test("Every flag of the program is an option in C and Python, or has something in its place")
  func flags() throws {
    let known = try Self.options().filter { option in
      option.places.map { $0.contains("c") && $0.contains("python") } ?? true
    }.flatMap(\.flags)
    let negations = known.map { $0.hasPrefix("with-") ? "without\($0.dropFirst(4))" : "no-\($0)" }
    let flags = Self.helps.flatMap { help in
      help.matches(of: /(?m)^  ((?:-[^ ,\n]+(?:, )?)+)/).flatMap { line in
        line.output.1.matches(of: /--([a-z][a-z0-9-]*)/).map { String($0.output.1) }
      }
    }
    #expect(Set(flags).count > 100)
    #expect(
      Set(flags).subtracting(known + negations)
        == Set(Self.others.values.joined()).subtracting(known))
  }

  /// The help of each command.
  private static let helps = WeighbridgeCommand.configuration.subcommands.map {
    $0.helpMessage(columns: 200)
  }

  /// An option of the table: its flags, and the languages that have it; `nil` for all.
  private struct TableOption {
    let flags: [String]
    let places: [String]?
  }

  private static func options() throws -> [TableOption] {
    let text = try Project.text("Schemas/options.json")
    let table = try #require(JSONValue(parsing: Array(text.utf8)).object)
    var options: [TableOption] = []
    for name in table.keys where name.hasSuffix("Options") {
      for option in try #require(table[name]?.object?["options"]?.array) {
        options.append(try Self.option(try #require(option.object)))
      }
    }
    return options
  }

  /// The flags of an option without their dashes, none if it is a struct, and the languages that have it.
  private static func option(_ option: JSONObject) throws -> TableOption {
    let name = try #require(option["name"]?.string)
    let type = try #require(option["type"]?.string)
    let places = option["in"]?.array?.compactMap { $0.string }
    guard type != "struct" else { return TableOption(flags: [], places: places) }
    let isList = ["shapes", "values"].contains(type)
    let own = (isList ? String(name.dropLast()) : name).split(separator: "_")
    let flags = option["flags"]?.array?.compactMap { $0.string } ?? [own.joined(separator: "-")]
    return TableOption(flags: flags, places: places)
  }
}
