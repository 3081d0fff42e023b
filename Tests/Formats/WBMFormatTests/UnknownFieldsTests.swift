import Bytes
import ProtobufWire
import Testing
import WBMFormat

@Suite("Fields of a later version")
struct UnknownFieldsTests {
  private static let note = Wire.string(777, "later")

  /// A model whose description and provenance have an unknown field at every level.
  private static var laterModel: RawModel {
    var model = RawModel()
    let pair = Wire.string(1, "k") + note
    let image =
      Wire.number(1, 3) + Wire.bytes(3, [UInt8](repeating: 0, count: 8)) + Wire.number(5, 1) + note
    let anchor = Wire.bytes(2, note)
    let head = Wire.bytes(4, Wire.string(1, "y") + note)
    model.description =
      Wire.bytes(3, Wire.string(1, "MIT") + note)
      + Wire.bytes(6, Wire.string(1, "x") + Wire.bytes(3, image) + note)
      + Wire.bytes(
        8, Wire.number(1, 2) + anchor + Wire.number(3, 2) + head + Wire.number(5, 1) + note)
      + Wire.bytes(9, pair) + note
    let source = Wire.string(1, "a.h5") + Wire.bytes(3, [UInt8](repeating: 1, count: 32)) + note
    model.provenance =
      Wire.bytes(1, source) + Wire.string(5, "test") + Wire.bytes(6, pair)
      + Wire.bytes(7, Wire.string(2, "t") + note) + note
    model.version.minor = 9
    return model
  }

  @Test("In description and provenance they survive reading and writing, at every level")
  func survival() throws {
    let model = Self.laterModel
    let file = try TestFiles.open(model.file)
    #expect(file.version == WBMVersion(major: 1, minor: 9))
    #expect(try file.header.serialized() == model.header)
    let kept = file.header.description.unknownFields.fields
    #expect(kept == [.init(number: 777, wireType: 2, payload: [5] + "later".utf8)])
  }

  @Test("They survive an edit, which keeps the file's minor version and schema")
  func editing() throws {
    var model = Self.laterModel
    model.rest = Wire.bytes(1, [1, 2, 3])
    let folder = try TemporaryFolder()
    var description = try TestFiles.open(model.file).header.description
    description.author = "somebody else"
    try TestFiles.open(model.file).rewrite(
      to: folder.file("a"), description: description, replacing: true)
    let edited = try WBMFile(path: folder.file("a"))
    #expect(edited.header.description == description)
    #expect(edited.header.provenance.unknownFields.fields.count == 1)
    #expect(edited.header.schema == [1, 2, 3])
    #expect(edited.version.minor == 9)
  }

  @Test("Anywhere else they are refused, since ignoring them could change the result")
  func refusal() {
    let note = Self.note
    let changes: [(String, (inout RawModel) -> Void)] = [
      ("header", { $0.rest = note }),
      ("value", { $0.values[0] += note }),
      ("dimension", { $0.values[0] += Wire.bytes(3, note) }),
      ("node", { $0.nodes[0] += note }),
      ("scope", { $0.nodes[0] += Wire.bytes(8, note) }),
      ("attribute", { $0.nodes[0] += Wire.bytes(6, note) }),
      ("list", { $0.nodes[0] += Wire.bytes(6, Wire.bytes(6, note)) }),
      ("port", { $0.inputs[0] += note }),
      ("tensor", { $0.tensors[0] += note }),
      ("reference set", { $0.references = [note] }),
      ("named tensor", { $0.references = [Wire.bytes(2, note)] }),
    ]
    for (name, change) in changes {
      var model = RawModel()
      change(&model)
      let error = TestFiles.failure { () throws(WeighbridgeError) in
        _ = try TestFiles.open(model.file)
      }
      #expect(error?.code == .unsupported, "in \(name)")
      #expect(error?.reason.contains("field 777") == true, "in \(name)")
    }
  }
}
