/// A set of names that generates unique ones.
package struct UniqueNames: Sendable {
  private var names: Set<String>
  /// For each name that was requested again, the number to try next.
  private var nextNumbers: [String: Int] = [:]
  private let firstNumber: Int

  /// - Parameters:
  ///   - names: The names that are taken.
  ///   - firstNumber: The number appended to a name that is requested for the second time.
  package init(_ names: [String] = [], firstNumber: Int = 2) {
    self.names = Set(names)
    self.firstNumber = firstNumber
  }

  /// Whether a name is taken.
  package func contains(_ name: String) -> Bool { names.contains(name) }

  /// Takes a name; returns whether it was free.
  package mutating func insert(_ name: String) -> Bool { names.insert(name).inserted }

  /// Takes a name, with the first number appended that makes it unique.
  package mutating func unused(_ name: String) -> String {
    if names.insert(name).inserted { return name }
    var number = nextNumbers[name, default: firstNumber]
    while !names.insert("\(name)_\(number)").inserted { number += 1 }
    nextNumbers[name] = number + 1
    return "\(name)_\(number)"
  }
}
