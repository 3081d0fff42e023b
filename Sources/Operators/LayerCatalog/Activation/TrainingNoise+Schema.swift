import Bytes
import GraphIR

extension AttributeField where Value == Double? {
  /// The probability of dropout in an operator.
  static func dropout(
    _ name: String, _ value: @escaping @Sendable (Owner) -> Double?, _ meaning: String
  ) -> AttributeField {
    .real(name, value, meaning, .above(0), .atMost(1), presence: .optional("0"))
  }
}

extension TrainingNoise {
  /// The attributes of an operator that may have noise.
  static let schema = AttributeSchema<TrainingNoise?>(
    make, kindField, rateField, sharedAxesField)

  private typealias Field<Value> = AttributeField<TrainingNoise?, Value>

  private static let kindField = Field<Kind?>.choice(
    "noise", { $0?.kind }, "What is done to the input in training, and only then.",
    among: Kind.allCases, presence: .optional("nothing")
  ) {
    switch $0 {
    case .dropout: "elements become 0, and the others are divided by 1 - rate"
    case .alphaDropout: "elements become the lower bound of SELU; mean and variance are kept"
    case .gaussianDropout: "multiplies by normally distributed numbers, N(1, rate / (1 - rate))"
    case .gaussianNoise: "adds normally distributed numbers, N(0, rate^2)"
    }
  }

  private static let rateField = Field<Double?>.real(
    "rate", { $0?.rate }, "The probability; of `gaussian_noise` the standard deviation.",
    .above(0), .finite, presence: isPresent)

  private static let sharedAxesField = Field<[Int]?>.integers(
    "shared_axes", { $0?.sharedAxes }, "The axes along which a random number is the same.",
    .atLeast(0), .strictlyIncreasing, presence: isPresent)

  private static let isPresent = Presence.when("noise", Kind.allCases.map { .string($0.rawValue) })

  private static let make:
    @Sendable (Kind?, Double?, [Int]?) throws(WeighbridgeError) -> TrainingNoise? = {
      (kind, rate, sharedAxes) throws(WeighbridgeError) in
      guard let kind, let rate else { return nil }
      guard let noise = TrainingNoise(kind, rate: rate, sharedAxes: sharedAxes ?? []) else {
        throw .malformed("the rate of \(kind.rawValue) is \(rate), expected a number below 1")
      }
      return noise
    }
}
