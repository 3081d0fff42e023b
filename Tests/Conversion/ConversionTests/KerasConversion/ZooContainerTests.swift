import TestSupport
import Testing
import Weighbridge

/// The same model in every container that its Keras writes, told from the content: each file is
/// read under a name that says something else.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct ZooContainerTests {
  /// The files of one version of Keras, the first of which the others are compared with.
  struct Generation: CustomTestStringConvertible, Sendable {
    let name: String
    /// The number of cases with a model in at least one container.
    let caseCount: Int
    /// Files with the model.
    var models: [String] { ["\(name).h5", "\(name).keras"] }
    /// Files with weights only, which take the architecture from one of the others.
    let weights: [String]

    var testDescription: String { name }
  }

  @Test(
    "Every container gives the same numbers, or all are refused",
    arguments: [
      Generation(name: "k2", caseCount: 232, weights: ["k2_w.h5", "k2.weights.h5"]),
      Generation(name: "k3", caseCount: 239, weights: ["k3.weights.h5"]),
    ])
  func containers(_ generation: Generation) throws {
    let temporary = try TemporaryFolder()
    var compared = 0
    for name in Fixtures.folders(in: "keras/zoo") {
      let folder = Fixtures.file("keras/zoo/\(name)")
      let names = Set(Files.names(in: folder))
      let models = generation.models.filter(names.contains)
      let inputs = try ArrayFile.read("\(folder)/inputs.npz")
      var results: [String: Result] = [:]
      for file in models {
        results[file] = result(of: try copied("\(folder)/\(file)", to: temporary), inputs)
        for weights in generation.weights where names.contains(weights) {
          let (path, other) = (
            try copied("\(folder)/\(weights)", to: temporary),
            try copied("\(folder)/\(file)", to: temporary, extension: "txt")
          )
          results["\(weights) with \(file)"] = result(of: path, inputs, architecture: other)
        }
      }
      guard let first = models.first.flatMap({ results[$0] }) else { continue }
      compared += 1
      if case .failed(let reason) = first { Issue.record("\(name): \(reason)") }
      for (file, result) in results {
        #expect(result == first, "\(name): \(file)")
      }
    }
    #expect(compared >= generation.caseCount)
  }

  /// The outputs' bytes, or that it was refused for a layer.
  private enum Result: Equatable {
    case outputs([[UInt8]])
    case refused(layer: String?)
    case failed(String)
  }

  private func result(
    of path: String, _ inputs: [NamedTensor], architecture: String? = nil
  ) -> Result {
    var options = ReadOptions()
    options.architecture = architecture
    do {
      let outputs = try Model(contentsOf: path, options: options).run(inputs).outputs
      return .outputs(outputs.map { $0.tensor.contiguousBytes() })
    } catch {
      return error.code == .unsupported
        ? .refused(layer: error.place.layer) : .failed("\(error)")
    }
  }

  /// A copy under a name that says nothing of its content.
  private func copied(
    _ path: String, to folder: TemporaryFolder, extension name: String = "wbm"
  ) throws -> String {
    let copy = folder.file("model.\(name)")
    try Files.write(Files.read(path), to: copy)
    return copy
  }
}
