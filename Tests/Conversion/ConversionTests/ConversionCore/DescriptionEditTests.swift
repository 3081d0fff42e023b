import TestSupport
import Testing
import Weighbridge

@Suite struct DescriptionEditTests {
  /// The description of the detector after the model case's edit, modified by `change`.
  private func described(
    _ change: (inout DescriptionEdit) -> Void = { _ in }
  ) throws -> ModelDescription {
    var model = try ModelCase.detector()
    var edit = ModelCase.shapeDetector
    change(&edit)
    try model.describe(edit)
    return model.metadata
  }

  private func expectMismatch(
    _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout DescriptionEdit) -> Void
  ) {
    let error = failure { _ = try described(change) }
    #expect(error?.code == .mismatch, sourceLocation: sourceLocation)
    for part in parts {
      #expect(
        error?.reason.contains(part) == true, "\(String(describing: error))",
        sourceLocation: sourceLocation)
    }
  }

  @Test("The example description is kept as given, also in a file")
  func modelCase() throws {
    let folder = try TemporaryFolder()
    var model = try ModelCase.detector()
    try model.describe(ModelCase.shapeDetector)
    try model.write(to: folder.file("detector.wbm"))
    let stored = try Model(contentsOf: folder.file("detector.wbm"))
    #expect(stored.metadata == model.metadata)
    #expect(stored.inputs.map(\.name) == ["image"])
    #expect(stored.outputs.map(\.name) == ["output"])
    let description = stored.metadata
    #expect(description.author == "Joshua Newnham")
    #expect(description.summary == ModelCase.summary)
    #expect(description.inputs.map(\.summary) == [ModelCase.inputSummary])
    #expect(description.outputs.map(\.summary) == [ModelCase.outputSummary])
    #expect(description.labels == ["ellipse", "rectangle", "triangle"])
    #expect(description.license?.text == "BSD")
    #expect(description.license?.spdxExpression == nil)
    #expect(description.license?.note?.contains("SPDX knows BSD-1-Clause") == true)
  }

  @Test("By default an image is RGB, channels last and without bias")
  func image() throws {
    let image = try #require(try described().inputs[0].image)
    #expect(image.colorOrder == .rgb && image.layout == .channelsLast && image.resize == nil)
    #expect(image.scale == 1.0 / 255)
    #expect(image.bias == [0, 0, 0])
  }

  @Test("A detector has the given anchors and classes, and the stride of its grid")
  func detector() throws {
    let detector = try #require(try described().detector)
    let grid = try #require(detector.grid)
    #expect(detector.kind == .region && grid.hasObjectness && detector.classCount == 3)
    #expect(grid.anchors.map(\.width) == [2.85, 2.96, 4.96])
    #expect(grid.anchors.map(\.height) == [2.46, 4.61, 4.19])
    let head = DetectorDescription.Head(output: "output", mask: [0, 1, 2], stride: 8, scaleXY: 1)
    #expect(grid.heads == [head])
  }

  @Test("A wrong number of labels is refused with the arithmetic")
  func labelCount() {
    expectMismatch("11 x 11 x 24 channels", "3 anchors x (5 + 2 labels) make 21") {
      $0.labels = ["ellipse", "rectangle"]
    }
    expectMismatch("3 anchors x (5 + 4 labels) make 27") { $0.labels?.append("pentagon") }
  }

  @Test("A wrong number of anchors is refused with the arithmetic")
  func anchorCount() {
    expectMismatch("24 channels", "2 anchors x (5 + 3 labels) make 16") {
      $0.detector?.anchors.removeLast(2)
    }
    expectMismatch("pairs", "5 numbers") { $0.detector?.anchors.removeLast() }
    expectMismatch("pairs", "0 numbers") { $0.detector?.anchors = [] }
    expectMismatch("11 x 11 x 24", "5 anchors x (5 + classes)") {
      $0.labels = nil
      $0.detector?.anchors = [Double](repeating: 1, count: 10)
    }
  }

  @Test("An anchor without size is refused", arguments: [0, -1, .infinity, .nan])
  func badAnchor(_ width: Double) {
    expectMismatch("above 0") { $0.detector?.anchors[0] = width }
  }

  @Test("The number of classes follows from the anchors when there are no labels")
  func classesWithoutLabels() throws {
    let description = try described { $0.labels = nil }
    #expect(description.detector?.classCount == 3)
  }

  @Test("An unknown name is refused, and the existing ones are listed")
  func unknownNames() {
    expectMismatch("no input picture", "it has input_1") {
      $0.inputNames = [.init(old: "picture", new: "image")]
    }
    expectMismatch("no output grid", "it has conv2d_7") {
      $0.outputNames = [.init(old: "grid", new: "output")]
    }
    expectMismatch("no input input_1", "it has image") { $0.inputSummaries = ["input_1": "text"] }
    expectMismatch("no output conv2d_7", "it has output") { $0.outputSummaries = ["conv2d_7": ""] }
    expectMismatch("no input photo") { $0.images = [.init(input: "photo")] }
  }

  @Test("Two inputs cannot get the same name, and renaming one of several needs its old name")
  func ambiguousNames() throws {
    var model = try Model(contentsOf: Paths.sample("Layers/add/add_two.h5"))
    let names = model.inputs.map(\.name)
    try #require(names.count == 2)
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "x")]
    #expect(failure { try model.describe(edit) }?.reason.contains("2 inputs") == true)
    edit.inputNames = [.init(old: names[0], new: names[1])]
    #expect(failure { try model.describe(edit) }?.reason.contains("two inputs") == true)
    edit.inputNames = [.init(old: names[0], new: names[1]), .init(old: names[1], new: names[0])]
    try model.describe(edit)
    #expect(model.inputs.map(\.name) == names.reversed())
  }

  @Test("Image settings that do not fit the channels are refused")
  func imageChannels() {
    expectMismatch("2 image biases, and the input image has 3 channels") {
      $0.images[0].bias = [1, 2]
    }
    expectMismatch("3 channels, and gray has 1") { $0.images[0].colorOrder = .gray }
  }

  @Test("An input without the axes of an image cannot be described as one")
  func notAnImage() throws {
    let cases = LayerCase.all.filter { $0.kind == "dense" }
    let models = try cases.map { try Model(contentsOf: $0.model) }
    var model = try #require(models.first { $0.inputs[0].type.rank == 2 })
    var edit = DescriptionEdit()
    edit.images = [.init(input: model.inputs[0].name)]
    let before = model.metadata
    let error = failure { try model.describe(edit) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("an image has 4 axes with 1 or 3 channels") == true)
    #expect(model.metadata == before)
  }

  @Test("An edit that fails changes nothing")
  func unchanged() throws {
    var model = try ModelCase.detector()
    let before = model.metadata
    var edit = ModelCase.shapeDetector
    edit.labels = ["one"]
    let error = failure { try model.describe(edit) }
    #expect(error?.has(.mismatch, "label") == true, "\(error as Any)")
    #expect(model.metadata == before)
    #expect(model.inputs.map(\.name) == ["input_1"])
  }

  @Test(
    "Tiny YOLO's 20 labels and 5 anchors fit its 13 x 13 x 125 output, and 19 do not",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
  func tinyYOLO() throws {
    var model = try Model(contentsOf: FixtureModel.tinyYOLO.path)
    var edit = ModelCase.tinyYOLO
    try model.describe(edit)
    #expect(model.metadata.detector?.grid?.heads.first?.stride == 32)
    edit = DescriptionEdit()
    edit.labels = (0..<19).map { "class \($0)" }
    let error = failure { try model.describe(edit) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("19 labels, and the detector has 20 classes") == true)
    edit = ModelCase.tinyYOLO
    edit.inputNames = []
    edit.outputNames = []
    edit.labels?.removeLast()
    let other = failure { try model.describe(edit) }
    #expect(
      other?.reason.contains("13 x 13 x 125 channels, and 5 anchors x (5 + 19 labels) make 120")
        == true)
  }
}
