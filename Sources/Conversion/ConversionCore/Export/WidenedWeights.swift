import Bytes
package import GraphIR
import TensorEncoding

/// Counts, by encoding, of the weights that a target stores with more bits than the model.
package struct WidenedWeights: Sendable {
  private var counts: [String: Int] = [:]

  /// Creates an empty count.
  package init() {}

  /// Counts a weight, if it is stored with fewer bits than its elements have.
  package mutating func add(_ tensor: Tensor) {
    guard let stored = tensor.store.origin as? EncodedElements else { return }
    switch stored.encoding {
    case .plain, .bytePlanes: return
    case .half, .linear, .lookup, .rans: counts[stored.encoding.title, default: 0] += 1
    }
  }

  /// The losses to report, one message for each encoding.
  package var losses: [String] {
    counts.sorted { $0.key < $1.key }.map { title, count in
      "\(count == 1 ? "a weight" : "\(count) weights") of \(title) "
        + "\(count == 1 ? "is" : "are") stored as numbers of full size"
    }
  }
}
