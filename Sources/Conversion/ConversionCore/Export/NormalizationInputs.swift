package import LayerCatalog

/// The positions of a normalization's scale and offset among its inputs; `nil` for one that it does
/// not have, which is then 1 or 0.
package struct NormalizationInputs: Sendable {
  /// The scale, gamma.
  package let scale: Int?
  /// The offset, beta.
  package let offset: Int?

  package init(hasScale: Bool, hasCenter: Bool) {
    scale = hasScale ? 1 : nil
    offset = hasCenter ? (hasScale ? 2 : 1) : nil
  }
}

extension LayerNormalization {
  /// Whether it normalizes over the last axes of data with `rank` axes, in their order.
  package func normalizesLastAxes(rank: Int) -> Bool {
    axes == Array(rank - axes.count..<rank)
  }
}
