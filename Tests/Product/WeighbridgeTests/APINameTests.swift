import ArgumentParser
import Bytes
import ConversionCore
import Foundation
import ModelReport
import Testing
import Weighbridge

@testable import WeighbridgeCommand

/// Messages name the library's API; the program names its options instead.
@Suite struct APINameTests {
  /// The strings of the library's modules: each line of code with a quote in it, without comments.
  private static func stringLines() throws -> [String] {
    let sources = URL(filePath: "\(Project.folder)/Sources")
    let programs = ["Product/WeighbridgeCommand/", "Product/WeighbridgePlugin/", "Support/"]
    let paths = try #require(FileManager.default.subpaths(atPath: sources.path))
    let files = paths.filter { path in
      path.hasSuffix(".swift")
        && !programs.contains(where: path.hasPrefix)
    }
    return try files.flatMap { path in
      try Project.text("Sources/\(path)").split(separator: "\n").filter { line in
        line.contains("\"") && !line.drop { $0 == " " }.hasPrefix("//")
      }.map { "\(path): \($0)" }
    }
  }

  @Test("No string of the library names an option of a command line")
  func library() throws {
    let lines = try Self.stringLines()
    #expect(lines.count > 5_000)
    #expect(lines.filter { $0.contains(/--[a-z]/) || $0.contains("weighbridge convert") } == [])
  }

  @Test("Every name has an option, which the program's help lists", arguments: APIName.allCases)
  func option(of name: APIName) throws {
    let option = name.option
    guard option.hasPrefix("-") else {
      #expect(option.hasPrefix("weighbridge "))
      return
    }
    let helps = [
      Convert.helpMessage(), Detect.helpMessage(), Export.helpMessage(), Run.helpMessage(),
      ReportCommand.helpMessage(), Search.helpMessage(),
    ]
    #expect(helps.contains { $0.contains("\(option) ") || $0.contains("\(option)\n") })
  }

  @Test("No two names are the same, nor are their options")
  func unique() {
    // A struct of options has no two of one name; --darknet is for a source and for a target.
    let options = APIName.allCases.map { "\($0.rawValue.prefix { $0 != "." }) \($0.option)" }
    #expect(Set(options).count == APIName.allCases.count)
    #expect(Set(APIName.allCases.map(\.rawValue)).count == APIName.allCases.count)
  }

  @Test("Names of options are those of properties")
  func properties() {
    let types: [(name: String, value: Any)] = [
      ("ReadOptions", ReadOptions()), ("DescriptionEdit", DescriptionEdit()),
      ("DescriptionEdit.Image", DescriptionEdit.Image(input: "")),
      ("DescriptionEdit.DetectorEdit", DescriptionEdit.DetectorEdit(kind: .yolo, anchors: [])),
      ("ExportOptions", ExportOptions()), ("WriteOptions", WriteOptions()),
      ("RunOptions", RunOptions()),
      ("VerifyOptions", VerifyOptions()), ("ReportOptions", ReportOptions()),
    ]
    let known = types.flatMap { type in
      Mirror(reflecting: type.value).children.compactMap(\.label).map { "\(type.name).\($0)" }
    }
    let calls: Set<APIName> = [
      .metadataFile, .exportTarget, .readModel, .detect, .rebuilding, .editMetadata, .searchModel,
    ]
    let names = APIName.allCases.filter { !calls.contains($0) }.map { name in
      name.rawValue.split(separator: " ")[0]
    }
    #expect(names.count == 44)
    #expect(names.filter { !known.contains(String($0)) } == [])
  }

  @Test("The program replaces each name in a message, and leaves every other backquote alone")
  func replacement() {
    let message =
      "`a` is needed; give \(APIName.weights) FILE or \(APIName.randomWeights) 1 (\(APIName.weights))"
    #expect(message.hasPrefix("`a` is needed; give `ReadOptions.weights` FILE or "))
    #expect(
      message.namingOptions
        == "`a` is needed; give --weights FILE or --random-weights 1 (--weights)")
    #expect("`ReadOptions.weight` and `".namingOptions == "`ReadOptions.weight` and `")
  }
}
