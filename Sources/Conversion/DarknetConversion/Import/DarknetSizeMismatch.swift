import Bytes
import DarknetFormat

/// A mismatch between the numbers of parameters in a `.weights` file and in the network.
struct DarknetSizeMismatch {
  private let taken: Int
  private let available: Int
  private let offset: Int
  private let shortage: DarknetWeightSupply.Shortage?
  private let section: String
  private let cause: String

  /// Analyzes a network and its weights; `nil` when they fit.
  init?(_ network: DarknetNetwork, _ importer: DarknetImporter) {
    let weights = network.weights
    guard !weights.isRandom, weights.taken != weights.available else { return nil }
    (taken, available, shortage) = (weights.taken, weights.available, weights.shortage)
    offset =
      shortage.map { weights.offset - 4 * $0.remaining } ?? weights.offset
    section = shortage.map { importer.configuration.sections[$0.layer + 1].name } ?? ""
    cause = Self.cause(network, importer)
  }

  /// The error, at the layer and the byte offset where the counts diverge.
  var error: WeighbridgeError {
    let counts =
      "the network takes \(taken) numbers in all, and the file has \(available). Likely cause: "
      + cause
    guard let shortage else {
      return .malformed(
        "the last layer leaves \(available - taken) numbers: \(counts)"
      ).at(.byte(offset))
    }
    return .malformed(
      "takes \(shortage.needed) numbers for its \(shortage.role), and "
        + "\(shortage.remaining) are left: " + counts
    ).at(.byte(offset)).at(layer: "#\(shortage.layer) [\(section)]")
  }

  private static func cause(_ network: DarknetNetwork, _ importer: DarknetImporter) -> String {
    let weights = network.weights
    let difference = weights.available - weights.taken
    if weights.available == 0 { return "the file is cut off after its header" }
    if abs(difference) == 1 {
      return "the header's counter has \(difference < 0 ? "32 bits and was read as 64" : "64 bits")"
        + (difference < 0 ? "" : " and was read as 32")
        + " (\(APIName.darknet) chooses how old files are read), or one number was lost"
    }
    // The most conclusive explanations come first: those without a number that is chosen to fit.
    if let cause = DarknetSizeExplanations(importer, available: weights.available).cause {
      return cause
    }
    if let cause = backbone(weights) { return cause }
    if let cause = DarknetHeadChange(network, importer.configuration).cause { return cause }
    if weights.available < weights.taken / 2 || weights.taken < weights.available / 2 {
      return "the weights are of another network, for example of the -tiny one with the cfg of the "
        + "full one or the other way round"
    }
    return difference < 0
      ? "the file is cut off, or the weights are of another network"
      : "the weights are of another network, or something was appended"
  }

  /// The explanation for the pretrained weights of a network's first layers.
  private static func backbone(_ weights: DarknetWeightSupply) -> String? {
    guard let layer = weights.takenByLayer.firstIndex(of: weights.available) else { return nil }
    return
      "the file ends after layer \(layer), like a `.conv.\(layer + 1)` file of pretrained weights, "
      + "from which training starts; the network needs the file that training produced "
      + "(NAME_best.weights or NAME_final.weights)"
  }
}
