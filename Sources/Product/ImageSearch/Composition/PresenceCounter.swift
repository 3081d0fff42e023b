/// Counts how much the objects of an image differ from the wanted ones, class by class.
struct PresenceCounter: Sendable {
  /// The number of wanted objects of each class, less those counted in the current image.
  private var missing: [Int]
  private let isCounted: [Bool]
  /// The number of wanted objects in the classes that count.
  private let wantedSum: Int

  /// - Parameters:
  ///   - wantedCounts: The number of wanted objects of each class.
  ///   - isCounted: Whether each class counts.
  init(wantedCounts: [Int], isCounted: [Bool]) {
    (missing, self.isCounted) = (wantedCounts, isCounted)
    wantedSum = zip(wantedCounts, isCounted).reduce(0) { $0 + ($1.1 ? $1.0 : 0) }
  }

  /// Returns the sum of |wanted - found| over the classes that count.
  ///
  /// - Parameter classes: The class of each found object.
  /// - Complexity: Linear in the number of objects, whatever the number of classes.
  mutating func presence(of classes: [Int]) -> Double {
    var sum = wantedSum
    for index in classes where isCounted[index] {
      missing[index] -= 1
      sum += missing[index] < 0 ? 1 : -1
    }
    for index in classes where isCounted[index] { missing[index] += 1 }
    return Double(sum)
  }
}
