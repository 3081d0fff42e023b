/// Counts how far the objects of an image are from the wanted ones, class by class.
struct PresenceCounter: Sendable {
  /// How many objects of each class are wanted, less those of the image that is being counted.
  private var missing: [Int]
  private let isCounted: [Bool]
  /// The objects that are wanted in the classes that count.
  private let wantedSum: Int

  /// - Parameters:
  ///   - wantedCounts: How many objects of each class are wanted.
  ///   - isCounted: Whether each class counts.
  init(wantedCounts: [Int], isCounted: [Bool]) {
    (missing, self.isCounted) = (wantedCounts, isCounted)
    wantedSum = zip(wantedCounts, isCounted).reduce(0) { $0 + ($1.1 ? $1.0 : 0) }
  }

  /// Over the classes that count, the sum of |wanted - found|.
  ///
  /// - Parameter classes: The class of each object that was found.
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
