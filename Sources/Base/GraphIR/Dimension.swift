/// The size of one axis: a number, or unknown until the model runs.
public enum Dimension: Hashable, Sendable {
  /// A known size, 0 or more.
  case fixed(Int)
  /// An unknown size with a name: axes with the same name have the same size (`batch`, `height`).
  case symbolic(String)
  /// An unknown size without a name, such as one computed from a symbolic one.
  case unknown

  /// The size, when it is known.
  public var value: Int? { if case .fixed(let value) = self { value } else { nil } }

  /// Whether the two can be the same size.
  package func agrees(with other: Dimension) -> Bool {
    guard let size = value, let otherSize = other.value else { return true }
    return size == otherSize
  }

  /// Returns a size computed from this one, which is unknown when this one is.
  package func map(
    _ transform: (Int) throws(ShapeError) -> Int
  ) throws(ShapeError) -> Dimension {
    guard let value else { return .unknown }
    return .fixed(try transform(value))
  }

  /// The more precise of two sizes that agree.
  package func merged(with other: Dimension) -> Dimension {
    if case .unknown = self { return other }
    return value == nil && other.value != nil ? other : self
  }

  /// The product of sizes, which is unknown when one of them is.
  ///
  /// - Throws: When the product does not fit an `Int`.
  package static func product(
    _ factors: some Sequence<Dimension>
  ) throws(ShapeError) -> Dimension {
    var result = 1
    for factor in factors {
      guard let value = factor.value else { return .unknown }
      let (next, overflow) = result.multipliedReportingOverflow(by: value)
      guard !overflow else { throw ShapeError("the product of its axes is too large") }
      result = next
    }
    return .fixed(result)
  }
}

extension Dimension: ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// A known size.
  public init(integerLiteral value: Int) { self = .fixed(value) }

  /// The number, the name, or `?`.
  public var description: String {
    switch self {
    case .fixed(let value): String(value)
    case .symbolic(let name): name
    case .unknown: "?"
    }
  }
}

/// An error about shapes that do not fit an operator. The caller that knows the layer adds its
/// name.
package struct ShapeError: Error, Hashable, Sendable {
  /// What was found and what was expected.
  package let reason: String

  /// Creates an error.
  package init(_ reason: String) { self.reason = reason }
}
