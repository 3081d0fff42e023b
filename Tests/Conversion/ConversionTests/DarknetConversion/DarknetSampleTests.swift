import ConversionCore
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// The networks of `Samples/Darknet`, and what forks of darknet mean by what they write.
@Suite struct DarknetSampleTests {
  private static let shortcuts = Files.names(in: Paths.sample("Darknet/shortcuts"))
    .filter { $0.hasSuffix(".cfg") }.map { String($0.dropLast(4)) }

  @Test("There are shortcuts of images of all sizes")
  func count() { #expect(Self.shortcuts.count >= 5) }

  @Test(
    "A shortcut of images of other sizes adds what pjreddie's darknet adds", arguments: shortcuts)
  func shortcut(_ name: String) throws {
    let path = Paths.sample("Darknet/shortcuts/\(name)")
    let model = try Model(contentsOf: "\(path).cfg")
    #expect(model.provenance.options["darknet"] == "pjreddie")
    let inputs = try ArrayFile.read("\(path).inputs.npz")
    let expected = try ArrayFile.read("\(path).outputs.npz")[0].tensor
    for engine in [Engine.cpu, .reference] {
      var options = RunOptions()
      options.engine = engine
      let output = try model.run(inputs, options: options).outputs[0].tensor
      #expect(Distance(actual: output.reshaped([output.count]), expected: expected).error < 1e-6)
    }
  }

  @Test("A shortcut of other sizes is written as the section that it was", arguments: shortcuts)
  func exportedShortcut(_ name: String) throws {
    let folder = try TemporaryFolder()
    let path = Paths.sample("Darknet/shortcuts/\(name)")
    try Model(contentsOf: "\(path).cfg").export(to: folder.file("m.cfg"))
    #expect(try Files.read(folder.file("m.weights")) == Files.read("\(path).weights"))
    let inputs = try ArrayFile.read("\(path).inputs.npz")
    let copy = try Model(contentsOf: folder.file("m.cfg")).run(inputs).outputs[0].tensor
    let expected = try ArrayFile.read("\(path).outputs.npz")[0].tensor
    #expect(Distance(actual: copy.reshaped([copy.count]), expected: expected).error < 1e-6)
  }

  private func model(_ layers: String, fork: DarknetFork? = nil) throws -> Model {
    let folder = try TemporaryFolder()
    let net = "[net]\nwidth=8\nheight=8\nchannels=4\n"
    try Files.write((net + layers).utf8, to: folder.file("m.cfg"))
    var options = ReadOptions()
    options.randomWeights = 1
    options.darknet = fork
    return try Model(contentsOf: folder.file("m.cfg"), options: options)
  }

  @Test(
    "A stride or padding that darknet forgets on a CPU is a decision",
    arguments: [
      ("stride_x=1\nstride_y=2", DarknetFork.alexeyab, true), ("padding=1", .alexeyab, true),
      ("stride=2", .alexeyab, false), ("stride=2", .pjreddie, true), ("pad=1", .pjreddie, false),
      ("size=3\npad=1\nstride=2", .pjreddie, false),
    ])
  func skippedStep(settings: String, fork: DarknetFork, isDecided: Bool) throws {
    let model = try model("[convolutional]\nfilters=4\n\(settings)\n", fork: fork)
    let decisions = model.provenance.decisions.map(\.text)
    #expect(decisions.contains { $0.contains("skips the step") } == isDecided)
  }

  @Test("Sections of other forks are read as what they are in darknet")
  func otherForks() throws {
    let rest = "layers=-1\n[convolutional]\nfilters=18\nsize=1\n[yolo4]\nclasses=1\nnum=3\n"
    let model = try model("[convolutional]\nfilters=8\n[route_lhalf]\n" + rest)
    #expect(model.outputs.map(\.name) == ["3_yolo"])
    #expect(model.content.graph.nodes.contains { $0.source.layer == "1_route" })
    let decisions = model.provenance.decisions.map(\.text)
    #expect(decisions.contains { $0.hasSuffix("as [route] with groups=2 and group_id=0") })
    #expect(decisions.contains { $0.hasSuffix("as [yolo]") })
  }

  @Test("The half of a route is refused for the fork that would take the whole")
  func halfOfFork() throws {
    let layers = "[convolutional]\nfilters=8\n[route_lhalf]\nlayers=-1\n"
    let error = failure { _ = try model(layers, fork: .pjreddie) }
    #expect(error?.code == .unsupported)
    #expect(
      error?.reason.contains("is [route] with groups=2 and group_id=0, which pjreddie's") == true)
    let shortcut = "[shortcut]\nfrom=-1\nalpha=2\n"
    let provenance = try model(layers + shortcut).provenance
    #expect(provenance.options["darknet"] == "alexeyab")
    #expect(provenance.decisions[0].text.contains("groups of [route_lhalf]"))
  }

  @Test("A [detection] without classes copies its numbers")
  func noClasses() throws {
    let box = "[detection]\nclasses=0\ncoords=4\nside=4\nnum=1\nsoftmax=1\n"
    let model = try model("[connected]\noutput=80\n" + box)
    #expect(model.outputs[0].type.description == "float32 [batch, 80]")
    #expect(model.metadata.detector == nil)
  }

  @Test("The other fork is advised only if it reads all of the file, and reads it alike")
  func advice() throws {
    let pool = "[maxpool]\nsize=2\nstride=2\n[shortcut]\nfrom="
    let conv = "[convolutional]\nfilters=4\n"
    let cases = [
      (conv + pool + "-2\n", true), (conv + pool + "-2,-1\n", false),
      (conv + pool + "-2\n[reorg3d]\nstride=2\n", false),
      (conv + pool + "-2\n[route]\nlayers=-1\ngroups=2\n", false),
    ]
    for (layers, isAdvised) in cases {
      let error = failure { _ = try model(layers, fork: .alexeyab) }
      #expect(error?.reason.contains("pjreddie's adds others") == true)
      #expect(error?.reason.hasSuffix("pjreddie)") == isAdvised, "\(layers)")
    }
  }
}
