extension String {
  /// The string quoted as one word of a shell command.
  package var shellWord: String {
    let plain = allSatisfy { $0.isLetter || $0.isNumber || "/._-+:=,@%".contains($0) }
    if plain, !isEmpty { return hasPrefix("-") ? "./\(self)" : self }
    return "'\(replacing("'", with: "'\\''"))'"
  }

  /// Returns `a, b and c`; only the first eight of more than nine words are listed.
  package static func listing(_ names: [String]) -> String {
    let shown = names.count > 9 ? names.prefix(8) + ["\(names.count - 8) others"] : names[...]
    guard shown.count > 1 else { return shown.joined() }
    return shown.dropLast().joined(separator: ", ") + " and " + shown[shown.endIndex - 1]
  }
}
