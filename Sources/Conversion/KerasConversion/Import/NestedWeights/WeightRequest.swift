/// The weights that one layer requested while placeholders took the place of a list of weights.
struct WeightRequest {
  /// The layer's path.
  let path: String
  /// The requested weights, in the order in which the layer takes them.
  let weights: [RequestedWeight]
  /// Whether the layer itself is frozen; it then has no trainable weights.
  let isFrozen: Bool
}

/// A weight that a layer requested.
struct RequestedWeight {
  /// Its role within the layer.
  let role: String
  /// The shape in Keras' axis order; `nil` if it is not known before the weight is read.
  let shape: [Int]?
  /// Whether it is trained by gradients, unless something around it is frozen.
  let isTrainable: Bool
  /// The part of the layer that it belongs to.
  let part: WeightPart
}

/// The part of a layer that a weight belongs to: one direction of two, one cell of several, or the
/// layer as a whole.
struct WeightPart: Hashable {
  /// What the names of its weights have after the name of the layer, from the outside in.
  var names: [Name] = []
  /// The names of the layers that the layer wraps.
  var wrapped: [String] = []
  /// Whether a layer around it, within the layer, is frozen.
  var isFrozen = false

  /// A part of a weight's name.
  enum Name: Hashable {
    /// A name that begins like this, as `forward_lstm` does with `forward_`.
    case prefix(String)
    /// The name of an object, and its number among its siblings, which may be called the same.
    case object(String, Int)

    /// How well a part of a weight's name is this one: 2 if it is, 1 if it has a number more, as
    /// TensorFlow adds when a name is in use; `nil` if it is another name.
    func rank(of name: Substring) -> Int? {
      switch self {
      case .prefix(let prefix): name.hasPrefix(prefix) ? 2 : nil
      case .object(let object, _): WeightNames.rank(of: name, as: object)
      }
    }
  }
}
