/// A letter for each axis of a tensor, as in Einstein summation: axes with the same letter share an
/// index. Letters are `a` to `z`, each at most once.
package struct AxisLabels: RawRepresentable, Hashable, Sendable {
  /// The letters, outermost axis first.
  package let rawValue: String

  /// Parses labels; `nil` when a letter occurs twice or is not one of `a` to `z`.
  package init?(rawValue: String) {
    guard Set(rawValue).count == rawValue.count,
      rawValue.allSatisfy({ ("a"..."z").contains($0) })
    else { return nil }
    self.rawValue = rawValue
  }

  /// Makes labels from a list of letters.
  package init(_ letters: [Character]) { rawValue = String(letters) }

  /// The letters, outermost axis first.
  package var letters: [Character] { Array(rawValue) }
}
