/// A letter for each axis of a tensor, as in Einstein's summation: axes of one letter run together.
/// Letters are `a` to `z`, each at most once.
package struct AxisLabels: RawRepresentable, Hashable, Sendable {
  /// The letters, outermost axis first.
  package let rawValue: String

  /// The labels of a text; `nil` when a letter stands twice or is none of `a` to `z`.
  package init?(rawValue: String) {
    guard Set(rawValue).count == rawValue.count,
      rawValue.allSatisfy({ ("a"..."z").contains($0) })
    else { return nil }
    self.rawValue = rawValue
  }

  /// The letters of a list.
  package init(_ letters: [Character]) { rawValue = String(letters) }

  /// The letters, outermost axis first.
  package var letters: [Character] { Array(rawValue) }
}
