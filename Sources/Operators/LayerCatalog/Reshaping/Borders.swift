import Bytes
import GraphIR

/// How many elements are added or taken away at both ends of each spatial axis.
package struct Borders: Hashable, Sendable {
  /// In front, one entry a spatial axis.
  package let before: [Int]
  /// Behind, one entry a spatial axis.
  package let after: [Int]

  /// Makes borders.
  package init(before: [Int], after: [Int]) {
    self.before = before
    self.after = after
  }

  /// How borders are stored.
  static let schema = AttributeSchema(
    Borders.init(before:after:),
    .integers(
      "before", \.before, "Elements in front of each spatial axis.", .atLeast(0), .sizeLimit,
      .minimumCount(1)),
    .integers(
      "after", \.after, "Elements behind each spatial axis.", .atLeast(0), .sizeLimit,
      .countOf("before"))
  ).explained(by: .borders)

  /// Why these cannot be, if they cannot.
  package var problem: String? { Self.schema.problem(of: self) }
}
