import Bytes
import HDF5File
import KerasFormat
import Testing

@Suite("Files that Keras wrote", .enabled(if: Fixtures.folder != nil, "\(Fixtures.absence)"))
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
      #expect(bytes.range.count == weight.dataset.byteCount, "\(path) \(weight.path)")
    }
    return file
  }

  @Test(
    "every file that Keras 1 and 2 wrote can be read, nested models too",
    arguments: ["zoo", "oldzoo", "seeds", "real"])
  func everyFile(folder: String) throws {
    let paths = Fixtures.files(in: folder) { name in
      (name.hasSuffix(".h5") || name.hasSuffix(".hdf5")) && !name.hasPrefix("k3")
        && !name.hasSuffix(".weights.h5")
    }
    #expect(!paths.isEmpty)
    for path in paths {
      do { _ = try readAll(path) } catch { Issue.record("\(error)") }
    }
  }
}
