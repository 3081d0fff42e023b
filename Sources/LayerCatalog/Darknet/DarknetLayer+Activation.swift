import Bytes
import DarknetFormat
import GraphIR

extension DarknetLayer {
  /// Reads an activation's name; a name that the fork does not know counts as `relu`.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for such a name in strict mode.
  mutating func activationName(
    _ key: String = "activation", default fallback: String
  ) throws(WeighbridgeError) -> String {
    guard let name = try text(key) else { return fallback }
    let known = fork == .alexeyab ? Self.common.union(Self.alexeyab) : Self.common
    if known.contains(name) { return name }
    try tolerate("\(fork.title) does not know the activation \(name) and takes relu for it")
    return "relu"
  }

  /// The activations that both forks know.
  private static let common: Set<String> = [
    "logistic", "loggy", "relu", "elu", "selu", "relie", "ramp", "linear", "tanh", "plse",
    "leaky", "stair", "hardtan", "lhtan",
  ]
  private static let alexeyab: Set<String> = [
    "relu6", "gelu", "revleaky", "swish", "mish", "hard_mish", "normalize_channels",
    "normalize_channels_softmax", "normalize_channels_softmax_maxval",
  ]

  /// Adds an activation.
  ///
  /// - Parameters:
  ///   - name: A name that ``activationName(_:default:)`` gave.
  ///   - role: The role of its last node.
  /// - Returns: The activated value; `value` itself for `linear`.
  mutating func activated(
    _ value: ValueID, _ name: String, role: String = "activation"
  ) throws(WeighbridgeError) -> ValueID {
    if let operation = Self.operation(name) { return try add(operation, [value], role: role) }
    switch name {
    case "linear": return value
    case "loggy":  // 2 / (1 + e^-x) - 1 is the hyperbolic tangent of half of x
      let half = try scaled(value, by: 0.5, role: role)
      return try add(Tanh(), [half], role: role)
    case "selu":  // with four digits of both constants
      let elu = try add(ELU(alpha: 1.6732), [value], role: role)
      return try scaled(elu, by: 1.0507, role: role)
    case "ramp":  // 1.1 x and 0.1 x
      let leaky = try add(LeakyReLU(slope: 0.1 / 1.1), [value], role: role)
      return try scaled(leaky, by: 1.1, role: role)
    default: return try normalizedChannels(value, name, role: role)
    }
  }

  /// The operator of an activation that is one.
  private static func operation(_ name: String) -> (any CatalogOperator)? {
    switch name {
    case "logistic": Sigmoid()
    case "relu": ReLU(slope: 0, threshold: 0, maximum: nil)
    case "relu6": ReLU(slope: 0, threshold: 0, maximum: 6)
    case "elu": ELU(alpha: 1)
    case "gelu": GELU(isApproximate: true)
    case "relie": LeakyReLU(slope: 0.01)
    case "leaky", "revleaky": LeakyReLU(slope: 0.1)
    case "tanh": Tanh()
    case "hardtan": Clip(minimum: -1, maximum: 1)
    case "swish": Swish()
    case "mish": Mish()
    case "hard_mish": HardMish()
    case "stair": Stair()
    case "plse": PiecewiseLinear(knots: [-4, 4], slopes: [0.01, 0.125, 0.01], value: 0)
    case "lhtan": PiecewiseLinear(knots: [0, 1], slopes: [0.001, 1, 0.001], value: 0)
    default: nil
    }
  }

  /// The share of each channel in the sum of all of them at its place, with 10⁻⁴ added to the sum:
  /// of the rectified elements, or of their powers of e.
  private mutating func normalizedChannels(
    _ value: ValueID, _ name: String, role: String
  ) throws(WeighbridgeError) -> ValueID {
    var powers = value
    switch name {
    case "normalize_channels":
      powers = try add(ReLU(slope: 0, threshold: 0, maximum: nil), [value], role: role)
    case "normalize_channels_softmax_maxval":
      let largest = try add(
        Reduction(.maximum, axes: [1], keepsAxes: true), [value], role: role)
      let lower = try add(Subtract(), [value, largest], role: role)
      powers = try add(Exponential(), [lower], role: role)
    default: powers = try add(Exponential(), [value], role: role)
    }
    return try add(SumNormalization(axes: [1], epsilon: 1e-4), [powers], role: role)
  }
}
