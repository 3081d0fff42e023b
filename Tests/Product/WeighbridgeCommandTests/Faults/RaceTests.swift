import Foundation
import TestSupport
import Testing

/// Many processes that write the same output.
@Suite struct RaceTests {
  @Test("50 processes that write the same output leave one complete file and nothing else")
  func oneOutput() throws {
    let (workspace, files) = (try Workspace(), try TemporaryFolder())
    let expected = files.file("wanted.wbm")
    try Sample.convert(to: expected)
    let processes = try (0..<50).map { _ in
      try Program.start([
        "convert", Sample.detector, "-o", workspace.output, "--reference-inputs", Sample.input,
        "--reference-outputs", Sample.outputs, "--reference-by", "keras 2.1.5", "--quiet",
      ])
    }
    for process in processes { try process.wait().expect(0) }
    #expect(try Files.read(workspace.output) == Files.read(expected))
    #expect(workspace.folder.names == ["out.wbm"])
  }

  @Test("Of 20 processes that must not replace an output, exactly one writes it")
  func oneWinner() throws {
    let folder = try TemporaryFolder()
    let output = folder.file("out.wbm")
    let processes = try (0..<20).map { _ in
      try Program.start(["convert", Sample.detector, "-o", output, "--no-clobber", "--quiet"])
    }
    let statuses = try processes.map { try $0.wait().status }
    #expect(statuses.sorted() == [0] + [Int32](repeating: 4, count: 19))
    try Program.run("verify", output).expect(0)
    #expect(folder.names == ["out.wbm"])
  }
}
