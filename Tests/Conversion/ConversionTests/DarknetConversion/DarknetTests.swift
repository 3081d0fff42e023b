import ConversionCore
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import Weighbridge

/// Tests of darknet models that do not need the reference files.
@Suite struct DarknetTests {
  private let network = """
    [net]
    width=16
    height=16
    channels=3
    [convolutional]
    batch_normalize=1
    filters=8
    size=3
    stride=2
    pad=1
    activation=leaky
    [shortcut]
    from=-1
    activation=linear
    [convolutional]
    filters=18
    size=1
    activation=linear
    [yolo]
    mask=1,2
    anchors=10,14, 23,27, 37,58
    num=3
    classes=4
    scale_x_y=1.1
    nms_kind=greedynms

    """

  private func options(_ seed: UInt64 = 1) -> ReadOptions {
    var options = ReadOptions()
    options.randomWeights = seed
    return options
  }

  private func write(_ text: String, _ folder: TemporaryFolder, _ name: String = "m.cfg") throws {
    try Files.write(text.utf8, to: folder.file(name))
  }

  @Test("A network with generated weights is written, read back and verified against its source")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    try write(network, folder)
    let model = try Model(contentsOf: folder.file("m.cfg"), options: options())
    #expect(model.inputs.map(\.name) == ["data"])
    #expect(model.inputs[0].type.description == "float32 [batch, 3, 16, 16]")
    #expect(model.outputs.map(\.name) == ["3_yolo"])
    #expect(model.outputs[0].type.description == "float32 [batch, 18, 8, 8]")
    try model.write(to: folder.file("m.wbm"))
    var verification = VerifyOptions()
    verification.against = folder.file("m.cfg")
    verification.againstOptions = options()
    let stored = try Model(contentsOf: folder.file("m.wbm"))
    #expect(try stored.verify(verification).passed)
    #expect(stored.metadata == model.metadata)
    verification.againstOptions = options(2)
    #expect(try !stored.verify(verification).passed)
  }

  @Test("Detection layers become the detector's description")
  func detector() throws {
    let folder = try TemporaryFolder()
    try write(network, folder)
    try write("a\nb\nc\nd\n", folder, "letters.names")
    let model = try Model(contentsOf: folder.file("m.cfg"), options: options())
    let detector = try #require(model.metadata.detector)
    #expect(detector.kind == .yolo)
    let grid = try #require(detector.grid)
    #expect(grid.anchors.map(\.width) == [10, 23, 37])
    #expect(grid.heads.map(\.mask) == [[1, 2]])
    #expect(grid.heads.map(\.stride) == [2])
    #expect(grid.heads.map(\.scaleXY) == [1.1])
    #expect(detector.suppression == .distance && detector.distanceExponent == 0.6)
    #expect(detector.activated == [.centers, .objectness, .classes])
    #expect(grid.order == .channelsFirst)
    #expect(detector.classCount == 4)
    #expect(model.metadata.labels == ["a", "b", "c", "d"])
    #expect(model.metadata.inputs[0].image?.resize == .stretch)
  }

  @Test(
    "An image for a classifier is cropped at the center by AlexeyAB's fork, letterboxed by pjreddie's",
    arguments: [
      (DarknetFork.alexeyab, ImageInput.ResizePolicy.centerCrop), (.pjreddie, .letterbox),
    ])
  func classifier(_ fork: DarknetFork, _ policy: ImageInput.ResizePolicy) throws {
    let folder = try TemporaryFolder()
    try write(
      """
      [net]
      width=8
      height=8
      channels=3
      \(fork == .alexeyab ? "show_receptive_field=1" : "")
      [convolutional]
      filters=4
      size=1
      activation=linear
      [avgpool]
      [softmax]
      groups=1

      """, folder)
    var options = options()
    options.darknet = fork
    let model = try Model(contentsOf: folder.file("m.cfg"), options: options)
    #expect(model.metadata.inputs[0].image?.resize == policy)
  }

  @Test("A region's background is not scored without a softmax, as in pjreddie's region_layer.c")
  func background() throws {
    let folder = try TemporaryFolder()
    try write(
      """
      [net]
      width=4
      height=4
      channels=3
      [convolutional]
      filters=7
      size=1
      activation=linear
      [region]
      anchors=1,1
      num=1
      classes=2
      background=1

      """, folder)
    let model = try Model(contentsOf: folder.file("m.cfg"), options: options())
    let graph = model.content.graph
    let logistic = graph.nodes.filter { $0.operation is Sigmoid }
    // Two centers and two classes of each box, [batch, boxes, entries, cells].
    #expect(logistic.map { graph[$0.outputs[0]].type.shape[2] } == [2, 2])
  }

  @Test("A .data file names the labels, and another number of them is refused")
  func data() throws {
    let folder = try TemporaryFolder()
    try write(network, folder)
    try write("names = lists/letters.txt\n", folder, "m.data")
    try write("a\nb\nc\nd\n", folder, "letters.txt")
    var options = options()
    options.data = folder.file("m.data")
    let model = try Model(contentsOf: folder.file("m.cfg"), options: options)
    #expect(model.metadata.labels.count == 4)
    try write("a\nb\n", folder, "letters.txt")
    let error = failure { _ = try Model(contentsOf: folder.file("m.cfg"), options: options) }
    #expect(error?.code == .mismatch)
  }

  @Test("The fork is inferred from keys that only one fork knows, unless it is given")
  func fork() throws {
    let folder = try TemporaryFolder()
    try write(network.replacing("from=-1\n", with: "from=-1\nalpha=0.5\n"), folder)
    let both = try Model(contentsOf: folder.file("m.cfg"), options: options())
    #expect(both.provenance.options["darknet"] == "alexeyab")  // which knows scale_x_y
    try write(
      network.replacing("from=-1\n", with: "from=-1\nalpha=0.5\n")
        .replacing("scale_x_y=1.1\nnms_kind=greedynms\n", with: ""), folder)
    let inferred = try Model(contentsOf: folder.file("m.cfg"), options: options())
    #expect(inferred.provenance.options["darknet"] == "pjreddie")
    var given = options()
    given.darknet = .alexeyab
    let model = try Model(contentsOf: folder.file("m.cfg"), options: given)
    #expect(model.provenance.options["darknet"] == "alexeyab")
    #expect(model.provenance.decisions.contains { $0.text.contains("does not know alpha") })
  }

  @Test("A file that the default fork refuses is read as the other fork's")
  func fallback() throws {
    let path = Paths.sample("Hostile/darknet/shortcut_sizes.cfg")
    let model = try Model(contentsOf: path, options: options())
    #expect(model.provenance.options["darknet"] == "pjreddie")
    #expect(model.provenance.decisions[0].text.contains("refuses it"))
  }

  @Test("Weights are expected beside the .cfg")
  func missingWeights() throws {
    let folder = try TemporaryFolder()
    try write(network, folder)
    let error = failure { _ = try Model(contentsOf: folder.file("m.cfg")) }
    #expect(error?.code == .missing)
    #expect(error?.reason.contains("m.weights") == true)
  }

  @Test("Eight thousand layers are read")
  func manyLayers() throws {
    let folder = try TemporaryFolder()
    let net = "[net]\nwidth=2\nheight=2\nchannels=1\n"
    try write(net + String(repeating: "[activation]\nactivation=relu\n", count: 8_000), folder)
    let model = try Model(contentsOf: folder.file("m.cfg"), options: options())
    #expect(model.outputs.map(\.name) == ["7999_activation"])
  }
}
