import Bytes
import GraphIR
import JSON
import KerasFormat

/// What an import learns of layers that nobody understands.
package struct LayerSurvey: Sendable {
  /// The most elements that a weight may have where the file does not say which weights there are.
  package static let weightLimit = 1 << 24

  /// What each takes, by its path, where it is known.
  var inputs: [String: [TensorType]] = [:]
  /// What the file states that each makes.
  var outputs: [String: [Int: KerasStatedType]] = [:]
  /// What the code of each proposes, where the shapes fit it.
  var proposals: [String: LambdaProposal] = [:]

  package init() {}
}

/// A layer that is kept as it is, of which nobody says what shape it makes.
struct KeptLayer {
  let name: String
  /// Its first input.
  let input: TensorType

  /// What a file for custom layers says of it when it makes the shape that it takes.
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

  /// An error of a layer behind it, with what to do.
  func explaining(_ error: WeighbridgeError) -> WeighbridgeError {
    let text = entry.text()
    if error.reason.contains(text) { return error }
    return WeighbridgeError(
      error.code,
      "\(error.reason); it comes behind \(name), which is kept and whose shape nobody says: say it in "
        + "a file for \(APIName.customLayers), as \(text), with what it makes in place of what it takes"
    ).at(error.place)
  }
}
