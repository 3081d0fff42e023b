extension String {
  /// The string, quoted where a shell command needs quotes.
  package var shellQuoted: String {
    let needsNoQuotes = allSatisfy { $0.isLetter || $0.isNumber || "/._-+:=,@%".contains($0) }
    if needsNoQuotes, !isEmpty { return hasPrefix("-") ? "./\(self)" : self }
    return "'\(replacing("'", with: "'\\''"))'"
  }

  /// Returns `a, b and c`; of more than nine names, only the first eight are listed.
  package static func listing(_ names: [String]) -> String {
    let shown = names.count > 9 ? names.prefix(8) + ["\(names.count - 8) others"] : names[...]
    guard shown.count > 1 else { return shown.joined() }
    return shown.dropLast().joined(separator: ", ") + " and " + shown[shown.endIndex - 1]
  }
}
