import Bytes
import GraphIR

/// The numbers of elements that are added or removed at both ends of each spatial axis.
package struct Borders: Hashable, Sendable {
  /// At the start, one entry for each spatial axis.
  package let before: [Int]
  /// At the end, one entry for each spatial axis.
  package let after: [Int]

  /// Makes borders.
  package init(before: [Int], after: [Int]) {
    self.before = before
    self.after = after
  }

  /// The attributes in which borders are stored.
  static let schema = AttributeSchema(
    Borders.init(before:after:),
    .integers(
      "before", \.before, "Elements before each spatial axis.", .atLeast(0), .sizeLimit,
      .minimumCount(1)),
    .integers(
      "after", \.after, "Elements after each spatial axis.", .atLeast(0), .sizeLimit,
      .countOf("before"))
  ).explained(by: .borders)

  /// Why the borders are invalid, if they are.
  package var problem: String? { Self.schema.problem(of: self) }
}
