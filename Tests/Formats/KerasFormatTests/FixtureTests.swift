import Bytes
import HDF5File
import KerasFormat
import Testing

@Suite("Files that Keras wrote", .enabled(if: Fixtures.folder != nil, "\(Fixtures.skipReason)"))
struct FixtureTests {
  /// Reads a file and every model nested in it, and every weight's bytes.
  private func readAll(_ path: String) throws -> KerasFile {
    let file = try KerasFile(path: path)
    var models = file.model.map { [$0] } ?? []
    while let model = models.popLast() {
      #expect(model.callOrder.count == model.layers.reduce(0) { $0 + $1.calls.count }, "\(path)")
      models += try model.layers.filter(\.isModel).map { try KerasModelRecord(nestedIn: $0) }
    }
    for weight in file.weightGroups.flatMap(\.weights) {
      let bytes = try file.bytes(of: weight)
      #expect(
        try bytes.range.count == file.file.dataset(at: weight.path).byteCount,
        "\(path) \(weight.path)")
    }
    return file
  }

  @Test(
    "Every .h5 file that Keras 1 to 3 wrote can be read, nested models too",
    arguments: ["zoo", "oldzoo", "seeds", "real"])
  func everyFile(folder: String) throws {
    let paths = Fixtures.files(in: folder) { name in
      (name.hasSuffix(".h5") || name.hasSuffix(".hdf5")) && !name.hasSuffix(".weights.h5")
    }
    #expect(!paths.isEmpty)
    for path in paths {
      do { _ = try readAll(path) } catch { Issue.record("\(error)") }
    }
  }

  @Test("Archives and .weights.h5 files hold the weights that the .h5 beside them lists")
  func objects() throws {
    let paths = Fixtures.files(in: "zoo") { $0.hasSuffix(".keras") || $0.hasSuffix(".weights.h5") }
    #expect(!paths.isEmpty)
    var compared = 0
    for path in paths {
      let parts = path.split(separator: "/")
      let folder = "/" + parts.dropLast().joined(separator: "/")
      let generation = parts[parts.count - 1].prefix(2)
      // Some cases have no .h5, because their Keras could not write it.
      guard exists("\(folder)/\(generation).h5") else { continue }
      let listed = try KerasFile(path: "\(folder)/\(generation).h5")
      let keras = try KerasFile(path: path)
      let groups = try keras.weightGroups(of: #require(listed.model))
      let byName = Dictionary(uniqueKeysWithValues: groups.map { ($0.layerName, $0.weights) })
      for group in listed.weightGroups {
        // A nested model lists its weights in an order of its own.
        guard let weights = byName[group.layerName] else { continue }
        compared += 1
        let isEqual = try zip(weights, group.weights).allSatisfy { weight, other in
          try weight.shape == other.shape
            && keras.file.contents(of: keras.file.dataset(at: weight.path))
              == listed.file.contents(of: listed.file.dataset(at: other.path))
        }
        #expect(isEqual && weights.count == group.weights.count, "\(path) \(group.layerName)")
      }
    }
    #expect(compared > paths.count / 2)
  }

  @Test("A to_json text describes the model that the weights beside it belong to")
  func architectures() throws {
    let paths = Fixtures.files(in: "seeds") { $0.hasSuffix("_arch.json") }
    #expect(!paths.isEmpty)
    for path in paths {
      let model = try KerasArchitecture.read(path: path).model
      let folder = path.split(separator: "/").dropLast().last ?? ""
      let weights = Fixtures.files(in: "seeds/\(folder)") { $0.hasSuffix(".h5") }
      let names = try KerasFile(path: #require(weights.first)).weightGroups.map(\.layerName)
      // The input of a Sequential is in no list of weights.
      let layers = model.layers.filter { !model.isSequential || $0.className != "InputLayer" }
      #expect(Set(names) == Set(layers.map(\.name)), "\(path)")
    }
  }

  @Test("Tiny YOLO's weights are used where they are in the file")
  func tinyYOLO() throws {
    let paths = Fixtures.files(in: "seeds") { $0.hasPrefix("tinyyolo") && $0.hasSuffix(".h5") }
    let file = try KerasFile(path: #require(paths.first))
    let weights = file.weightGroups.flatMap(\.weights)
    #expect(file.version == KerasVersion(2, 1, 5))
    #expect(weights.first?.path == "/model_weights/conv2d_1/conv2d_1/kernel:0")
    #expect(
      try file.bytes(of: #require(weights.first)).range == 25240..<25240 + 4 * 3 * 3 * 3 * 16)
    #expect(weights.reduce(0) { $0 + $1.shape.reduce(1, *) } == 15_867_885)
    for weight in weights {
      guard case .fileRange = try file.file.dataset(at: weight.path).storage else {
        Issue.record("\(weight.path) has to be decoded")
        continue
      }
    }
  }
}
