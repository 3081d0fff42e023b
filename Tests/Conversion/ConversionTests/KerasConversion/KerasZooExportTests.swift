import TestSupport
import Testing
import Weighbridge

/// The reference files of Keras and darknet, written for both generations of Keras, read back and
/// run.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct KerasZooExportTests {
  /// Cases of one writer.
  struct Zoo: CustomTestStringConvertible, Sendable {
    let folder: String
    let file: String
    /// The outputs, the first that is there.
    var outputs = ["outputs.npz"]
    /// How many of a hundred cases must be written.
    let share: Int

    var testDescription: String { "\(folder)/*/\(file)" }
  }

  @Test(
    "What is written computes what the original framework computed",
    arguments: [
      Zoo(
        folder: "keras/zoo", file: "k2.h5", outputs: ["outputs.npz", "outputs_k3jax.npz"],
        share: 90),
      Zoo(
        folder: "keras/zoo", file: "k3.keras",
        outputs: ["outputs_k3.npz", "outputs_k3jax.npz", "outputs.npz"], share: 90),
      Zoo(folder: "keras/oldzoo/k2.2.4", file: "model.h5", share: 90),
      Zoo(folder: "keras/oldzoo/k1.2.2", file: "k1.h5", share: 80),
    ], [ExportFormat.keras, .kerasHDF5])
  func zoo(_ zoo: Zoo, _ target: ExportFormat) throws {
    var (written, total) = (0, 0)
    for name in Fixtures.folders(in: zoo.folder) {
      let folder = Fixtures.file("\(zoo.folder)/\(name)")
      let files = Files.names(in: folder)
      guard files.contains(zoo.file), let outputs = zoo.outputs.first(where: files.contains) else {
        continue
      }
      total += 1
      var options = ReadOptions()
      if name == "lambda_affine" {
        options.customLayers =
          "\(Paths.project)/Tests/Conversion/ConversionTests/Files/lambda_affine.json"
      }
      do {
        let model = try Model(contentsOf: "\(folder)/\(zoo.file)", options: options)
        if try check(model, folder, "\(folder)/\(outputs)", target) { written += 1 }
      } catch { Issue.record("\(folder): \(error)") }
    }
    #expect(total > 0 && written * 100 >= total * zoo.share, "\(written) of \(total) are written")
  }

  /// Whether a model is written; what it computes is checked then.
  private func check(
    _ model: Model, _ folder: String, _ outputs: String, _ target: ExportFormat
  ) throws -> Bool {
    let temporary = try TemporaryFolder()
    let path = temporary.file("m.\(target.fileExtension)")
    if let error = failure({ try model.export(to: path) }) {
      #expect(error.code == .unsupported, "\(folder): \(error)")
      #expect(temporary.names.isEmpty)
      return false
    }
    let results = try Model(contentsOf: path).run(ArrayFile.read("\(folder)/inputs.npz")).outputs
    let wanted = try ArrayFile.read(outputs)
    #expect(!wanted.isEmpty && results.count == wanted.count, "\(folder) to \(target.rawValue)")
    for (distance, output) in zip(distances(actual: results, expected: wanted), results) {
      let limit = max(1e-4, Tolerance.standard(for: output.tensor.elementType).absolute * 2)
      #expect(distance.error <= limit, "\(folder) to \(target.rawValue): \(distance)")
    }
    return true
  }
}
