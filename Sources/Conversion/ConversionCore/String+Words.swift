extension String {
  /// The text as one word of a command line.
  package var shellWord: String {
    let plain = allSatisfy { $0.isLetter || $0.isNumber || "/._-+:=,@%".contains($0) }
    if plain, !isEmpty { return hasPrefix("-") ? "./\(self)" : self }
    return "'\(replacing("'", with: "'\\''"))'"
  }

  /// `a, b and c`; of more than nine words the first eight.
  package static func listing(_ names: [String]) -> String {
    let shown = names.count > 9 ? names.prefix(8) + ["\(names.count - 8) others"] : names[...]
    guard shown.count > 1 else { return shown.joined() }
    return shown.dropLast().joined(separator: ", ") + " and " + shown[shown.endIndex - 1]
  }
}
