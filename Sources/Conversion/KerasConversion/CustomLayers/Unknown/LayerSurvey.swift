import Bytes
import GraphIR
import JSON
package import KerasFormat

/// What an import learns about unknown layers.
package struct LayerSurvey: Sendable {
  /// The largest number of a weight's elements where the file does not list its weights.
  package static let weightLimit = 1 << 24

  /// The input types of each layer, by its path, where they are known.
  var inputs: [String: [TensorType]] = [:]
  /// The output types that the file states for each layer.
  var outputs: [String: [Int: KerasStatedType]] = [:]
  /// What is derived from each layer's code, or why nothing is.
  private(set) var proposals: [String: Result<LambdaProposal, PythonRefusal>] = [:]
  /// The version of Keras that wrote the file, where it is known.
  let version: KerasVersion?

  package init(version: KerasVersion? = nil) { self.version = version }

  /// Records what a call of a layer gives. All calls must give the same.
  mutating func add(_ proposal: Result<LambdaProposal, PythonRefusal>, for name: String) {
    if case .success(let earlier) = proposals[name], case .success(let later) = proposal,
      earlier.mapping != later.mapping
    {
      proposals[name] = .failure(
        PythonRefusal("computes something else in each call of the layer"))
    } else if case .failure = proposals[name] {
    } else {
      proposals[name] = proposal
    }
  }
}

/// A layer that is kept as it is and whose output shape is not stated.
struct KeptLayer {
  let name: String
  /// Its first input.
  let input: TensorType

  /// Its entry in a file of custom layers, if its output has the shape of its input.
  private var entry: JSONValue {
    let shape = input.shape.enumerated().map { axis, dimension in
      axis == 0 ? JSONValue.null : dimension.value.map { .integer($0) } ?? .null
    }
    return .object([
      "layers": .object([
        name: .object(["keep": true, "output_shapes": .array([.array(shape)])])
      ])
    ])
  }

  /// Adds to an error about a later layer what to do about this one.
  func explaining(_ error: WeighbridgeError) -> WeighbridgeError {
    let text = entry.text()
    if error.reason.contains(text) { return error }
    return WeighbridgeError(
      error.code,
      "\(error.reason); it follows \(name), which is kept and whose output shape is not known: give it in "
        + "a file for \(APIName.customLayers), as \(text), with what it makes in place of what it takes"
    ).at(error.place)
  }
}
