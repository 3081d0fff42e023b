import JSON
import TestSupport
import Testing
import Weighbridge

@Suite struct MetadataCommandTests {
  @Test("Entries are set and removed in place, and the model stays verified")
  func setting() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.wbm")
    try Sample.convert(to: path)
    try Program.run(
      "metadata", path, "--set", "author=A = B", "--set", "license=MIT", "--set", "my.key=x",
      "--set", "inputs.input_1.description=an image"
    ).expect(0)
    var json = try Program.run("metadata", path, "--json").json()
    #expect(json["author"] == "A = B" && json["license"] == "MIT")
    #expect(json["userDefined"]?.object?["my.key"] == "x")
    #expect(json["inputs"]?.array?.first?.object?["description"] == "an image")
    try Program.run("metadata", path, "--unset", "author", "--unset", "my.key").expect(0)
    json = try Program.run("metadata", path, "--json").json()
    #expect(json["author"] == nil && json["userDefined"] == nil)
    try Program.run("verify", path, "--against", Sample.detector).expect(0)
    #expect(folder.names == ["model.wbm"])
  }

  @Test("With -o the file itself stays as it is")
  func otherOutput() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.wbm")
    try Sample.convert(to: path)
    let before = try Files.read(path)
    try Program.run("metadata", path, "--set", "name=new", "-o", folder.file("b.wbm")).expect(0)
    #expect(try Files.read(path) == before)
    #expect(try Metadata.read(folder.file("b.wbm")).name == "new")
  }

  @Test(
    "What does not fit is refused, and the file stays as it is",
    arguments: [
      (["--unset", "nothing"], 2, "there is no entry nothing"),
      (["--set", "inputs.photo.description=x"], 2, "no input photo; there is input_1"),
      (["--set", "name=x", "-o", "/nowhere/b.wbm"], 4, "/nowhere/b.wbm"),
    ] as [([String], Int32, String)])
  func refused(arguments: [String], status: Int32, reason: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.wbm")
    try Sample.convert(to: path)
    let before = try Files.read(path)
    try Program.run(["metadata", path] + arguments).expect(status, reason)
    #expect(try Files.read(path) == before)
    #expect(folder.names == ["model.wbm"])
  }

  @Test("Only .wbm files can be changed")
  func otherFormats() throws {
    try Program.run("metadata", Sample.detector, "--set", "name=x").expect(
      3, "\(Sample.detector): is not a .wbm file")
  }

  @Test("A metadata file has the same effect as options")
  func metadataFile() throws {
    let folder = try TemporaryFolder()
    try Files.write(
      #"{"author": "A", "labels": ["e", "r", "t"], "autor": 1}"#.utf8, to: folder.file("m.json"))
    let command = ["convert", Sample.detector, "-o", folder.file("x.wbm"), "--metadata"]
    try Program.run(command + [folder.file("m.json")]).expect(2, "m.json:/autor: is not known")
    try Files.write(
      #"{"author": "A", "detector": {"kind": "region", "anchors": [1, 2, 3, 4, 5, 6]}}"#.utf8,
      to: folder.file("m.json"))
    try Program.run(command + [folder.file("m.json")]).expect(0)
    #expect(try Metadata.read(folder.file("x.wbm")).author == "A")
    #expect(try Metadata.read(folder.file("x.wbm")).detector?.classCount == 3)
  }
}
