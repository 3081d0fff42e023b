import CoreMLConversion
import ProtobufWire
import TestSupport
import Testing
import Weighbridge

/// Core ML packages, and kinds of models that cannot be converted.
@Suite struct CoreMLPackageTests {
  private func sample(_ name: String) -> String { Paths.sample("CoreML/\(name)") }

  @Test("A package that holds a neural network is read", arguments: ["", "/"])
  func network(slash: String) throws {
    let path = sample("network.mlpackage\(slash)")
    let model = try Model(contentsOf: path)
    #expect(model.metadata.name == "network")
    #expect(model.metadata.summary == "Halves")
    let input = Tensor(.float32, shape: [2, 2, 2], [-4, 0, 1, 2, 3, 4, 5, 6])
    let output = try model.run([NamedTensor(name: "x", tensor: input)]).outputs[0]
    #expect(output.tensor.doubles == [-1, 1, 1.5, 2, 2.5, 3, 3.5, 4])
    #expect(try Inspection(of: path).contents == nil)
    let folder = try TemporaryFolder()
    try model.write(to: folder.file("m.wbm"))
    let stored = try Model(contentsOf: folder.file("m.wbm"))
    #expect(stored.provenance.sources.map(\.fileName) == ["model.mlmodel"])
  }

  @Test("An ML Program is read with the constants that stand in a file beside it")
  func program() throws {
    let path = sample("program.mlpackage")
    let model = try Model(contentsOf: path)
    #expect(model.metadata.author == "A. Author")
    #expect(model.provenance.frameworkVersion == "specification 6")
    #expect(model.inputs.map(\.name) == ["x"])
    #expect(model.inputs.map(\.type) == [TensorType(.float32, [1, 3, 8, 8])])
    #expect(try Inspection(of: path).contents == nil)
    let ones = Tensor(.float32, shape: [1, 3, 8, 8], [Double](repeating: 0, count: 192))
    let output = try model.run([NamedTensor(name: "x", tensor: ones)]).outputs[0]
    #expect(output.tensor.shape == [1, 4, 8, 8])
    #expect(output.tensor.doubles.allSatisfy { $0 == 0.25 })
  }

  @Test("A program without the file of its constants is refused")
  func constantsMissing() throws {
    let error = try #require(failure { _ = try Model(contentsOf: sample("program.mlmodel")) })
    #expect(error.code == .missing)
    #expect(error.reason.contains("has no file weights/weight.bin"), "\(error)")
  }

  @Test("The functions of an ML Program are shown with what each takes and gives")
  func functions() throws {
    let contents = try #require(try Inspection(of: sample("functions.mlpackage")).contents)
    #expect(contents.functions.map(\.name) == ["by_row", "by_column"])
    #expect(
      contents.functions.map { $0.inputs.map(\.type) } == [
        ["float32 [1, 3, 8]"], ["float32 [1, 3, 8]"],
      ])
    #expect(contents.functions[1].operations?["softmax"] == 1)
    #expect(contents.inputs.isEmpty)
    let error = failure { _ = try Model(contentsOf: sample("functions.mlpackage")) }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("with the functions by_row, by_column") == true)
  }

  @Test("The error about a Create ML pipeline says that its network is part of Apple's systems")
  func createML() throws {
    let path = sample("image_classifier.mlmodel")
    let error = try #require(failure { _ = try Model(contentsOf: path) })
    #expect(error.code == .unsupported)
    for text in [
      "of visionFeaturePrint, glmClassifier, as Create ML makes an image classifier",
      "visionFeaturePrint is Apple's feature extractor for images, whose network is a part of",
    ] {
      #expect(error.reason.contains(text), "\(error)")
    }
    let inspection = try Inspection(of: path)
    #expect(inspection.classLabel == .init(name: "label", type: "string", probabilities: "odds"))
    #expect(inspection.contents?.members == ["visionFeaturePrint", "glmClassifier"])
    #expect(inspection.contents?.inputs.map(\.type) == ["image RGB 299 x 299"])
    #expect(inspection.contents?.outputs.map(\.type) == ["numbers by string", "string"])
  }

  /// The kinds of models in Core ML's specification that contain no network of layers.
  static let kinds: [(number: Int, name: String)] = [
    (300, "glmRegressor"), (301, "supportVectorRegressor"), (302, "treeEnsembleRegressor"),
    (304, "bayesianProbitRegressor"), (400, "glmClassifier"), (401, "supportVectorClassifier"),
    (402, "treeEnsembleClassifier"), (404, "kNearestNeighborsClassifier"),
    (501, "itemSimilarityRecommender"), (555, "customModel"),
    (556, "linkedModel"), (560, "classConfidenceThresholding"), (600, "oneHotEncoder"),
    (601, "imputer"), (602, "featureVectorizer"), (603, "dictVectorizer"), (604, "scaler"),
    (606, "categoricalMapping"), (607, "normalizer"), (609, "arrayFeatureExtractor"),
    (900, "identity"), (2000, "textClassifier"), (2001, "wordTagger"),
    (2002, "visionFeaturePrint"), (2003, "soundAnalysisPreprocessing"), (2004, "gazetteer"),
    (2005, "wordEmbedding"), (2006, "audioFeaturePrint"), (3000, "serializedModel"),
  ]

  @Test("A model that is not a neural network is named by its kind", arguments: kinds)
  func otherKind(number: Int, name: String) throws {
    let folder = try TemporaryFolder()
    // Version 1, a description with an unknown field, and unreadable content.
    let bytes =
      [8, 1, 0x12, 3, 0xB8, 0x3E, 1] + ProtobufField.header(number, byteCount: 2) + [255, 255]
    try Files.write(bytes, to: folder.file("m.mlmodel"))
    let error = try #require(failure { _ = try Model(contentsOf: folder.file("m.mlmodel")) })
    #expect(error.code == .unsupported)
    #expect(error.reason.hasPrefix("is "), "\(error)")
    #expect(error.reason.contains("(Core ML \(name), specification 1), "), "\(error)")
    let contents = try #require(try Inspection(of: folder.file("m.mlmodel")).contents)
    #expect(contents.kind == name)
    #expect(contents.reason == error.reason)
  }

  @Test("An incomplete package, or one whose paths lead outside it, is refused")
  func broken() throws {
    let folder = try TemporaryFolder()
    let valid = try Files.read(sample("network.mlpackage/Data/com.apple.CoreML/model.mlmodel"))
    let entry = #"{"rootModelIdentifier": "1", "itemInfoEntries": {"1": {"path": "PATH"}}}"#
    let member = "com.apple.CoreML/model.mlmodel"
    let cases: [(manifest: String?, model: [UInt8]?, WeighbridgeError.Code, String)] = [
      (nil, [UInt8](valid), .malformed, "is a Core ML package without its Manifest.json"),
      ("", [UInt8](valid), .malformed, "Manifest.json"),
      ("version https://git-lfs.github.com/spec/v1", [UInt8](valid), .malformed, "Manifest.json"),
      ("[1]", [UInt8](valid), .malformed, "is a manifest that names no model"),
      (#"{"rootModelIdentifier": "2"}"#, [UInt8](valid), .malformed, "names no model"),
      (
        #"{"fileFormatVersion": "1.0.1"}"#, [UInt8](valid), .unsupported,
        "is a manifest of the version 1.0.1"
      ),
      (#"{"fileFormatVersion": "x"}"#, [UInt8](valid), .unsupported, "up to 1.0.0 can be read"),
      (entry.replacing("PATH", with: "../../x"), nil, .malformed, "leads out of the package"),
      (entry.replacing("PATH", with: "/etc/passwd"), nil, .malformed, "leads out of the package"),
      (entry.replacing("PATH", with: member), nil, .missing, "which its manifest names"),
      (entry.replacing("PATH", with: "com.apple.CoreML"), [UInt8](valid), .missing, "has no file"),
      (entry.replacing("PATH", with: member), [], .malformed, "is empty"),
      (entry.replacing("PATH", with: member), [0xFF, 1, 0x12], .unsupported, "in a format that"),
      (
        entry.replacing("PATH", with: member), Array("[net]\nheight=3\n".utf8), .malformed,
        "is a Core ML package whose model is of another format"
      ),
    ]
    try Files.makeFolder(folder.file("empty.mlpackage"))
    let empty = failure { _ = try Model(contentsOf: folder.file("empty.mlpackage")) }
    #expect(empty?.reason.contains("without its Manifest.json") == true)
    for (index, (manifest, model, code, reason)) in cases.enumerated() {
      let path = folder.file("\(index).mlpackage")
      try Files.makeFolder("\(path)/Data/com.apple.CoreML")
      if let manifest { try Files.write(manifest.utf8, to: "\(path)/Manifest.json") }
      if let model { try Files.write(model, to: "\(path)/Data/\(member)") }
      for error in [
        failure { _ = try Model(contentsOf: path) }, failure { _ = try Inspection(of: path) },
      ] {
        #expect(error?.code == code, "\(index): \(error?.description ?? "none")")
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "none")")
      }
    }
  }

  @Test(
    "A package whose manifest, model or folder is a link is refused",
    arguments: ["Data", "Data/com.apple.CoreML/model.mlmodel", "Manifest.json"])
  func links(_ name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("m.mlpackage")
    let valid = sample("network.mlpackage")
    try Files.makeFolder("\(path)\(name == "Data" ? "" : "/Data/com.apple.CoreML")")
    if name != "Manifest.json" {
      try Files.write(Files.read("\(valid)/Manifest.json"), to: "\(path)/Manifest.json")
    }
    try Files.link("\(path)/\(name)", to: "\(valid)/\(name)")
    let error = try #require(failure { _ = try Model(contentsOf: path) })
    #expect(
      error.code == .malformed && error.reason.contains("has a link as its \(name)"), "\(error)")
  }
}
