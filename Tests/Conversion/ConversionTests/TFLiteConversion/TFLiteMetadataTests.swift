import Bytes
import GraphIR
import TFLiteConversion
import TFLiteFormat
import TestSupport
import Testing
import Weighbridge
import ZipArchive

/// TFLite Metadata. `Tests/Peers/tflite_metadata_peer.py` shows that Google's own parser and task
/// library take it.
struct TFLiteMetadataTests {
  /// A sample's file with a description, and the notes of the export.
  private func exported(
    _ sample: String, _ describe: (inout DescriptionEdit) -> Void
  ) throws -> (file: TFLiteFile, notes: [String]) {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: Paths.sample(sample))
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "image")]
    describe(&edit)
    try model.describe(edit)
    let report = try model.export(to: folder.file("m.tflite"))
    return (try TFLiteFile(folder.file("m.tflite")), report.notes)
  }

  private func image(_ order: ImageInput.ColorOrder) -> DescriptionEdit.Image {
    var image = DescriptionEdit.Image(input: "image")
    image.colorOrder = order
    image.scale = 1 / 127.5
    image.bias = [-1, -0.9, -0.8]
    return image
  }

  @Test("A classifier has its description, the image's size and normalization, and its labels")
  func classifier() throws {
    let labels = (0..<8).map { "class \($0)" }
    let (file, _) = try exported("Models/sketch-classifier/sketch-classifier.h5") { edit in
      (edit.name, edit.author, edit.version) = ("sketches", "A. N. Other", "1.2")
      (edit.license, edit.summary) = ("MIT", "Recognizes sketches")
      edit.labels = labels
      edit.images = [image(.gray)]
      edit.images[0].bias = [-1]
    }
    let metadata = FlatBufferView(try #require(file.entries["TFLITE_METADATA"]))
    #expect(
      [0, 1, 2, 4, 5].map { metadata.string($0) } == [
        "sketches", "Recognizes sketches", "1.2", "A. N. Other", "MIT",
      ])
    let graph = metadata.tables(3)[0]
    let input = try #require(graph.tables(2).first)
    let properties = try #require(input.table(3)?.table(1))
    #expect(properties.integer(0, byteCount: 1) == 2)  // GRAYSCALE
    let normalization = try #require(input.tables(4).first?.table(1))
    #expect(normalization.floats(0) == [127.5] && normalization.floats(1) == [127.5])
    let output = try #require(graph.tables(3).first)
    let record = try #require(output.tables(6).first)
    #expect(record.string(0) == "labels.txt" && record.integer(2, byteCount: 1) == 2)
    let store = ByteStore(file.bytes)
    let directory = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try ZipDirectory(bytes, memberLimit: 1)
    }
    var memory = 0
    let (_, range) = try ZipReader.contents(of: directory.members[0], in: store, memory: &memory)
    let text = String(decoding: file.bytes[range], as: UTF8.self)
    #expect(text == labels.map { "\($0)\n" }.joined())
  }

  @Test("What TFLite Metadata cannot state is said, and is in entries beside it")
  func others() throws {
    let (file, notes) = try exported("Models/shape-detector/shape-detector.h5") { edit in
      edit = ModelCase.shapeDetector
      edit.images = [image(.bgr)]
      edit.labels = ["ellipse", "", "triangle"]
      edit.userDefined = ["key": "value", "min_runtime_version": "mine"]
    }
    #expect(notes.contains { $0.contains("takes blue before red") }, "\(notes)")
    #expect(notes.contains { $0.contains("entry labels only") }, "\(notes)")
    let entries = file.entries.mapValues { String(decoding: $0, as: UTF8.self) }
    #expect(entries["key"] == "value" && entries["user.min_runtime_version"] == "mine")
    #expect(entries["labels"] == #"["ellipse","","triangle"]"#)
    #expect(entries["image.image"]?.contains(#""color":"bgr""#) == true)
  }

  @Test("darknet's images have their channels last, and heads that do not say so")
  func darknet() throws {
    let folder = try TemporaryFolder()
    let network = """
      [net]
      width=8
      height=8
      channels=3
      [convolutional]
      filters=24
      size=3
      stride=1
      pad=1
      activation=leaky
      [yolo]
      mask=0,1,2
      num=3
      classes=3
      anchors=1.5,2, 3,1.2, 2.4,2.8
      """
    try Files.write(network.utf8, to: folder.file("net.cfg"))
    var options = ReadOptions()
    options.randomWeights = 1
    let model = try Model(contentsOf: folder.file("net.cfg"), options: options)
    let report = try model.export(to: folder.file("m.tflite"))
    #expect(report.notes.contains("data has its channels last"), "\(report.notes)")
    let file = try TFLiteFile(folder.file("m.tflite"))
    #expect(file.operators.first == "conv2D 1", "\(file.operators)")
    let detector = String(decoding: try #require(file.entries["detector"]), as: UTF8.self)
    #expect(detector.contains(#""order":"channels_first""#), "\(detector)")
  }
}
