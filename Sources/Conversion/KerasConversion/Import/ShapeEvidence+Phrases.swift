import Bytes
import ConversionCore

/// Phrases about what is known about a shape.
extension ShapeEvidence {
  /// The sizes of a shape of a given rank; `nil` where that contradicts the weights.
  func sizes(count: Int) -> [Int?]? {
    switch shape {
    case .unknown: return [Int?](repeating: nil, count: count)
    case .last(let size): return [Int?](repeating: nil, count: max(0, count - 1)) + [size]
    case .sizes(let sizes): return sizes.count == count ? sizes : nil
    }
  }

  /// What is known, as a continuation of "the weights say that".
  var phrase: String {
    switch shape {
    case .unknown: "nothing is known of it"
    case .last(let size): "its last dimension is \(size)"
    case .sizes(let sizes): "it is \(InputShape.text(sizes)), without the batch axis"
    }
  }

  /// An example of what a user may state: the known sizes, and a number for each unknown one.
  var example: String {
    guard case .sizes(let sizes) = shape else { return "8" }
    let numbers = sizes.count > 2 ? [64, 64, 64, 64, 64] : [10, 10]
    return InputShape.text(zip(sizes, numbers).map { $0 ?? $1 })
  }

  /// What is missing, and what to state.
  func request(for name: String, flattened: (layer: String, count: Int)?) -> String {
    switch (shape, flattened) {
    case (.last(let size), _):
      "the weights of \(layer) say that its last dimension is \(size), not how many come before it; "
        + "\(APIName.inputShapes) \(name)=\(size) says none, \(name)=None,\(size) one of any length"
    case (_, (let dense, let count)?):
      "the weights of \(dense) say that it is flattened to \(count.counted("number")), not its dimensions; "
        + "give them without the batch axis, as with \(APIName.inputShapes) \(name)=\(count), or 28,28,1"
    case (_, nil):
      "no weights up to \(layer) say it; give it without the batch axis, as with "
        + "\(APIName.inputShapes) \(name)=8, or 28,28,1, or None,3 where any length will do"
    }
  }
}
