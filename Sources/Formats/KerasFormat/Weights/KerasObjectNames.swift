/// The names of the groups of objects in a list: each is named after its class, with a number when
/// the class occurs again.
package struct KerasObjectNames {
  private var counts: [String: Int] = [:]

  /// The name of the next object.
  ///
  /// - Parameter exists: Whether a name can be the object's. Keras 2.12 and 2.13 skip a number
  ///   after each object with weights, but create a group for every object.
  mutating func next(
    _ className: String, where exists: (String) -> Bool = { _ in true }
  ) -> String {
    let base = Self.snakeCase(className)
    let first = counts[base] ?? 0
    let number = [first, first + 1].first { exists(Self.name(base, $0)) } ?? first
    counts[base] = number + 1
    return Self.name(base, number)
  }

  private static func name(_ base: String, _ number: Int) -> String {
    number == 0 ? base : "\(base)_\(number)"
  }

  /// Converts a class name to snake case as Keras does: `Conv2DTranspose` becomes
  /// `conv2d_transpose`.
  package static func snakeCase(_ className: String) -> String {
    let characters = className.filter { $0.isLetter || $0.isNumber || $0 == "_" }
    let words = separate(Array(characters)) { previous, characters, index in
      // A capital before a lowercase letter.
      index + 1 < characters.count && isLower(characters[index + 1]) && previous != nil
    }
    let separated = separate(words) { previous, _, _ in previous.map(isLower) ?? false }
    return String(separated).lowercased()
  }

  /// Inserts `_` before the capitals selected by a rule.
  private static func separate(
    _ characters: [Character], _ startsWord: (Character?, [Character], Int) -> Bool
  ) -> [Character] {
    var result: [Character] = []
    for (index, character) in characters.enumerated() {
      let previous = index > 0 ? characters[index - 1] : nil
      if isUpper(character), startsWord(previous, characters, index) { result.append("_") }
      result.append(character)
    }
    return result
  }

  private static func isLower(_ character: Character) -> Bool {
    ("a"..."z").contains(character)
  }
  private static func isUpper(_ character: Character) -> Bool {
    ("A"..."Z").contains(character)
  }
}
