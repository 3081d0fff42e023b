package import LayerCatalog

/// The nearest element as the kernels of TensorFlow and TFLite find it, in single precision.
extension ResizingGrid {
  /// The element of an axis that is taken for one of the output.
  package func nearest(_ index: Int, from old: Int, to new: Int) -> Int {
    let scale =
      self == .alignCorners && new > 1
      ? Float(old - 1) / Float(new - 1) : Float(old) / Float(new)
    let place = (Float(index) + (self == .halfPixel ? 0.5 : 0)) * scale
    let rounded =
      self == .alignCorners ? place.rounded(.toNearestOrAwayFromZero) : place.rounded(.down)
    return max(0, min(Int(rounded), old - 1))
  }

  /// Whether each element is repeated as often as the others. Without half-pixel centers, the first
  /// of 41 repetitions is one of the element before.
  package func repeats(from old: Int, to new: Int) -> Bool {
    old > 0 && new % old == 0
      && (0..<new).allSatisfy { nearest($0, from: old, to: new) == $0 / (new / old) }
  }
}
