import TestSupport
import Testing
import Weighbridge

/// Activations that darknet knows by name but does not implement everywhere.
@Suite struct DarknetActivationTests {
  private func decisions(
    _ section: String, _ activation: String, fork: DarknetFork = .alexeyab
  ) throws -> [String] {
    let folder = try TemporaryFolder()
    let text = "[net]\nwidth=4\nheight=4\nchannels=3\n[\(section)]\nactivation=\(activation)\n"
    let extra = section == "shortcut" ? "from=-1\n[convolutional]\n" : ""
    let first =
      section == "shortcut" ? text.replacing("[shortcut]", with: "[conv]\n[shortcut]") : text
    try Files.write((first + extra).utf8, to: folder.file("m.cfg"))
    var options = ReadOptions()
    options.randomWeights = 1
    options.darknet = fork
    let model = try Model(contentsOf: folder.file("m.cfg"), options: options)
    return model.provenance.decisions.map(\.text)
  }

  @Test(
    "relu6, for which AlexeyAB's darknet outputs zeros on a CPU, is a decision in every section")
  func relu6() throws {
    for section in ["convolutional", "connected", "activation"] {
      #expect(
        try decisions(section, "relu6").contains(
          "AlexeyAB's darknet has no relu6 on a CPU and outputs only zeros; computed here is "
            + "min(max(x, 0), 6), as on a GPU"))
    }
    #expect(
      try decisions("convolutional", "relu6", fork: .pjreddie).contains {
        $0.contains("does not know the activation relu6 and takes relu for it")
      })
  }

  @Test(
    "An activation that darknet lacks outside convolutions is recorded as a decision there",
    arguments: [
      ("convolutional", "mish", false), ("connected", "mish", true), ("shortcut", "mish", false),
      ("shortcut", "hard_mish", true), ("activation", "swish", true),
      ("connected", "leaky", false), ("activation", "gelu", false),
    ])
  func others(section: String, activation: String, isMissing: Bool) throws {
    let text =
      "AlexeyAB's darknet has no \(activation) in [\(section)] and outputs only zeros"
    #expect(try decisions(section, activation).contains { $0.hasPrefix(text) } == isMissing)
  }

  @Test("A relu6 of darknet computes what a GPU computes")
  func values() throws {
    let folder = try TemporaryFolder()
    try Files.write(
      "[net]\nwidth=4\nheight=1\nchannels=1\n[activation]\nactivation=relu6\n".utf8,
      to: folder.file("m.cfg"))
    var options = ReadOptions()
    options.randomWeights = 1
    let model = try Model(contentsOf: folder.file("m.cfg"), options: options)
    let input = Tensor(.float32, shape: [1, 1, 1, 4], [-1, 0.5, 6, 7] as [Double])
    let output = try model.run([NamedTensor(name: "data", tensor: input)]).outputs[0].tensor
    #expect(output.doubles == [0, 0.5, 6, 6])
  }
}
