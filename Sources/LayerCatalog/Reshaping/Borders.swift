import Bytes
import GraphIR
import JSON

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
  var problem: String? {
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

extension KerasLayer {
  /// Borders as Keras writes them: one number for all, for one axis `[before, after]`, for several
  /// axes a number or a pair each.
  mutating func borders(
    _ key: String, axes: Int, default fallback: Int? = nil
  ) throws(WeighbridgeError) -> Borders {
    guard let setting = take(key) ?? fallback.map(JSONValue.integer) else {
      throw WeighbridgeError(.malformed, "the setting \(key) is missing")
    }
    var entries = [JSONValue](repeating: setting, count: axes)
    if axes > 1, let list = setting.array { entries = list }
    let pairs = entries.compactMap(Self.pair)
    guard entries.count == axes, pairs.count == axes else {
      throw wrong(key, setting, "a number or a pair of numbers for each of \(axes) axes")
    }
    let borders = Borders(before: pairs.map(\.0), after: pairs.map(\.1))
    if let problem = borders.problem { throw WeighbridgeError(.malformed, problem) }
    return borders
  }

  /// One number for both ends, or one for each.
  private static func pair(_ value: JSONValue) -> (Int, Int)? {
    if let number = value.integer { return (number, number) }
    guard let list = value.array, list.count == 2, let before = list[0].integer,
      let after = list[1].integer
    else { return nil }
    return (before, after)
  }
}
