/// A set of names, with which new unique names are generated.
package struct UniqueNames: Sendable {
  private var names: Set<String>
  /// For each name that was requested again, the number to try next.
  private var nextNumbers: [String: Int] = [:]
  private let firstNumber: Int
  private let separator: String

  /// - Parameters:
  ///   - names: The names that are taken.
  ///   - firstNumber: The number appended to a name that is requested for the second time.
  ///   - separator: What is between a name and its number.
  package init(_ names: [String] = [], firstNumber: Int = 2, separator: String = "_") {
    self.names = Set(names)
    self.firstNumber = firstNumber
    self.separator = separator
  }

  /// Whether a name is taken.
  package func contains(_ name: String) -> Bool { names.contains(name) }

  /// Takes a name; returns whether it was unused.
  package mutating func insert(_ name: String) -> Bool { names.insert(name).inserted }

  /// Takes a name, with a number appended if that is needed to make it unique, and returns it.
  package mutating func unused(_ name: String) -> String {
    if names.insert(name).inserted { return name }
    var number = nextNumbers[name, default: firstNumber]
    while !names.insert("\(name)\(separator)\(number)").inserted { number += 1 }
    nextNumbers[name] = number + 1
    return "\(name)\(separator)\(number)"
  }
}
