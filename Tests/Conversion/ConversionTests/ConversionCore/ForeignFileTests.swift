import Foundation
import TestSupport
import Testing
import Weighbridge

/// Files and folders that users mistake for models: each is identified, wherever it is given.
@Suite struct ForeignFileTests {
  /// The files of `Samples/Hostile/foreign`, with phrases that say what each is and what to do.
  static let samples: [HostileFile] = [
    .init("apple_double.h5", .unsupported, "(AppleDouble)", "give the one without \"._\""),
    .init("archive.tar", .unsupported, "is a tar archive; unpack it first"),
    .init("checkpoint", .unsupported, "says which checkpoint of TensorFlow", "model-1.index"),
    .init("data_set.h5", .malformed, "has: images uint8 [4, 8, 8, 3], labels int64 [4]"),
    .init("document.pdf", .unsupported, "is a PDF document"),
    .init("download.h5", .unsupported, "is a web page (HTML)", "download it again"),
    .init("empty.weights", .malformed, "is empty", "get it again"),
    .init("image.jpg", .unsupported, "is a JPEG image", "use `Detector.detect(in:)`"),
    .init("image.png", .unsupported, "is a PNG image", "use `Detector.detect(in:)`"),
    .init("joblib.h5", .unsupported, "is a scikit-learn model in a joblib file"),
    .init("keras_model.zip", .unsupported, "is a zip archive with keras_model.h5; unpack it first"),
    .init("latin1.h5", .unsupported, "is an HDF5 file that was damaged by a transfer as text"),
    .init("lfs.h5", .unsupported, "a pointer of Git LFS", "94765736 bytes", "git lfs pull"),
    .init("line_ends.h5", .unsupported, "is an HDF5 file that was damaged by a transfer as text"),
    .init("mangled.h5", .unsupported, "replaced by EF BF BD", "get the file again, as binary"),
    .init("mangled.keras", .unsupported, "replaced by EF BF BD", "get the file again, as binary"),
    .init("mangled.weights", .unsupported, "replaced by EF BF BD", "get the file again, as binary"),
    .init("matlab.h5", .malformed, "not one that Keras wrote", "it is a MATLAB file"),
    .init("notebook.ipynb", .unsupported, "is a Jupyter notebook", "the file that it saves"),
    .init(
      "pandas.h5", .malformed, "it is a pandas or PyTables table",
      "table/block0_values float64 [2, 2]"),
    .init("pickle.pkl", .unsupported, "is a pickle file of Python", "numpy.savez"),
    .init("pickle_text.pkl", .unsupported, "is a pickle file of Python", "numpy.savez"),
    .init("server_error.xml", .unsupported, "is a server's error message (XML)", "get it again"),
    .init("single.npy", .unsupported, "is one array of NumPy (.npy)", ".npz"),
    .init("sklearn.pkl", .unsupported, "is a scikit-learn model in a pickle file"),
    .init(
      "symlink.weights", .unsupported, "is a symbolic link that was checked out as text",
      "foreign/../../weights/yolov3-tiny.weights", "core.symlinks"),
    .init("text.cfg", .unsupported, "is a text file, not a model"),
    .init("tflite.zip", .unsupported, "is a zip archive with model_unquant.tflite", "unpack it"),
    .init("torchscript.pt", .unsupported, "is a TorchScript archive", "torch.onnx.export"),
    .init("weights.h5.gz", .unsupported, "is compressed with gzip", "gunzip"),
  ]

  /// The samples that, by their first bytes, could be an architecture in text or darknet's weights.
  private static let likely: Set<String> = [
    "data_set.h5", "matlab.h5", "pandas.h5", "text.cfg",
  ]
  private static let certain = samples.filter { !likely.contains($0.name) }

  private func path(_ name: String) -> String { Paths.sample("Hostile/foreign/\(name)") }

  @Test("A file that is not a model is identified, with advice", arguments: samples)
  func named(_ file: HostileFile) throws {
    let error = try #require(failure { _ = try Model(contentsOf: path(file.name)) })
    #expect(file.explains(error), "\(error)")
    #expect(error.place.file == path(file.name))
    // What a TorchScript archive consists of can be listed.
    let inspection = failure { _ = try Inspection(of: path(file.name)) }
    #expect(inspection == (file.name == "torchscript.pt" ? nil : error))
  }

  @Test("Every sample is listed here with its error")
  func complete() {
    let others: Set<String> = ["README.md", "make.py", "requirements.txt"]
    let names = Files.names(in: Paths.sample("Hostile/foreign"))
    #expect(Set(names).subtracting(others) == Set(Self.samples.map(\.name)))
  }

  @Test(
    "It is also identified when given as the architecture of Keras or other weights",
    arguments: certain
  )
  func architecture(_ file: HostileFile) throws {
    let folder = try TemporaryFolder()
    let array = NamedTensor(name: "w", tensor: Tensor(.float32, shape: [1], [0]))
    try ArrayFile.write([array], to: folder.file("w.npz"))
    for weights in [Paths.sample("Hostile/keras/weights_only.h5"), folder.file("w.npz")] {
      var options = ReadOptions()
      options.architecture = path(file.name)
      let error = try #require(
        failure { _ = try Model(contentsOf: weights, options: options) })
      #expect(file.explains(error), "\(error)")
      #expect(error.place.file == path(file.name))
    }
  }

  @Test("It is also identified when given as darknet weights", arguments: certain)
  func darknetWeights(_ file: HostileFile) throws {
    let folder = try TemporaryFolder()
    try Files.write(
      Array("[net]\nwidth=4\nheight=4\nchannels=1\n[convolutional]\nfilters=1\n".utf8),
      to: folder.file("model.cfg"))
    var options = ReadOptions()
    options.weights = path(file.name)
    let error = try #require(
      failure { _ = try Model(contentsOf: folder.file("model.cfg"), options: options) })
    #expect(file.explains(error), "\(error)")
    #expect(error.place.file == path(file.name))
  }

  @Test("Folders of other frameworks, and a .keras archive as a folder, are named")
  func folders() throws {
    let folder = try TemporaryFolder()
    for (name, members, phrase) in [
      (
        "unzipped", ["config.json", "model.weights.h5"],
        "/model.weights.h5 with `ReadOptions.architecture`"
      ),
      ("model.mlmodelc", ["coremldata.bin"], "is a model that Core ML compiled"),
      ("training", ["checkpoint", "model.index"], "is a folder with checkpoints of TensorFlow"),
      ("archive", ["data.pkl", "version"], "is a PyTorch archive that was unpacked"),
    ] {
      let path = folder.file(name)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      for member in members { try Files.write([], to: "\(path)/\(member)") }
      let error = try #require(failure { _ = try Model(contentsOf: path) })
      #expect(error.code == .unsupported)
      #expect(error.reason.contains(phrase), "\(error)")
    }
  }

  @Test("JSON that is an architecture, and lists of shards, are named")
  func json() throws {
    let folder = try TemporaryFolder()
    for (text, phrase) in [
      (#"{"metadata": {"total_size": 8}, "weight_map": {}}"#, "split over several files"),
      (
        #"{"class_name": "Model"}"#,
        "give the file with the weights, and this one with `ReadOptions"
      ),
      (#""{\"class_name\": \"Model\"}""#, "give the file with the weights, and this one"),
      (#"{"cells": [], "metadata": {}}"#, "Jupyter notebook"),
    ] {
      try Files.write(Array(text.utf8), to: folder.file("model.json"))
      let error = try #require(failure { _ = try Model(contentsOf: folder.file("model.json")) })
      #expect(error.code == .unsupported)
      #expect(error.reason.contains(phrase), "\(error)")
    }
  }

  @Test("A text with a replaced character here and there is no damaged model")
  func replacedCharacters() throws {
    let folder = try TemporaryFolder()
    let comment = "# \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\n"
    let text = comment + "[net]\nwidth=4\nheight=4\nchannels=1\n[maxpool]\nsize=2\nstride=2\n"
    try Files.write(Array(text.utf8), to: folder.file("model.cfg"))
    var options = ReadOptions()
    options.randomWeights = 1
    let model = try Model(contentsOf: folder.file("model.cfg"), options: options)
    #expect(model.outputs.map(\.type.description) == ["float32 [batch, 1, 2, 2]"])
  }
}
