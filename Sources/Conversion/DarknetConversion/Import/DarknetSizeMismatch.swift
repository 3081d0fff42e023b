import Bytes
import DarknetFormat

/// A `.weights` file with another number of parameters than the network takes.
struct DarknetSizeMismatch {
  private let taken: Int
  private let available: Int
  private let offset: Int
  private let shortage: DarknetWeightSupply.Shortage?
  private let section: String
  private let cause: String

  /// Describes the mismatch; `nil` when everything fits.
  init?(_ network: DarknetNetwork, _ importer: DarknetImporter) {
    let weights = network.weights
    guard !weights.isRandom, weights.taken != weights.available else { return nil }
    (taken, available, shortage) = (weights.taken, weights.available, weights.shortage)
    offset =
      shortage.map { weights.offset - 4 * $0.left } ?? weights.offset
    section = shortage.map { importer.configuration.sections[$0.layer + 1].name } ?? ""
    cause = Self.cause(network, importer)
  }

  /// The mismatch in words, at the layer and the byte where the counts diverge.
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
      "takes \(shortage.wanted) numbers for its \(shortage.role), and \(shortage.left) are left: "
        + counts
    ).at(.byte(offset)).at(layer: "#\(shortage.layer) [\(section)]")
  }

  private static func cause(_ network: DarknetNetwork, _ importer: DarknetImporter) -> String {
    let weights = network.weights
    let difference = weights.available - weights.taken
    if weights.available == 0 { return "the file is cut off behind its header" }
    if abs(difference) == 1 {
      return "the header's counter has \(difference < 0 ? "32 bits and was read as 64" : "64 bits")"
        + (difference < 0 ? "" : " and was read as 32")
        + " (\(APIName.darknetFork) chooses how old files are read), or one number was lost"
    }
    // The most conclusive explanations come first: they have no number that could be chosen to fit.
    if let cause = DarknetSizeExplanations(importer, wanted: weights.available).cause {
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

  /// The explanation for pretrained weights that end after some layer.
  private static func backbone(_ weights: DarknetWeightSupply) -> String? {
    guard let layer = weights.takenByLayer.firstIndex(of: weights.available) else { return nil }
    return
      "the file ends with layer \(layer), as a `.conv.\(layer + 1)` file of pretrained weights "
      + "does, with which a training begins; the network needs the file that the training ended "
      + "with (NAME_best.weights or NAME_final.weights)"
  }
}
