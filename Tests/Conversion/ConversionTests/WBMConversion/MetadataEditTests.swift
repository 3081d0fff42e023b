import Bytes
import Digests
import GraphIR
import ProtobufWire
import TestSupport
import Testing
import WBMFormat
import Weighbridge

/// Editing the metadata of a `.wbm` file, which does not change its tensors.
@Suite struct MetadataEditTests {
  /// The detector, with the description of the model case.
  private func detector(_ folder: TemporaryFolder) throws -> String {
    var model = try ModelCase.detector()
    try model.describe(ModelCase.shapeDetector)
    try model.write(to: folder.file("detector.wbm"))
    return folder.file("detector.wbm")
  }

  private func tensorDigests(_ path: String) throws -> [[UInt8]?] {
    try WBMFile(path: path).header.tensors.map { $0.digest?.bytes }
  }

  @Test("Every key can be set and removed, and the tensors stay what they are")
  func keys() throws {
    let folder = try TemporaryFolder()
    let path = try detector(folder)
    let before = try tensorDigests(path)
    let keys = [
      "name", "author", "license", "version", "description", "inputs.image.description",
      "outputs.output.description", "my.key",
    ]
    try Metadata.edit(path) { (description) throws(WeighbridgeError) in
      for key in keys { try Metadata.set(key, to: "new \(key)", in: &description) }
    }
    var description = try Metadata.read(path)
    #expect(description.name == "new name" && description.author == "new author")
    #expect(description.license?.text == "new license" && description.version == "new version")
    #expect(description.summary == "new description")
    #expect(description.inputs[0].summary == "new inputs.image.description")
    #expect(description.outputs[0].summary == "new outputs.output.description")
    #expect(description.userDefined == ["my.key": "new my.key"])
    for key in keys { try Metadata.set(key, to: nil, in: &description) }
    #expect(description.name == nil && description.license == nil && description.summary == nil)
    #expect(description.userDefined.isEmpty && description.inputs[0].summary == nil)
    #expect(try tensorDigests(path) == before)
    #expect(try Model(contentsOf: path).verify().passed)
    #expect(folder.names == ["detector.wbm"])
  }

  @Test("An entry or feature that is not there is an error, and the file stays")
  func unknown() throws {
    let folder = try TemporaryFolder()
    let path = try detector(folder)
    let before = try Files.read(path)
    for (key, value) in [
      ("inputs.photo.description", "x"), ("outputs.grid.description", nil), ("nothing", nil),
      ("", "x"),
    ] {
      let error = failure {
        try Metadata.edit(path) { (description) throws(WeighbridgeError) in
          try Metadata.set(key, to: value, in: &description)
        }
      }
      #expect(error?.code == .mismatch, "\(key)")
    }
    #expect(try Files.read(path) == before)
  }

  @Test("Only a .wbm file's metadata can be changed")
  func otherFormats() {
    let path = Paths.sample("Models/shape-detector/shape-detector.h5")
    let error = failure { try Metadata.edit(path) { $0.name = "x" } }
    #expect(error?.code == .unsupported)
    #expect(error?.place.file == path)
  }

  @Test("Unknown fields of the description, written by a newer version, are kept")
  func unknownFields() throws {
    let folder = try TemporaryFolder()
    let path = try detector(folder)
    let field = UnknownFields.Field(number: 999, wireType: 0, payload: [42])
    let file = try WBMFile(path: path)
    var record = file.header.description
    record.unknownFields.fields = [field]
    record.license?.unknownFields.fields = [field]
    record.inputs[0].unknownFields.fields = [field]
    for place in ["", "/heads/0", "/anchors/2"] {
      record.detector?.unknownFields[place] = UnknownFields([field])
    }
    try file.rewrite(to: path, description: record, replacing: true)
    try Metadata.edit(path) { $0.author = "somebody else" }
    let edited = try WBMFile(path: path).header.description
    #expect(edited.author == "somebody else")
    #expect(edited.unknownFields.fields == [field])
    #expect(edited.license?.unknownFields.fields == [field])
    #expect(edited.inputs[0].unknownFields.fields == [field])
    #expect(edited.detector?.unknownFields == record.detector?.unknownFields)
  }
}
