/// Counts the differences between the objects of an image and the wanted ones, class by class.
struct PresenceCounter: Sendable {
  /// The number of wanted objects of each class, less those counted in the current image.
  private var missingCounts: [Int]
  private let isCounted: [Bool]
  /// The number of wanted objects in the classes that count.
  private let wantedTotal: Int

  /// - Parameters:
  ///   - wantedCounts: The number of wanted objects of each class.
  ///   - isCounted: Whether each class counts.
  init(wantedCounts: [Int], isCounted: [Bool]) {
    (missingCounts, self.isCounted) = (wantedCounts, isCounted)
    wantedTotal = zip(wantedCounts, isCounted).reduce(0) { $0 + ($1.1 ? $1.0 : 0) }
  }

  /// Returns the sum of |wanted - found| over the classes that count.
  ///
  /// - Parameter classes: The class of each found object.
  /// - Complexity: Linear in the number of objects, whatever the number of classes.
  mutating func presence(of classes: [Int]) -> Double {
    var sum = wantedTotal
    for index in classes where isCounted[index] {
      missingCounts[index] -= 1
      sum += missingCounts[index] < 0 ? 1 : -1
    }
    for index in classes where isCounted[index] { missingCounts[index] += 1 }
    return Double(sum)
  }
}
