/// Where ``Resizing`` reads the input's axis for each element of the output's: the coordinate of
/// element o when n elements become m.
package enum ResizingGrid: String, CaseIterable, Hashable, Sendable {
  /// (o + 0.5) * n / m - 0.5: the borders of both axes are at the same position.
  case halfPixel = "half_pixel"
  /// o * n / m: the first elements of both are at the same position.
  case asymmetric
  /// o * (n - 1) / (m - 1), and 0 for a single element: the first elements of both are at the same
  /// position, and the last ones.
  case alignCorners = "align_corners"
  /// As ``alignCorners``, but a single element is at the center, (n - 1) / 2.
  case alignCornersOrCenter = "align_corners_or_center"
  /// (o + 0.5) * max(1, n - 1) / m: the centers of m equal parts between the first and the last
  /// element.
  case centersBetweenCorners = "centers_between_corners"

  /// Returns the coordinate of an element, which may lie outside of the input's axis.
  func coordinate(_ output: Int, from old: Int, to new: Int) -> Float {
    let span = Float(old - 1)
    switch self {
    case .halfPixel: return (Float(output) + 0.5) * (Float(old) / Float(new)) - 0.5
    case .asymmetric: return Float(output) * Float(old) / Float(new)
    case .alignCorners: return new > 1 ? Float(output) * span / Float(new - 1) : 0
    case .alignCornersOrCenter: return new > 1 ? Float(output) * span / Float(new - 1) : span / 2
    case .centersBetweenCorners: return (Float(output) + 0.5) * max(1, span) / Float(new)
    }
  }
}

extension ResizingGrid {
  /// The attribute, which is absent for ``halfPixel``.
  static let field: AttributeField<Resizing, ResizingGrid?> = .choice(
    "grid", { $0.grid == .halfPixel ? nil : $0.grid },
    """
    The coordinate that is read for element o when n elements become m, bounded by 0 and n - 1; \
    for bilinear without antialias only.
    """, among: allCases.filter { $0 != .halfPixel },
    presence: .optional("(o + 0.5) * n / m - 0.5")
  ) {
    switch $0 {
    case .halfPixel: "(o + 0.5) * n / m - 0.5"
    case .asymmetric: "o * n / m"
    case .alignCorners: "o * (n - 1) / (m - 1), and 0 if m = 1"
    case .alignCornersOrCenter: "o * (n - 1) / (m - 1), and (n - 1) / 2 if m = 1"
    case .centersBetweenCorners: "(o + 0.5) * max(1, n - 1) / m"
    }
  }
}
