import FormatRegistry
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// The files of `Samples/Hostile/darknet`, and the errors with which they are refused.
enum HostileDarknetFiles {
  /// Files that become a model unless ``ReadOptions.strict`` is given, or the weights are not generated.
  static let tolerated = [
    "activation_comment", "activation_unknown", "anchors_missing", "equals_missing",
    "half_precision",
    "picture_huge", "region_tree_missing", "section_of_fork", "training_keys",
  ]

  /// Broken `.cfg` files.
  static let configurations: [HostileFile] = [
    .init(
      "classes_changed", .malformed,
      "and the anchors; write filters=20 there, or classes=3 in this section"),
    .init(
      "dilation", .unsupported, ":9: layer #0 [convolutional]: has dilation=2 with a padding of 0"),
    .init("empty_list", .malformed, ":11: layer #1 [route]: has layers=,, and an integer"),
    .init("filters_huge", .malformed, ":6: layer #0 [convolutional]: has filters=1000000000"),
    .init("filters_many", .limitExceeded, "needs more than 536870912 random numbers"),
    .init("filters_negative", .malformed, ":6: layer #0 [convolutional]: has filters=-4"),
    .init("groups", .malformed, "4 channels and 4 filters cannot be put in 3 groups"),
    .init("key_before_section", .unsupported, "is a text file, not a model"),
    .init(
      "key_unknown", .unsupported, ":10: layer #0 [convolutional]: warp=9 is a key that neither"),
    .init("mask_outside", .malformed, ":11: layer #1 [yolo]: has mask=0,2"),
    .init("net_missing", .malformed, ":1: begins with [convolutional]"),
    .init("net_only", .malformed, ":1: has no layer, expected one section or more after the first"),
    .init("no_size", .malformed, ":1: layer [net]: has neither width, height and channels"),
    .init("not_a_number", .malformed, ":6: layer #0 [convolutional]: has filters=four"),
    .init("nul_byte", .malformed, ":10: has a NUL byte"),
    .init(
      "region_classfix", .unsupported, ":14: layer #1 [region]: has classfix=-1, which leaves out"),
    .init(
      "placeholder", .malformed, ":7: layer #0 [convolutional]: filters=$n is a placeholder",
      "write filters=18, as line 5 has it"),
    .init("reorg_stride", .malformed, ":11: layer #1 [reorg]: stride=4 does not divide"),
    .init("route_groups", .malformed, "takes 4 channels, which groups=3 does not divide"),
    .init("route_behind", .malformed, ":11: layer #1 [route]: layers=2 points to a layer after"),
    .init("route_cost", .unsupported, "layers=1 names layer 1, which has no output"),
    .init("route_self", .malformed, "layers=1 points to the layer itself"),
    .init("route_sizes", .malformed, "the shapes [batch, 4, 3, 4] and [batch, 4, 6, 8] differ"),
    .init("section_open", .malformed, ":5: \"[convolutional\" begins a section"),
    .init(
      "section_unknown", .unsupported,
      ":10: 2 layers of a section that is not known:\n  #1 [Convolutional], line 10\n  #2 [teleport], line 15"
    ),
    .init(
      "shortcut_before", .malformed,
      ":11: layer #1 [shortcut]: from=-40 points before the first layer (layers 0 to 0"),
    .init(
      "shortcut_sizes", .malformed, "adds [1, 4, 6, 8] to [1, 4, 3, 4]",
      "adds others (`ReadOptions.darknet` pjreddie)"),
    .init("softmax_groups", .malformed, "192 numbers cannot be put in groups=7"),
    .init("stride_zero", .malformed, ":12: layer #1 [maxpool]: has stride=0"),
    .init("weights_type", .malformed, "weights_normalization=none"),
    .init("window_too_large", .malformed, "a window of 9 elements does not fit an axis of 6"),
  ]

  /// Weights that do not fit.
  static let weights: [HostileFile] = [
    .init(
      "weights_anchors", .malformed,
      "or the weights are of a network with 2 anchors in each layer of boxes, and the cfg's has 1: "
        + "they fit with filters=18 in line 11 and 2 anchors in line 15"),
    .init(
      "weights_backbone", .malformed,
      "the file ends after layer 0, like a `.conv.1` file of pretrained weights"),
    .init(
      "weights_classes", .malformed,
      "the weights are of a network for 2 classes, and the cfg's is for 4: they fit with classes=2 in "
        + "line 18 and filters=7 in line 11"),
    .init("weights_counter", .malformed, "counter has 32 bits and was read as 64"),
    .init("weights_cut", .malformed, "byte 504: layer #1 [convolutional]: takes 36 numbers"),
    .init("weights_empty", .malformed, "is empty"),
    .init(
      "weights_filters", .malformed,
      "they fit with filters=22 in line 11, which is 17 classes with 1 anchor or 6 classes with 2 "
        + "anchors each"),
    .init(
      "weights_gray", .malformed,
      "images of 1 channel, and the cfg's is for 3: they fit with channels=1 in line 4"),
    .init("weights_half_number", .malformed, "byte 644: ends with 2 bytes"),
    .init("weights_header_only", .malformed, "cut off after its header"),
    .init(
      "weights_normalized", .malformed,
      "with batch normalization: they fit with batch_normalize=1 in [convolutional] in line 5"
    ),
    .init("weights_not_darknet", .malformed, "this is not a darknet .weights file"),
    .init(
      "weights_outputs", .malformed,
      "gives 20 numbers, such as one for each class, and the cfg's gives 9: they fit with filters=20 "
        + "in line 11"),
    .init(
      "weights_plain", .malformed,
      "without batch normalization: they fit when batch_normalize=1 is removed from [convolutional] "
        + "in line 5"),
    .init("weights_pointer", .unsupported, "a pointer of Git LFS", "git lfs pull"),
    .init("weights_surplus", .malformed, "byte 648: the last layer leaves 40 numbers"),
    .init("weights_tiny", .malformed, "for example of the -tiny one"),
  ]
}

/// Files with which darknet crashes, or silently computes nonsense.
@Suite struct HostileDarknetTests {
  private func path(_ name: String) -> String { Paths.sample("Hostile/darknet/\(name).cfg") }

  @Test("A hostile .cfg is refused with its line", arguments: HostileDarknetFiles.configurations)
  func configuration(_ file: HostileFile) throws {
    var options = ReadOptions()
    options.randomWeights = 1
    options.darknet = .alexeyab
    let error = try #require(
      failure { _ = try Model(contentsOf: path(file.name), options: options) })
    #expect(file.explains(error), "\(error)")
  }

  @Test(
    "Weights that do not fit are refused, with the reason",
    arguments: HostileDarknetFiles.weights)
  func weights(_ file: HostileFile) throws {
    let error = try #require(failure { _ = try Model(contentsOf: path(file.name)) })
    #expect(file.explains(error), "\(error)")
    #expect(error.place.file == Paths.sample("Hostile/darknet/\(file.name).weights"))
  }

  @Test("What darknet ignores is recorded as a decision, and some of it is refused in strict mode")
  func tolerated() throws {
    for name in HostileDarknetFiles.tolerated {
      var options = ReadOptions()
      options.randomWeights = 1
      let model = try Model(contentsOf: path(name), options: options)
      #expect(model.provenance.decisions.count > 1)
      options.strict = true
      let strict = failure { _ = try Model(contentsOf: path(name), options: options) }
      let isRefused = !["picture_huge", "region_tree_missing"].contains(name)
      #expect(strict?.code == (isRefused ? .unsupported : nil))
    }
    let error = failure { _ = try Model(contentsOf: path("region_tree_missing")) }
    #expect(error?.code == .missing)
  }

  @Test("Ten thousand sections are refused at the one that is too many")
  func sections() throws {
    let folder = try TemporaryFolder()
    let net = "[net]\nwidth=2\nheight=2\nchannels=1\n"
    try Files.write(
      (net + String(repeating: "[dropout]\n", count: 10_000)).utf8, to: folder.file("m.cfg"))
    let error = try #require(failure { _ = try Model(contentsOf: folder.file("m.cfg")) })
    #expect(error.code == .limitExceeded)
    #expect(error.place.position == .line(8196))
  }

  @Test("A network whose weights come from elsewhere has none generated")
  func deferredWeights() throws {
    let folder = try TemporaryFolder()
    let network =
      "[net]\nwidth=100\nheight=100\nchannels=1\n[connected]\noutput=50000\nactivation=linear\n"
    try Files.write(network.utf8, to: folder.file("m.cfg"))
    var options = ReadOptions()
    options.deferredWeightLimit = 1 << 30
    let graph = try ModelReader.read(folder.file("m.cfg"), options: options).content.graph
    let weights = graph.values.compactMap(\.constant)
    #expect(weights.map(\.shape) == [[50_000], [50_000, 10_000]])
    #expect(weights.allSatisfy { !$0.isContiguous }, "one number stands for all")
  }

  @Test("Every hostile file is listed here with its error")
  func complete() {
    let names =
      (HostileDarknetFiles.configurations + HostileDarknetFiles.weights).map(\.name)
      + HostileDarknetFiles.tolerated
    let files = Files.names(in: Paths.sample("Hostile/darknet")).filter { $0.hasSuffix(".cfg") }
    #expect(names.sorted().map { "\($0).cfg" } == files)
  }
}
