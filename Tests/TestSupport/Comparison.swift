package import Weighbridge

/// The difference between two tensors: max|got - want|, and the same over max(1, max|want|), which
/// is "differs by" in the public API. Implemented separately, so that no test depends on the
/// verifier.
package struct Distance: Comparable, CustomStringConvertible {
  /// max|got - want|; infinite when the shapes differ or NaN and infinities do not match.
  package let absolute: Double
  /// The largest expected magnitude.
  package let largest: Double

  /// max|got - want| / max(1, max|want|).
  package var error: Double { absolute / max(1, largest) }

  /// Compares two tensors.
  package init(got: Tensor, want: Tensor) {
    guard got.shape == want.shape else {
      (absolute, largest) = (.infinity, 0)
      return
    }
    var (distance, magnitude) = (0.0, 0.0)
    for (got, want) in zip(got.doubles, want.doubles) {
      guard got.isFinite, want.isFinite else {
        if got != want, !(got.isNaN && want.isNaN) { distance = .infinity }
        continue
      }
      distance = max(distance, (got - want).magnitude)
      magnitude = max(magnitude, want.magnitude)
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
/// the names do not match. One is infinite when the numbers of arrays differ.
package func distances(got: [NamedTensor], want: [NamedTensor]) -> [Distance] {
  let missing = Tensor(.float32, shape: [0], [])
  guard got.count == want.count else {
    return [Distance(got: missing, want: Tensor(.float32, shape: [1], [0]))]
  }
  let byName = Set(got.map(\.name)) == Set(want.map(\.name))
  return zip(got, want).map { result, sameOrder in
    Distance(got: result.tensor, want: (byName ? want[result.name] : sameOrder.tensor) ?? missing)
  }
}
