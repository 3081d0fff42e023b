import ArgumentParser
import Foundation
import JSON
import Testing

@testable import WeighbridgeCommand

/// What the program does is offered in C and Python too.
@Suite struct CommandTests {
  private static func table() throws -> [JSONObject] {
    let text = try Project.text("Schemas/options.json")
    let commands = try JSONValue(parsing: Array(text.utf8)).object?["commands"]?.array
    return try #require(commands).compactMap(\.object)
  }

  @Test("Every command of the program has its line in the table of commands")
  func commands() throws {
    let names = try Self.table().compactMap { $0["program"]?.string }
    let subcommands = WeighbridgeCommand.configuration.subcommands.map { $0._commandName }
    #expect(subcommands.count > 10 && Set(names) == Set(subcommands))
    #expect(Set(names).count == names.count)
  }

  @Test("Every command has a function in the header, which the library exports")
  func functions() throws {
    let header = try Project.text("Sources/CLibraries/CWeighbridge/include/weighbridge.h")
    let folder = "\(Project.folder)/Sources/Product/CInterface"
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder)
      .map { try Project.text("Sources/Product/CInterface/\($0)") }.joined()
    let functions = try Self.table().compactMap { $0["c"]?.string }
    #expect(functions.count == WeighbridgeCommand.configuration.subcommands.count)
    for function in functions {
      #expect(header.contains("weighbridge_status \(function)("), "\(function)")
      #expect(sources.contains("@_cdecl(\"\(function)\")"), "\(function)")
    }
  }

  @Test("Every function of the header is exported by the library, and no other")
  func exports() throws {
    let header = try Project.text("Sources/CLibraries/CWeighbridge/include/weighbridge.h")
    let declared = header.matches(of: /weighbridge_status (weighbridge_\w+)\(/).map(\.output.1)
    let folder = "\(Project.folder)/Sources/Product/CInterface"
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder)
      .map { try Project.text("Sources/Product/CInterface/\($0)") }.joined()
    let exported = sources.matches(of: /@_cdecl\("(\w+)"\)/).map(\.output.1)
    #expect(declared.count > 30 && Set(declared).subtracting(exported).isEmpty)
    let others = ["version", "status_name", "free", "error_clear"].map { "weighbridge_\($0)" }
    #expect(Set(exported).subtracting(declared).isSubset(of: others.map { $0[...] }))
  }
}
