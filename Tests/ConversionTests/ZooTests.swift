import TestSupport
import Testing
import Weighbridge

/// Models of one feature each, many of which cannot be had yet: each either computes what its own
/// Keras computed, or is refused as unsupported. Wrong numbers are never possible.
@Suite(.enabled(if: Fixtures.areThere, "\(Fixtures.absence)"))
struct ZooTests {
  /// A folder of models by one version of Keras.
  struct Zoo: CustomTestStringConvertible, Sendable {
    let folder: String
    let file: String
    /// How many could be had when this was written; may rise, never fall.
    let leastPassing: Int

    var testDescription: String { folder }
  }

  private enum Outcome { case agrees, refused }

  @Test(
    "A model either computes what its own Keras computed or is refused",
    arguments: [
      Zoo(folder: "keras/zoo", file: "k2.h5", leastPassing: 182),
      Zoo(folder: "keras/oldzoo/k2.2.4", file: "model.h5", leastPassing: 143),
    ])
  func zoo(_ zoo: Zoo) throws {
    var outcomes: [Outcome: Int] = [:]
    for name in Fixtures.folders(in: zoo.folder) {
      let folder = Fixtures.file("\(zoo.folder)/\(name)")
      guard Files.names(in: folder).contains(zoo.file) else { continue }
      if let outcome = outcome(folder, zoo.file) { outcomes[outcome, default: 0] += 1 }
    }
    let (agreeing, refused) = (outcomes[.agrees, default: 0], outcomes[.refused, default: 0])
    print("\(zoo.folder): \(agreeing) agree, \(refused) are refused as unsupported")
    #expect(agreeing >= zoo.leastPassing)
  }

  /// What becomes of a model; `nil`, with an issue, for what must never be.
  private func outcome(_ folder: String, _ file: String) -> Outcome? {
    do {
      let model = try Model(contentsOf: "\(folder)/\(file)")
      let outputs = try model.run(ArrayFile.read("\(folder)/inputs.npz")).outputs
      let far = zip(outputs, distances(got: outputs, want: try wanted(folder))).first {
        output, distance in
        !(distance.error <= Tolerance.standard(for: output.tensor.elementType).absolute)
      }
      if let far {
        Issue.record("\(folder)/\(file): \(far.1)")
        return nil
      }
      return .agrees
    } catch let error as WeighbridgeError where error.code == .unsupported {
      return .refused
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  /// What Keras made of the inputs. TensorFlow cannot run channels-first models on a CPU; those are
  /// compared with what Keras 3 on JAX made of the same weights.
  private func wanted(_ folder: String) throws -> [NamedTensor] {
    let isThere = Files.names(in: folder).contains("outputs.npz")
    return try ArrayFile.read("\(folder)/\(isThere ? "outputs" : "outputs_k3jax").npz")
  }
}
