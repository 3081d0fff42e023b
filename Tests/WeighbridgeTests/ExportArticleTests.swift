import Foundation
import Testing
import Weighbridge

/// The articles on the targets: their commands are run here, and their Swift. Their Python is run by
/// `make test-peers` (`Tests/Peers/article_peer.py`), where the tools that it is for are.
@Suite struct ExportArticleTests {
  private static let articles = ["ToCoreML", "ToKeras", "ToNcnn", "ToONNX", "ToSafetensors"]

  /// Calls `body` with a folder that has the files which the articles speak of: what the
  /// demonstration leaves, and weights that somebody trained.
  private func withFiles(_ body: (String) throws -> Void) throws {
    try withTemporaryFile("article") { folder in
      _ = try Program.run([Program.path, folder], of: "\(Project.detector)/demo.sh")
      try Model(contentsOf: "\(folder)/shape-detector.h5")
        .export(to: "\(folder)/trained.safetensors")
      try body(folder)
    }
  }

  /// The code blocks of a language.
  private func blocks(_ language: String, of article: String) throws -> [String] {
    let text = try Project.text("Sources/Product/Weighbridge/Weighbridge.docc/\(article).md")
    return text.components(separatedBy: "```\(language)\n").dropFirst().map { rest in
      String(rest.prefix(upTo: rest.range(of: "```")?.lowerBound ?? rest.endIndex))
    }
  }

  @Test("The commands of an article do what they say, one after the other", arguments: articles)
  func commands(_ article: String) throws {
    let programs = URL(filePath: Program.path).deletingLastPathComponent()
      .path(percentEncoded: false)
    let lines = try blocks("console", of: article).flatMap { $0.split(separator: "\n") }
    #expect(lines.contains { $0.hasPrefix("$ weighbridge export ") })
    try withFiles { folder in
      for line in lines where line.hasPrefix("$ ") {
        let script = "exec 2>&1; cd '\(folder)'; PATH='\(programs)':\"$PATH\"; \(line.dropFirst(2))"
        let (output, status) = try Program.run(["-c", script], of: "/bin/bash")
        // Files that say more of a model than another are different.
        let known: ClosedRange<Int32> = line.hasPrefix("$ weighbridge diff ") ? 0...1 : 0...0
        #expect(known ~= status, "\(line): \(status)\n\(output)")
      }
    }
  }

  @Test("The Swift of the articles writes what it names, and reads it")
  func code() throws {
    try withFiles { folder in
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        let report = try model.export(to: "\(folder)/shape-detector.mlmodel")
        #expect(report.files == ["\(folder)/shape-detector.mlmodel"])
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        try model.export(to: "\(folder)/shape-detector.keras")
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        let report = try model.export(to: "\(folder)/shape-detector.onnx")
        #expect(report.losses.isEmpty)
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        let report = try model.export(to: "\(folder)/shape-detector.param")
        let files = ["\(folder)/shape-detector.param", "\(folder)/shape-detector.bin"]
        #expect(report.files == files)
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        try model.export(to: "\(folder)/shape-detector.safetensors")
      }
      var options = ReadOptions()
      options.architecture = "\(folder)/shape-detector.h5"
      let trained = try Model(contentsOf: "\(folder)/trained.safetensors", options: options)
      for name in ["mlmodel", "keras", "onnx"] {
        let copy = try Model(contentsOf: "\(folder)/shape-detector.\(name)")
        #expect(try trained.differences(from: copy).items.filter { $0.kind == .weight }.isEmpty)
      }
    }
  }

  @Test("Each Swift block of an article stands in this file", arguments: articles)
  func isTested(_ article: String) throws {
    let tests = try Project.text("Tests/WeighbridgeTests/ExportArticleTests.swift")
      .replacing(#"\(folder)/"#, with: "")
    let blocks = try blocks("swift", of: article)
    #expect(!blocks.isEmpty)
    // Vision and Core ML are on Apple's systems only; what is for them is not compiled here.
    for block in blocks where !block.contains("VNCoreMLRequest") {
      for line in block.split(separator: "\n") {
        let line = line.trimmingCharacters(in: .whitespaces)
        #expect(tests.contains(line), "not in the test, or changed there: \(line)")
      }
    }
  }
}
