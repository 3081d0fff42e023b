package import Weighbridge

/// The difference between two tensors: max|actual - expected|, and the same over max(1, max|expected|), which
/// is "differs by" in the public API. Implemented separately, so that no test depends on the
/// verifier.
package struct Distance: Comparable, CustomStringConvertible {
  /// max|actual - expected|; infinite when the shapes differ or NaN and infinities do not match.
  package let absolute: Double
  /// The largest expected magnitude.
  package let largest: Double

  /// max|actual - expected| / max(1, max|expected|).
  package var error: Double { absolute / max(1, largest) }

  /// Compares two tensors.
  package init(actual: Tensor, expected: Tensor) {
    guard actual.shape == expected.shape else {
      (absolute, largest) = (.infinity, 0)
      return
    }
    var (distance, magnitude) = (0.0, 0.0)
    for (actual, expected) in zip(actual.doubles, expected.doubles) {
      guard actual.isFinite, expected.isFinite else {
        if actual != expected, !(actual.isNaN && expected.isNaN) { distance = .infinity }
        continue
      }
      distance = max(distance, (actual - expected).magnitude)
      magnitude = max(magnitude, expected.magnitude)
    }
    (absolute, largest) = (distance, magnitude)
  }

  /// Whether the difference is within a tolerance.
  package func isWithin(absolute limit: Double, relative: Double) -> Bool {
    absolute <= limit + relative * largest
  }

  package static func < (first: Distance, second: Distance) -> Bool { first.error < second.error }

  package var description: String { "max abs \(absolute) of \(largest), error \(error)" }
}

extension [NamedTensor] {
  /// The array with a name.
  package subscript(_ name: String) -> Tensor? { first { $0.name == name }?.tensor }
}

/// Returns the differences between a run's outputs and expected arrays: by name, or by order when
/// the names do not match. One is infinite when the numbers of arrays differ, or there is nothing to
/// compare.
package func distances(actual: [NamedTensor], expected: [NamedTensor]) -> [Distance] {
  let missing = Tensor(.float32, shape: [0], [])
  guard actual.count == expected.count, !expected.isEmpty else {
    return [Distance(actual: missing, expected: Tensor(.float32, shape: [1], [0]))]
  }
  let byName = Set(actual.map(\.name)) == Set(expected.map(\.name))
  return zip(actual, expected).map { result, sameOrder in
    Distance(
      actual: result.tensor,
      expected: (byName ? expected[result.name] : sameOrder.tensor) ?? missing)
  }
}
