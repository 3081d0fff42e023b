import Foundation
import TestSupport
import Testing
import Weighbridge

/// The files of a darknet training in a folder: which of them belong together, and the errors when
/// one is missing.
@Suite struct DarknetFilesTests {
  /// Copies files of the sample, some of them under the new names in `to`.
  private func folder(
    _ names: String..., to newNames: [String: String] = [:]
  ) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in names {
      try Files.write(
        Files.read(Paths.sample("Darknet/training/\(name)")),
        to: folder.file(newNames[name] ?? name))
    }
    return folder
  }

  private func refusal(_ path: String, _ options: ReadOptions = ReadOptions()) -> WeighbridgeError?
  {
    failure { _ = try Model(contentsOf: path, options: options) }
  }

  @Test("Given only weights, the error names the one fitting .cfg beside them and the command")
  func weightsAlone() throws {
    let folder = try folder("pets_best.weights", "pets.cfg", "birds.cfg", "setup.cfg")
    let path = folder.file("pets_best.weights")
    let error = try #require(refusal(path))
    #expect(error.code == .missing)
    #expect(error.reason.hasPrefix("is a darknet .weights file, which holds numbers only"))
    #expect(
      error.reason.hasSuffix(
        "; of the 2 beside it only pets.cfg fits: use `Model(contentsOf:)` "
          + "\(folder.file("pets.cfg")) `ReadOptions.weights` \(path)"))
  }

  @Test("Weights are recognized by their content; the file name only changes the wording")
  func weightsUnderAnyName() throws {
    let folder = try folder(
      "pets_best.weights", "pets.cfg",
      to: ["pets_best.weights": "a model", "pets.cfg": "a net.cfg"])
    let error = try #require(refusal(folder.file("a model")))
    #expect(error.reason.hasPrefix("looks like a darknet .weights file"))
    #expect(
      error.reason.hasSuffix(
        "; a net.cfg beside it fits: use `Model(contentsOf:)` '\(folder.file("a net.cfg"))' `ReadOptions.weights` "
          + "'\(folder.file("a model"))'"))
  }

  @Test("Weights of the .cfg's own name need no option")
  func weightsOfTheSameName() throws {
    let folder = try folder(
      "pets_best.weights", "pets.cfg", to: ["pets_best.weights": "pets.weights"])
    let error = try #require(refusal(folder.file("pets.weights")))
    #expect(error.reason.hasSuffix("use `Model(contentsOf:)` \(folder.file("pets.cfg"))"))
    #expect(try Model(contentsOf: folder.file("pets.cfg")).outputs.map(\.name) == ["2_yolo"])
  }

  @Test("The error says if the .cfg beside the weights does not fit, is ambiguous or is missing")
  func otherConfigurations() throws {
    let alone = try folder("pets_best.weights")
    #expect(
      refusal(alone.file("pets_best.weights"))?.reason.contains(
        "none is beside it; use `Model(contentsOf:)` NETWORK.cfg `ReadOptions.weights`") == true)
    let other = try folder("pets_best.weights", "birds.cfg")
    #expect(
      refusal(other.file("pets_best.weights"))?.reason.contains(
        "birds.cfg beside it does not fit; to see why, use `Model(contentsOf:)`") == true)
    let two = try folder("pets_best.weights", "pets.cfg", "birds.cfg", to: ["birds.cfg": "new.cfg"])
    try Files.write(Files.read(two.file("pets.cfg")), to: two.file("a.cfg"))
    #expect(
      refusal(two.file("pets_best.weights"))?.reason.contains(
        "pets.cfg and a.cfg beside it fit, so choose one: use for example `Model(contentsOf:)` "
          + two.file("pets.cfg")) == true)
  }

  @Test("A .cfg given as the architecture comes first in the proposed command")
  func configurationAsOption() throws {
    let folder = try folder("pets_best.weights", "pets.cfg")
    var options = ReadOptions()
    options.architecture = folder.file("pets.cfg")
    #expect(
      refusal(folder.file("pets_best.weights"), options)?.reason.hasSuffix(
        "; use `Model(contentsOf:)` \(folder.file("pets.cfg")) `ReadOptions.weights` "
          + folder.file("pets_best.weights")) == true)
  }

  @Test("A file that is only named .weights is reported as such")
  func otherContent() throws {
    let folder = try TemporaryFolder()
    try Files.write([UInt8](repeating: 0xA5, count: 64), to: folder.file("m.weights"))
    let error = try #require(refusal(folder.file("m.weights")))
    #expect(error.code == .unsupported)
    #expect(error.reason.contains("its name is that of darknet's weights"))
  }

  @Test(
    "For a .cfg with differently named weights, the error proposes the fitting file or lists them")
  func otherWeights() throws {
    let one = try folder("pets.cfg", "pets_best.weights")
    let error = try #require(refusal(one.file("pets.cfg")))
    #expect(error.code == .missing)
    #expect(
      error.reason.hasSuffix(
        "pets.weights, which cannot be opened; pets_best.weights beside it fits: use "
          + "`Model(contentsOf:)` \(one.file("pets.cfg")) `ReadOptions.weights` \(one.file("pets_best.weights"))"
      ))
    let several = try folder(
      "pets.cfg", "pets_1000.weights", "pets_best.weights", "pets_last.weights",
      "birds_final.weights")
    #expect(
      refusal(several.file("pets.cfg"))?.reason.contains(
        "pets_best.weights, pets_last.weights and pets_1000.weights beside it fit, so choose one: "
          + "use for example `Model(contentsOf:)` \(several.file("pets.cfg")) `ReadOptions.weights` "
          + several.file("pets_best.weights")) == true)
    let wrong = try folder("pets.cfg", "birds_final.weights")
    #expect(
      refusal(wrong.file("pets.cfg"))?.reason.contains(
        "birds_final.weights beside it does not fit; to see why, use") == true)
  }

  @Test("The error about weights that do not fit names the files beside them that do")
  func fitting() throws {
    let folder = try folder("pets.cfg", "pets_best.weights", "birds.cfg", "birds_final.weights")
    var options = ReadOptions()
    options.weights = folder.file("birds_final.weights")
    let error = try #require(refusal(folder.file("pets.cfg"), options))
    #expect(
      error.reason.contains(
        "for 3 classes, and the cfg's is for 2: they fit with classes=3 in line 24 and filters=24 in "
          + "line 17; birds.cfg beside it fits: use `Model(contentsOf:)` \(folder.file("birds.cfg"))"
      ))
    let other = try self.folder("pets.cfg", "pets_best.weights", "birds_final.weights")
    options.weights = other.file("birds_final.weights")
    #expect(
      refusal(other.file("pets.cfg"), options)?.reason.contains(
        "; pets_best.weights fits the .cfg: use `Model(contentsOf:)` \(other.file("pets.cfg"))")
        == true)
  }

  @Test("Folders, empty files and files too large for a network are ignored")
  func others() throws {
    let folder = try folder("pets_best.weights", "pets.cfg")
    for name in ["a.cfg", "a.weights"] {
      try FileManager.default.createDirectory(
        atPath: folder.file(name), withIntermediateDirectories: false)
      try Files.write([], to: folder.file("b\(name)"))
    }
    let many =
      "[net]\nwidth=8\nheight=8\nchannels=3\n" + String(repeating: "[conv]\n", count: 5_000)
    try Files.write(many.utf8, to: folder.file("c.cfg"))
    #expect(
      refusal(folder.file("pets_best.weights"))?.reason.contains(
        "; pets.cfg beside it fits: use ") == true)
    #expect(
      refusal(folder.file("pets.cfg"))?.reason.contains(
        "of the 2 beside it only pets_best.weights fits: use ") == true)
  }

  @Test("An error in the .cfg is reported before its missing weights")
  func brokenConfiguration() throws {
    let folder = try TemporaryFolder()
    try Files.write("[net]\nwidth=8\nheight=8\nchannels=3\n[warp]\n".utf8, to: folder.file("m.cfg"))
    let error = try #require(refusal(folder.file("m.cfg")))
    #expect(error.code == .unsupported)
    #expect(error.place.file == folder.file("m.cfg") && error.place.position == .line(5))
  }

  @Test("A training's .cfg with a byte order mark and CR LF is verified with its weights")
  func verified() throws {
    let folder = try folder("pets.cfg", "pets_best.weights", "obj.data", "obj.names")
    var options = ReadOptions()
    options.weights = folder.file("pets_best.weights")
    options.data = folder.file("obj.data")
    let model = try Model(contentsOf: folder.file("pets.cfg"), options: options)
    #expect(model.metadata.labels == ["cat", "dog"])
    try model.write(to: folder.file("m.wbm"))
    #expect(try Model(contentsOf: folder.file("m.wbm")).verify().passed)
  }
}
