import ArgumentParser

/// Refuses options that are given twice, also under two of their names, of which the parser would
/// take the last one.
enum RepeatedOptions {
  /// The options of commands that may be given several times and are not in the table.
  private static let others: Set<String> = [
    "input-name", "output-name", "input-description", "output-description", "object",
  ]

  /// The options with the same names as others that may be given several times.
  private static let ofCommands: [String: Set<String>] = [
    "cut": ["input", "output"], "metadata": ["set", "unset"],
  ]

  /// - Parameter arguments: The arguments of the program, without its name.
  /// - Throws: A validation error that names the first such option.
  static func check(_ arguments: [String]) throws {
    let own = ofCommands[arguments.first ?? ""] ?? []
    var seen: [String: String] = [:]
    for argument in arguments.prefix(while: { $0 != "--" }) {
      let isOutput = argument == "-o" && !own.contains("output")
      guard argument.hasPrefix("--") || isOutput else { continue }
      let given = isOutput ? "output" : String(argument.dropFirst(2).prefix { $0 != "=" })
      let name = own.contains(given) ? given : otherNames[given] ?? given
      guard let earlier = seen.updateValue(given, forKey: name) else { continue }
      guard earlier == given else {
        throw ValidationError(
          "--\(earlier) and --\(given) are one option, which is given twice")
      }
      guard own.contains(name) || repeatable.contains(name) || others.contains(name) else {
        throw ValidationError("--\(given) is given twice")
      }
    }
  }
}
