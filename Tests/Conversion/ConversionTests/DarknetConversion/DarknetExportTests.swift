import ConversionCore
import DarknetConversion
import LayerCatalog
import TestSupport
import Testing
import Weighbridge

/// Models written as `.cfg` and `.weights`.
@Suite struct DarknetExportTests {
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  @Test("Every operator has a row in the table of the target")
  func table() {
    #expect(DarknetOperators.kinds.sorted() == Catalog.all.map { $0.kind }.sorted())
  }

  @Test("A Keras model becomes a network that computes the same, with the axes turned")
  func keras() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    let report = try model.export(to: folder.file("m.cfg"))
    #expect(report.files == [folder.file("m.cfg"), folder.file("m.weights")])
    #expect(report.notes.contains { $0.contains("epsilon 0.001") })
    #expect(folder.names == ["m.cfg", "m.weights"])
    let copy = try Model(contentsOf: folder.file("m.cfg"))
    let differences = try model.differences(from: copy)
    #expect(
      Set(differences.items.filter(\.counts).map(\.kind)) == [.setting, .weight],
      "\(differences.items)")
    let input = try ArrayFile.read(Paths.sample("Models/shape-detector/input.npy"))
    let expected = try model.run(input).outputs[0].tensor
    for number in 0..<expected.shape[0] {
      let image = input[0].tensor.slice(number..<number + 1, along: 0)
      let transposed = NamedTensor(name: "data", tensor: image.permuted([0, 3, 1, 2]))
      let actual = try copy.run([transposed]).outputs[0].tensor
      let expectedOutput = expected.slice(number..<number + 1, along: 0).permuted([0, 3, 1, 2])
      #expect(Distance(actual: actual, expected: expectedOutput).error <= 1e-5)
    }
  }

  @Test("The record of a detector becomes a section of boxes")
  func boxes() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: detector)
    var edit = DescriptionEdit()
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    edit.labels = ["circle", "square", "triangle"]
    try model.describe(edit)
    let report = try model.export(to: folder.file("m.cfg"))
    #expect(report.notes.contains { $0.contains("[region]") })
    let copy = try Model(contentsOf: folder.file("m.cfg"))
    #expect(copy.metadata.detector?.grid?.anchors == model.metadata.detector?.grid?.anchors)
    #expect(copy.metadata.detector?.classCount == 3)
  }

  @Test("Layers that darknet cannot express are named, and nothing is written")
  func refused() throws {
    let folder = try TemporaryFolder()
    let half = Paths.sample("Models/number-types/mixed_float16_cnn.k2.h5")
    let error = failure { try Model(contentsOf: half).export(to: folder.file("m.cfg")) }
    #expect(error?.code == .unsupported)
    #expect(
      error?.reason.contains("conv2d (Conv2D): converts to another type, and darknet") == true,
      "\(error as Any)")
    // Also for an integer input.
    let masks = Paths.sample("Operations/keras2/masks_through_wrappers.h5")
    let integerError = failure { try Model(contentsOf: masks).export(to: folder.file("m.cfg")) }
    #expect(integerError?.code == .unsupported)
    #expect(
      integerError?.reason.contains("becomes embedding, and darknet can have its own") == true,
      "\(integerError as Any)")
    #expect(folder.names.isEmpty)
    let unknown = failure { try Model(contentsOf: detector).export(to: folder.file("m.xyz")) }
    #expect(unknown?.code == .mismatch)
  }

  @Test("Existing files are replaced, unless that is forbidden")
  func replacing() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try Files.write("kept".utf8, to: folder.file("m.weights"))
    var writing = WriteOptions()
    writing.noClobber = true
    let error = failure { _ = try model.export(to: folder.file("m.cfg"), writing: writing) }
    #expect(error?.code == .outputFailed)
    #expect(folder.names == ["m.weights"])
    try model.export(to: folder.file("m.cfg"))
    #expect(folder.names == ["m.cfg", "m.weights"])
  }
}
