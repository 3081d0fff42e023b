import TestSupport
import Testing
import Weighbridge

/// Models of one feature each, in every container that their Keras writes: each computes what its own
/// Keras computed.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct ZooTests {
  /// A kind of file in a folder of cases.
  struct Zoo: CustomTestStringConvertible, Sendable {
    let folder: String
    let file: String
    /// The number of cases that have it.
    let count: Int
    /// Files of the same case with the architecture, the first that is there; none where the file has
    /// it itself.
    var architectures: [String] = []
    /// The outputs, the first that is there.
    var outputs = ["outputs.npz"]

    var testDescription: String { "\(folder)/*/\(file)" }
  }

  // TensorFlow cannot run channels-first models on a CPU; those are compared with what Keras 3 on JAX
  // made of the same weights. Of a dilated transposed convolution Keras 3 has no outputs at all.
  private static let ofKeras2 = ["outputs.npz", "outputs_k3jax.npz"]
  private static let ofKeras3 = ["outputs_k3.npz", "outputs_k3jax.npz", "outputs.npz"]

  @Test(
    "A model computes what its own Keras computed",
    arguments: [
      Zoo(folder: "keras/zoo", file: "k2.h5", count: 231, outputs: ofKeras2),
      Zoo(folder: "keras/zoo", file: "k2.keras", count: 232, outputs: ofKeras2),
      Zoo(
        folder: "keras/zoo", file: "k2_w.h5", count: 231, architectures: ["k2.h5", "k2.keras"],
        outputs: ofKeras2),
      Zoo(
        folder: "keras/zoo", file: "k2.weights.h5", count: 232,
        architectures: ["k2.keras", "k2.h5"],
        outputs: ofKeras2),
      Zoo(folder: "keras/zoo", file: "k3.h5", count: 238, outputs: ofKeras3),
      Zoo(folder: "keras/zoo", file: "k3.keras", count: 239, outputs: ofKeras3),
      Zoo(
        folder: "keras/zoo", file: "k3.weights.h5", count: 239,
        architectures: ["k3.keras", "k3.h5"],
        outputs: ofKeras3),
      Zoo(folder: "keras/oldzoo/k2.2.4", file: "model.h5", count: 181),
      Zoo(folder: "keras/oldzoo/k1.2.2", file: "k1.h5", count: 39),
      Zoo(folder: "keras/oldzoo/k1.2.2", file: "k1_w.h5", count: 39, architectures: ["k1.json"]),
    ])
  func zoo(_ zoo: Zoo) throws {
    var count = 0
    for name in Fixtures.folders(in: zoo.folder) {
      let folder = Fixtures.file("\(zoo.folder)/\(name)")
      let files = Files.names(in: folder)
      guard files.contains(zoo.file) else { continue }
      do {
        try check(folder, zoo, files)
        count += 1
      } catch { Issue.record("\(folder)/\(zoo.file): \(error)") }
    }
    #expect(count >= zoo.count)
  }

  private func check(_ folder: String, _ zoo: Zoo, _ files: [String]) throws {
    func first(of names: [String]) -> String? {
      names.first { files.contains($0) }.map { "\(folder)/\($0)" }
    }
    var options = ReadOptions()
    options.architecture = first(of: zoo.architectures)
    // The only layers that mean nothing without a mapping.
    if folder.contains("lambda_affine") {
      options.customLayers =
        "\(Paths.project)/Tests/Conversion/ConversionTests/Files/lambda_affine.json"
    }
    let model = try Model(contentsOf: "\(folder)/\(zoo.file)", options: options)
    let outputs = try model.run(ArrayFile.read("\(folder)/inputs.npz")).outputs
    let wanted = try ArrayFile.read(try #require(first(of: zoo.outputs)))
    #expect(!wanted.isEmpty && outputs.count == wanted.count, "\(folder)/\(zoo.file)")
    for (distance, output) in zip(distances(actual: outputs, expected: wanted), outputs) {
      let limit = Tolerance.standard(for: output.tensor.elementType).absolute
      #expect(distance.error <= limit, "\(folder)/\(zoo.file): \(distance)")
    }
  }
}
