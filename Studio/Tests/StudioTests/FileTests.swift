import Foundation
import Studio
import Testing

@Suite struct FileTests {
  private let limit = UploadLimit(byteCount: 1000)

  @Test func `Files are named and sized in order`() throws {
    let files = try UploadedFiles(
      names: ["net.cfg", "net.weights"], sizes: ["12", "0"], limit: limit
    ).files
    #expect(files == [.init(name: "net.cfg", size: 12), .init(name: "net.weights", size: 0)])
  }

  @Test(
    arguments: [
      ("model.h5", "model.h5"), ("../../etc/passwd", "passwd"), ("C:\\models\\a.onnx", "a.onnx"),
      (".hidden", "hidden"), ("-o.h5", "o.h5"), ("..", "file"), ("", "file"),
      ("a b\0c.h5", "a_b_c.h5"),
      ("modèle.h5", "mod_le.h5"), ("名前", "__"),
    ])
  func `A name stays in the folder`(_ given: String, _ kept: String) {
    #expect(UploadedFiles.fileName(given) == kept)
  }

  @Test(
    arguments: [
      (["a"], [String]()), ([String](), [String]()), (["a", "b"], ["1"]), (["a"], ["x"]),
      (["a"], ["-1"]),
      (["a"], ["1001"]), (["a"], ["99999999999999999999"]), (["a", "x/a"], ["1", "1"]),
      ((0...8).map { "\($0)" }, Array(repeating: "1", count: 9)),
    ])
  func `Files that are none are refused`(_ names: [String], _ sizes: [String]) {
    #expect(throws: StudioError.self) {
      try UploadedFiles(names: names, sizes: sizes, limit: limit)
    }
  }

  @Test func `A picture's name does not lead out of its folder`() throws {
    let folder = try PictureFolder(FileManager.default.temporaryDirectory.path)
    #expect(folder.file("a/b.png") == "\(folder.path)/a/b.png")
    #expect(folder.name(of: "\(folder.path)/a/b.png") == "a/b.png")
    #expect(folder.name(of: "\(folder.path)-other/b.png") == nil)
    for name in ["", "/", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", ".git/x", ".", "a\0b"] {
      #expect(folder.file(name) == nil, "\(name)")
    }
  }

  @Test func `A folder that is none is refused`() {
    #expect(throws: StudioError.self) { try PictureFolder("/nowhere/at/all") }
    #expect(throws: StudioError.self) { try PictureFolder("/dev/null") }
  }

  @Test func `What stays of a killed studio is removed by the next one`() throws {
    let parent = FileManager.default.temporaryDirectory.path
    // No process has the largest number.
    let left = "\(parent)/weighbridge-studio-\(Int32.max)-test"
    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
    let folder = try WorkFolder()
    #expect(!FileManager.default.fileExists(atPath: left))
    #expect(FileManager.default.fileExists(atPath: folder.path))
    let second = try WorkFolder()
    #expect(FileManager.default.fileExists(atPath: folder.path))
    folder.remove()
    second.remove()
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func `What a helper is told is what it understands`() {
    let works: [HelperWork] = [
      .report(folder: "/tmp/x", verifies: true), .report(folder: "", verifies: false),
      .index(.init(folder: "/a b", model: "m.wbm", features: "", database: "/x.db")),
    ]
    for work in works { #expect(HelperWork(words: work.words) == work) }
    #expect(HelperWork(words: []) == nil)
    #expect(HelperWork(words: ["report"]) == nil)
    #expect(HelperWork(words: ["other", "a", "b"]) == nil)
  }
}
