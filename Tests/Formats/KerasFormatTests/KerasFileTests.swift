import Bytes
import HDF5File
import KerasFormat
import Testing

@Suite("Keras files")
struct KerasFileTests {
  @Test("A saved model gives its version, its layers and their weights")
  func whole() throws {
    let keras = try KerasFile(path: file("whole.h5"))
    #expect(keras.version == KerasVersion(2, 15, 0))
    #expect(keras.backend == "tensorflow")
    #expect(keras.model?.layers.map(\.name) == ["x", "fc"])
    #expect(keras.weightGroups.map(\.layerName) == ["x", "fc"])
    #expect(keras.weightGroups[0].weights.isEmpty)
    let weights = keras.weightGroups[1].weights
    #expect(weights.map(\.name) == ["fc/kernel:0", "fc/bias:0"])
    #expect(weights.map(\.path).first == "/model_weights/fc/fc/kernel:0")
    #expect(weights.map(\.shape) == [[3, 2], [2]])
    #expect(weights.map(\.elementType) == [.float32, .float32])
    #expect(try floats(keras, weights[0]) == [0, 1, 2, 3, 4, 5])
    #expect(try floats(keras, weights[1]) == [10, 11])
  }

  @Test("A file with weights only has no model")
  func weightsOnly() throws {
    let keras = try KerasFile(path: file("weights_only.h5"))
    #expect(keras.version == KerasVersion(2, 1, 5))
    #expect(keras.model == nil)
    #expect(keras.weightGroups.map(\.layerName) == ["x", "fc"])
    #expect(keras.weightGroups[1].weights.map(\.path) == ["/fc/fc/kernel:0", "/fc/fc/bias:0"])
  }

  @Test("Lists of names that were split over attributes are joined")
  func split() throws {
    let keras = try KerasFile(path: file("split.h5"))
    #expect(keras.weightGroups.map(\.layerName) == ["x", "fc", "last"])
    #expect(keras.weightGroups[1].weights.map(\.name) == ["fc/kernel:0", "fc/bias:0"])
  }

  @Test("Weights of the model itself come last under a name of their own")
  func topLevel() throws {
    let groups = try KerasFile(path: file("top_level_weights.h5")).weightGroups
    #expect(groups.map(\.layerName) == ["x", "fc", "top_level_model_weights"])
    #expect(groups[2].weights.map(\.name) == ["scale:0"])
  }

  @Test("Listed names are read as HDF5 reads paths")
  func slashes() throws {
    let keras = try KerasFile(path: file("slashes.h5"))
    let weights = keras.weightGroups[1].weights
    #expect(weights.map(\.name) == ["fc//kernel:0", "/model_weights/fc/./fc/bias:0"])
    #expect(
      weights.map(\.path) == ["/model_weights/fc/fc/kernel:0", "/model_weights/fc/fc/bias:0"])
    #expect(try floats(keras, weights[1]) == [10, 11])
    let genuine = try KerasFile(path: file("Genuine/2.15.0-slashes.h5"))
    #expect(genuine.weightGroups[1].layerName == "res_net//fc")
    #expect(
      genuine.weightGroups[1].weights.map(\.name)
        == ["res_net//fc/kernel:0", "res_net//fc/bias:0"])
    #expect(try floats(genuine, genuine.weightGroups[1].weights[0]) == [0, 1, 2, 3, 4, 5])
    #expect(try floats(genuine, genuine.weightGroups[1].weights[1]) == [10, 11])
  }

  @Test("A nested Sequential without a name is named by its weights")
  func nameless() throws {
    let keras = try KerasFile(path: file("nameless.h5"))
    #expect(keras.model?.layers.map(\.name) == ["tower", "last"])
  }

  @Test(
    "Weights and names that do not match are refused with their path",
    arguments: [
      ("unlisted_weight", "/model_weights/fc/fc/bias:0: is a dataset that no weight_names"),
      ("unlisted_layer", "/stray/stray/bias:0: is a dataset that no weight_names or layer_names"),
      ("unlisted_layer", ", nor 1 other"),
      ("unlisted_link", "/model_weights/fc/alias: is a soft link that no"),
      ("missing_weight", "/model_weights/fc/fc/scale:0: the file has nothing at this path"),
      ("missing_layer", "/model_weights/gone: the file has nothing at this path"),
      ("layer_twice", "/model_weights: attribute \"layer_names\" lists \"fc\" twice"),
      ("weight_twice", "attribute \"weight_names\" lists \"fc/kernel:0\" twice"),
      ("weight_twice_slashes", "attribute \"weight_names\" lists \"fc//kernel:0\" twice"),
      ("no_weight_names", "/model_weights/fc: has no weight_names attribute"),
      ("number_names", "attribute \"weight_names\" is not a list of strings"),
      ("no_layer_names", "/model_weights: has no layer_names attribute"),
      ("no_weights", "no group /model_weights"),
      ("bad_json", "model_config, byte 24: not JSON"),
      ("bad_version", "keras_version \"new\" is not a version"),
    ])
  func mismatches(name: String, reason: String) {
    expectFailure(.malformed, reason) { _ = try KerasFile(path: file("\(name).h5")) }
    expectFailure(.malformed, "\(name).h5") { _ = try KerasFile(path: file("\(name).h5")) }
  }

  @Test("What Keras 4 may write, and what Keras did not write, is refused by name")
  func others() {
    expectFailure(.unsupported, "was written by Keras 4.0.0") {
      _ = try KerasFile(path: file("keras4_model.h5"))
    }
    expectFailure(.malformed, "not one that Keras wrote: it has no model_config") {
      _ = try KerasFile(path: file("not_keras.h5"))
    }
    expectFailure(.malformed, "it has: images float32 [2], labels") {
      _ = try KerasFile(path: file("not_keras.h5"))
    }
    expectFailure(.malformed, "is not an HDF5 file") {
      _ = try KerasFile(path: file("model.json"))
    }
  }
}

@Suite("Keras architectures")
struct ArchitectureTests {
  @Test("A to_json text and a saved model give the same model")
  func both() throws {
    let text = try KerasArchitecture.read(path: file("model.json"))
    let saved = try KerasArchitecture.read(path: file("whole.h5"))
    #expect(text.version?.description == "2.2.4-tf")
    #expect(text.backend == "tensorflow")
    #expect(text.model == saved.model)
    #expect(saved.version == KerasVersion(2, 15))
  }

  @Test("A to_json text that was written as a JSON string is read")
  func string() throws {
    let string = try KerasArchitecture.read(path: file("string.json"))
    #expect(try string == KerasArchitecture.read(path: file("model.json")))
  }

  @Test(
    "A file that is not an architecture is refused with what it is",
    arguments: [
      ("model.txt", "is neither JSON (to_json), YAML (to_yaml), HDF5"),
      ("list.json", "is neither JSON"),
      ("empty.json", "empty.json: is empty"), ("model.yaml", "has no key \"config\""),
      ("broken.json", "byte 15: not JSON"),
      ("string_list.json", "is a JSON string that contains a list, expected an object"),
      ("string_twice.json", "is a JSON string that contains a string"),
      ("string_text.json", "is a JSON string whose text is not JSON: byte 0: not JSON"),
      ("string_empty.json", "is a JSON string whose text is not JSON: byte 0: not JSON"),
      ("string_cut.json", "byte 3: not JSON"),
      ("weights_only.h5", "has weights only"), ("objects.weights.h5", "has weights only"),
    ])
  func malformed(name: String, reason: String) {
    expectFailure(.malformed, reason) { _ = try KerasArchitecture.read(path: file(name)) }
    expectFailure(.malformed, name) { _ = try KerasArchitecture.read(path: file(name)) }
  }

  @Test(
    "What cannot be read yet is refused by name",
    arguments: [
      ("keras4.json", "written by Keras 4.0.0")
    ])
  func unsupported(name: String, reason: String) {
    expectFailure(.unsupported, reason) { _ = try KerasArchitecture.read(path: file(name)) }
  }
}

@Suite("Versions of Keras")
struct VersionTests {
  @Test(
    "Versions are parsed and printed",
    arguments: [
      ("2.1.5", 2, 1, 5, ""), ("2.2.4-tf", 2, 2, 4, "-tf"), ("2.15.0", 2, 15, 0, ""),
      ("2.3.0-rc1", 2, 3, 0, "-rc1"), ("3.0.0.dev2023", 3, 0, 0, ".dev2023"),
    ])
  func parse(text: String, major: Int, minor: Int, patch: Int, suffix: String) throws {
    let version = try #require(KerasVersion(text))
    #expect((version.major, version.minor, version.patch) == (major, minor, patch))
    #expect(version.suffix == suffix)
    #expect(version.description == text)
  }

  @Test(
    "A malformed version is refused", arguments: ["", "2", "2.", "a.b", "99999999999999999999.1"])
  func refuse(text: String) { #expect(KerasVersion(text) == nil) }

  @Test("Versions are compared by their numbers")
  func compare() {
    #expect(KerasVersion(2, 2, 4) < KerasVersion(2, 15, 0))
    #expect(KerasVersion(1, 2, 2) < KerasVersion(2, 0))
    #expect(KerasVersion("2.2.4-tf") == KerasVersion(2, 2, 4))
    #expect(KerasVersion("2.3")?.description == "2.3.0")
  }
}
