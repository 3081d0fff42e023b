import Foundation
import Testing
import Weighbridge

/// The Swift of the articles on the targets. Their Python is run by `make test-peers`
/// (`Tests/Peers/article_peer.py`), where the tools that it is for are.
@Suite struct ExportArticleTests {
  /// Calls `body` with a folder that has the files which the articles speak of: what the
  /// demonstration leaves, and weights that somebody trained.
  private func withFiles(_ body: (String) throws -> Void) throws {
    try withTemporaryFile("article") { folder in
      let status = try Program.run([Program.path, folder], of: "\(Project.detector)/demo.sh").status
      #expect(status == 0)
      try Model(contentsOf: "\(folder)/shape-detector.h5")
        .export(to: "\(folder)/trained.safetensors")
      try body(folder)
    }
  }

  @Test("The articles' Swift writes the files it names and reads them back")
  func code() throws {
    try withFiles { folder in
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        let report = try model.export(to: "\(folder)/shape-detector.mlmodel")
        #expect(report.files == ["\(folder)/shape-detector.mlmodel"])
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        let report = try model.export(to: "\(folder)/shape-detector.mlpackage")
        #expect(report.files == ["\(folder)/shape-detector.mlpackage"])
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        try model.export(to: "\(folder)/shape-detector.keras")
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        let report = try model.export(to: "\(folder)/shape-detector.onnx")
        #expect(report.notes.isEmpty)
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        let report = try model.export(to: "\(folder)/shape-detector.param")
        let files = ["\(folder)/shape-detector.param", "\(folder)/shape-detector.bin"]
        #expect(report.files == files)
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        let report = try model.export(to: "\(folder)/shape-detector.tflite")
        #expect(report.files == ["\(folder)/shape-detector.tflite"])
      }
      do {
        let model = try Model(contentsOf: "\(folder)/shape-detector.h5")
        let report = try model.export(to: "\(folder)/shape-detector.py")
        let files = ["py", "safetensors"].map { "\(folder)/shape-detector.\($0)" }
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
}
