import Bytes
import GraphIR

/// How many elements are added or taken away at both ends of each spatial axis.
package struct Borders: Hashable, Sendable {
  /// In front, one entry a spatial axis.
  package let before: [Int]
  /// Behind, one entry a spatial axis.
  package let after: [Int]

  /// The largest entry: more than any network has, and small enough to be added to any size.
  private static let limit = 1 << 24

  /// Makes borders.
  package init(before: [Int], after: [Int]) {
    self.before = before
    self.after = after
  }

  /// Why these cannot be, if they cannot.
  package var problem: String? {
    if before.isEmpty || before.count != after.count {
      return "borders for different numbers of spatial axes, or for none"
    }
    return (before + after).contains { $0 < 0 || $0 > Self.limit }
      ? "a border of \(before) and \(after) is below 0 or above \(Self.limit)" : nil
  }

  /// The settings in their stored form.
  func append(to attributes: inout Attributes) {
    attributes.append("before", .integers(before))
    attributes.append("after", .integers(after))
  }

  /// What is stored, as data.
  static var definitions: [AttributeDefinition] {
    let definitions: [AttributeDefinition] = [
      .integers(
        "before", "Elements in front of each spatial axis.", .atLeast(0), .sizeLimit,
        .minimumCount(1)),
      .integers(
        "after", "Elements behind each spatial axis.", .atLeast(0), .sizeLimit, .countOf("before")),
    ]
    return definitions.map { $0.explained(by: .borders) }
  }

  /// Reads borders.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for lists of different lengths and for numbers
  ///   that are negative or too large.
  init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    before = try attributes.integers("before")
    after = try attributes.integers("after")
    if let problem { throw attributes.malformed(problem) }
  }
}
