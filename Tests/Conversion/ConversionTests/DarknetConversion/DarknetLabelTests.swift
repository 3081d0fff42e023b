import TestSupport
import Testing
import Weighbridge

/// The labels that a darknet network gets, and the decisions that are recorded.
@Suite struct DarknetLabelTests {
  private let training = Paths.sample("Darknet/training")

  private func model(
    _ names: [String: String], findsLabels: Bool = true
  ) throws -> (model: Model, decisions: String) {
    let folder = try TemporaryFolder()
    try Files.write(Files.read("\(training)/pets.cfg"), to: folder.file("pets.cfg"))
    for (name, text) in names { try Files.write(text.utf8, to: folder.file(name)) }
    var options = ReadOptions()
    options.randomWeights = 1
    options.findsLabels = findsLabels
    let model = try Model(contentsOf: folder.file("pets.cfg"), options: options)
    return (model, model.provenance.decisions.map(\.text).joined(separator: "\n"))
  }

  @Test("If several .names files fit, none is used and all are listed")
  func several() throws {
    let (model, decisions) = try model(["obj.names": "a\nb\n", "colors.names": "c\nd\n"])
    #expect(model.metadata.labels.isEmpty)
    #expect(
      decisions.contains(
        "colors.names and obj.names beside the .cfg have as many names as there are classes (2), and "
          + "none was taken: choose one with `DescriptionEdit.labels`"))
  }

  @Test("The .names file named like the .cfg is used, and others that fit are mentioned")
  func own() throws {
    let (model, decisions) = try model(["pets.names": "a\nb\n", "colors.names": "c\nd\n"])
    #expect(model.metadata.labels == ["a", "b"])
    #expect(decisions.contains("those of pets.names beside the .cfg"))
    #expect(decisions.contains("(as those of colors.names are)"))
  }

  @Test("Files that do not fit or cannot be read are named with the reason")
  func others() throws {
    let (model, decisions) = try model(["pets.names": "a\nb\nc\n", "birds.names": "c\n\nd\n"])
    #expect(model.metadata.labels.isEmpty)
    #expect(
      decisions.contains(
        "no .names file beside the .cfg has 2 names (birds.names: has a blank line between labels, where each "
          + "line must be one; pets.names: 3 names): name the file with `DescriptionEdit.labels`"))
  }

  @Test("Labels given by the user are not recorded as a decision")
  func said() throws {
    var (model, decisions) = try model(["obj.names": "a\nb\n"], findsLabels: false)
    #expect(!decisions.contains("labels") && model.metadata.labels.isEmpty)
    var edit = DescriptionEdit()
    edit.labels = ["x", "y"]
    try model.describe(edit)
    #expect(model.metadata.labels == ["x", "y"])
  }

  @Test("A byte order mark is not part of the first label")
  func mark() throws {
    #expect(try LabelFile.read("\(training)/obj.names") == ["cat", "dog"])
  }

  @Test("A .data file whose list is elsewhere says what to do")
  func data() throws {
    let folder = try TemporaryFolder()
    try Files.write(Files.read("\(training)/obj.data"), to: folder.file("obj.data"))
    var options = ReadOptions()
    options.weights = "\(training)/pets_best.weights"
    options.data = folder.file("obj.data")
    let error = try #require(
      failure { _ = try Model(contentsOf: "\(training)/pets.cfg", options: options) })
    #expect(error.code == .missing)
    #expect(error.place.position == .line(3))
    #expect(error.reason.contains("nor is a file of that name beside this one"))
  }
}
