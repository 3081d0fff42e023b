import Bytes
import HDF5File
import Testing

@testable import KerasFormat

@Suite("Keras archives")
struct KerasArchiveTests {
  @Test("Stored and deflated archives give the same version, model and weights")
  func both() throws {
    let stored = try KerasFile(path: file("stored.keras"))
    let deflated = try KerasFile(path: file("deflated.keras"))
    let expected = [Float](stride(from: 0, to: 6, by: 1)) + [10, 11]
    for keras in [stored, deflated] {
      #expect(keras.container == .archive)
      #expect(keras.version == KerasVersion(3, 15, 1))
      let model = try #require(keras.model)
      #expect(model == stored.model)
      let groups = try keras.weightGroups(of: model)
      #expect(groups.map(\.layerName) == ["x", "fc"])
      #expect(groups[1].weights.map(\.shape) == [[3, 2], [2]])
      #expect(try groups[1].weights.flatMap { try floats(keras, $0) } == expected)
    }
    #expect(stored.file.store.withDescriptor { $0 != nil })
    #expect(deflated.file.store.withDescriptor { $0 == nil })
    #expect(try KerasFile(path: file("folder.keras")).model == stored.model)
  }

  @Test("An archive is an architecture too")
  func architecture() throws {
    let architecture = try KerasArchitecture.read(path: file("stored.keras"))
    #expect(architecture.version == KerasVersion(3, 15, 1))
    #expect(try architecture.model == KerasFile(path: file("stored.keras")).model)
    let weights = try KerasFile(path: file("objects.weights.h5"))
    #expect(weights.container == .weightsHDF5)
    #expect(weights.model == nil)
    #expect(try weights.weightGroups(of: architecture.model)[1].weights.count == 2)
  }

  @Test(
    "An archive is recognized even if its weights begin at an offset where HDF5 may begin",
    arguments: [512, 2048])
  func weightsAt(offset: Int) throws {
    let path = file("weights_at_\(offset).keras")
    let model = try KerasFile(path: file("stored.keras")).model
    let keras = try KerasFile(path: path)
    #expect(keras.container == .archive)
    #expect(keras.model == model)
    #expect(try KerasArchitecture.read(path: path).model == model)
    #expect(keras.file.store.withBytes { HDF5File.isHDF5($0) })
  }

  @Test("An archive that Keras itself wrote with its weights at 2048 is recognized too")
  func genuineWeightsAt2048() throws {
    let keras = try KerasFile(path: file("Genuine/3.15.1-at-2048.keras"))
    #expect(keras.container == .archive)
    #expect(keras.version == KerasVersion(3, 15, 1))
    #expect(keras.file.store.withBytes { HDF5File.isHDF5($0) })
    let model = try #require(keras.model)
    let groups = try keras.weightGroups(of: model)
    #expect(groups.map(\.layerName) == ["x", "fc"])
    #expect(try groups[1].weights.flatMap { try floats(keras, $0) } == [0, 1, 2, 3, 4, 5, 10, 11])
  }

  @Test(
    "A wrong archive is refused with its member",
    arguments: [
      ("no_config", "without config.json, so not a .keras file"),
      ("no_metadata", "is a .keras archive without metadata.json"),
      ("no_weights", "is a .keras archive without model.weights.h5"),
      ("twice", "member config.json is in the archive twice"),
      ("traversing", "\"../config.json\", whose name leads out of the archive"),
      ("absolute", "\"/etc/config.json\", whose name leads out of the archive"),
      ("bad_json", "config.json, byte 15: not JSON"),
      ("bad_version", ":metadata.json: keras_version \"new\" is not a version"),
      ("no_version", ":metadata.json: has no key \"keras_version\""),
      ("no_hdf5", "no_hdf5.keras/model.weights.h5: is not an HDF5 file"),
      ("texts_cut", "weighbridge.json, byte 11: not JSON"),
      ("texts_list", ":weighbridge.json: is a list, expected an object of strings"),
      ("texts_number", ":weighbridge.json: author is not a string"),
      ("damaged", ":model.weights.h5: is damaged: its checksum does not match"),
      ("bomb", ":model.weights.h5: cannot unpack 529 bytes to 1073741824"),
      ("cut_off", "is a truncated ZIP archive"),
    ])
  func malformed(name: String, reason: String) {
    expectFailure(.malformed, reason) { _ = try KerasFile(path: file("\(name).keras")) }
    expectFailure(.malformed, "\(name).keras") { _ = try KerasFile(path: file("\(name).keras")) }
  }

  @Test(
    "Archive features that are not supported are refused by name",
    arguments: [
      ("more", "a member \"notes.txt\", which no known version"),
      ("table", "files of layers (assets/layers/table/rows.bin)"),
      ("keras4", "was written by Keras 4.0.0"),
    ])
  func unsupported(name: String, reason: String) {
    expectFailure(.unsupported, reason) { _ = try KerasFile(path: file("\(name).keras")) }
    expectFailure(.unsupported, "\(name).keras") { _ = try KerasFile(path: file("\(name).keras")) }
  }

  @Test("Vocabularies of layers are read by the layer's class and number")
  func vocabularies() throws {
    let file = try KerasFile(path: file("assets.keras"))
    #expect(file.vocabularyNames == ["assets/layers/lookup/vocabulary.txt"])
    #expect(file.vocabulary(of: "Lookup", 0) == ["one"])
    #expect(file.vocabulary(of: "Lookup", 1) == nil)
  }

  @Test("The unpacked size and the number of members are limited")
  func limits() throws {
    let store = ByteStore(try MappedFile(path: file("deflated.keras")))
    var limits = KerasArchive.Limits()
    limits.memory = 1000
    let archive = try KerasArchive(store, path: "deflated.keras", limits: limits)
    expectFailure(.limitExceeded, ":model.weights.h5: unpacks to 9") {
      _ = try archive.weightsFile(HDF5File.Limits())
    }
    limits.memberCount = 2
    expectFailure(.limitExceeded, "has 3 members, over the limit of 2") {
      _ = try KerasArchive(store, path: "deflated.keras", limits: limits)
    }
  }
}

@Suite("Weights whose places follow from the model")
struct KerasObjectTests {
  private let two = functional(
    dense("first", #"[[["x", 0, 0]]]"#) + "," + dense("y", #"[[["first", 0, 0]]]"#))

  @Test("Keras 2.12 and 2.13 pass over a number after each layer with weights")
  func older() throws {
    let keras = try KerasFile(path: file("objects_older.weights.h5"))
    let groups = try keras.weightGroups(of: model(two))
    #expect(groups.map(\.layerName) == ["x", "first", "y"])
    #expect(try floats(keras, groups[1].weights[1]) == [10, 11])
    #expect(try floats(keras, groups[2].weights[1]) == [110, 111])
    #expect(
      groups[2].weights[0].name == "_layer_checkpoint_dependencies/dense_2/vars/0")
  }

  @Test("Paths that Keras 2 on Windows joined with backslashes are read")
  func windows() throws {
    let one = try model(functional(dense("y", #"[[["x", 0, 0]]]"#)))
    let keras = try KerasFile(path: file("objects_windows.weights.h5"))
    let weights = try keras.weightGroups(of: one)[1].weights
    #expect(weights.map(\.name) == ["layers/dense/vars/0", "layers/dense/vars/1"])
    #expect(weights.map(\.path) == [#"/layers\dense/vars/0"#, #"/layers\dense/vars/1"#])
    #expect(try floats(keras, weights[1]) == [10, 11])
    let older = try KerasFile(path: file("objects_windows_older.weights.h5"))
    #expect(try floats(older, older.weightGroups(of: model(two))[2].weights[1]) == [110, 111])
    let surplus = try KerasFile(path: file("objects_windows_surplus.weights.h5"))
    expectFailure(.malformed, #"/layers\dense_1/vars/0: is a dataset that no layer"#) {
      _ = try surplus.weightGroups(of: one)
    }
    let twoWays = try KerasFile(path: file("objects_two_ways.weights.h5"))
    expectFailure(.malformed, "dense/vars/0: is the same weight as") {
      _ = try twoWays.weightGroups(of: one)
    }
    let deep = try KerasFile(path: file("objects_deep.weights.h5"))
    expectFailure(.limitExceeded, "leads through more than 100 groups") {
      _ = try deep.weightGroups(of: one)
    }
  }

  @Test("Weights of no layer are refused, the optimizer's are not read")
  func surplus() throws {
    let one = try model(functional(dense("y", #"[[["x", 0, 0]]]"#)))
    let whole = try KerasFile(path: file("objects.weights.h5"))
    #expect(try whole.weightGroups(of: one)[1].weights.count == 2)
    #expect(try whole.weightGroups(of: model(two))[2].weights.isEmpty)
    let surplus = try KerasFile(path: file("objects_surplus.weights.h5"))
    expectFailure(
      .malformed,
      "/layers/dense_1/vars/0: is a dataset that no layer of the architecture uses, nor 1 other"
    ) { _ = try surplus.weightGroups(of: one) }
  }

  @Test(
    "Class names become names of groups",
    arguments: [
      ("Dense", "dense"), ("Conv2DTranspose", "conv2d_transpose"), ("LSTM", "lstm"),
      ("ConvLSTM2D", "conv_lstm2d"), ("GlobalMaxPooling2D", "global_max_pooling2d"),
      ("RNN", "rnn"), ("StackedRNNCells", "stacked_rnn_cells"), ("PReLU", "p_re_lu"),
      ("TFOpLambda", "tf_op_lambda"), ("MultiHeadAttention", "multi_head_attention"),
    ])
  func names(className: String, name: String) {
    #expect(KerasObjectNames.snakeCase(className) == name)
  }

  @Test(
    "Genuine files of every layout hold the same weights",
    arguments: [
      "2.12.0.keras", "2.13.1.keras", "2.15.0.keras", "2.15.0-windows.keras", "2.15.0.weights.h5",
      "3.15.1.keras",
    ]
  )
  func genuine(name: String) throws {
    let listed = try KerasFile(path: file("Genuine/2.15.0.h5"))
    let keras = try KerasFile(path: file("Genuine/\(name)"))
    let groups = try keras.weightGroups(of: #require(keras.model ?? listed.model))
    let byName = Dictionary(uniqueKeysWithValues: groups.map { ($0.layerName, $0.weights) })
    for group in listed.weightGroups where group.layerName != "inner" {
      let weights = try #require(byName[group.layerName])
      #expect(
        try weights.map { try floats(keras, $0) } == group.weights.map { try floats(listed, $0) },
        "\(group.layerName)")
    }
    // The nested model: its list of names has the trainable weights first.
    let inner = try ["inner_norm", "inner_last", "inner_first"].map {
      try #require(byName["inner/\($0)"])
    }
    let order = inner[0].prefix(2) + inner[1] + inner[2] + inner[0].suffix(2)
    let expected = try #require(listed.weightGroups.first { $0.layerName == "inner" }).weights
    #expect(
      try order.map { try floats(keras, $0) } == expected.map { try floats(listed, $0) })
  }
}
