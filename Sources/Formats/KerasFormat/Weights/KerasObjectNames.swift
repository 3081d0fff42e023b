/// The names of the groups of objects in a list: each is named after its class, with a number when
/// the class occurs again.
package struct KerasObjectNames {
  private var counts: [String: Int] = [:]

  /// The name of the next object.
  ///
  /// - Parameter isTaken: Whether a name can be the object's. Keras 2.12 and 2.13 skip a number
  ///   after each object with weights, but create a group for every object.
  mutating func next(_ className: String, where isTaken: (String) -> Bool = { _ in true }) -> String
  {
    let base = Self.snakeCase(className)
    let first = counts[base] ?? 0
    let number = [first, first + 1].first { isTaken(Self.name(base, $0)) } ?? first
    counts[base] = number + 1
    return Self.name(base, number)
  }

  private static func name(_ base: String, _ number: Int) -> String {
    number == 0 ? base : "\(base)_\(number)"
  }

  /// Converts a class name to snake case as Keras does: `Conv2DTranspose` becomes
  /// `conv2d_transpose`.
  package static func snakeCase(_ className: String) -> String {
    let letters = className.filter { $0.isLetter || $0.isNumber || $0 == "_" }
    let parted = separate(Array(letters)) { before, letters, index in
      // A capital that begins a word.
      index + 1 < letters.count && isLower(letters[index + 1]) && before != nil
    }
    let all = separate(parted) { before, _, _ in before.map(isLower) ?? false }
    return String(all).lowercased()
  }

  /// Inserts `_` before the capitals selected by a rule.
  private static func separate(
    _ letters: [Character], _ isChosen: (Character?, [Character], Int) -> Bool
  ) -> [Character] {
    var result: [Character] = []
    for (index, letter) in letters.enumerated() {
      let before = index > 0 ? letters[index - 1] : nil
      if isUpper(letter), isChosen(before, letters, index) { result.append("_") }
      result.append(letter)
    }
    return result
  }

  private static func isLower(_ letter: Character) -> Bool { ("a"..."z").contains(letter) }
  private static func isUpper(_ letter: Character) -> Bool { ("A"..."Z").contains(letter) }
}
