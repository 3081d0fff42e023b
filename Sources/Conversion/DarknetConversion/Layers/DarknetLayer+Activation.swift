import Bytes
import ConversionCore
package import DarknetFormat
package import GraphIR
import LayerCatalog

extension DarknetLayer {
  /// Reads an activation's name; a name that the fork does not know is replaced by `relu`. An
  /// activation for which the fork outputs zeros is recorded as a decision.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for an unknown name in strict mode.
  mutating func activationName(
    _ key: String = "activation", default fallback: String
  ) throws(WeighbridgeError) -> String {
    guard let name = try string(key) else { return fallback }
    let known = fork == .alexeyab ? Self.commonNames.union(Self.alexeyabNames) : Self.commonNames
    if known.contains(name) {
      let outputsZeros = key == "activation" && Self.outputsZeros(name, in: self.name)
      if fork == .alexeyab, outputsZeros { decideOnZeros(name) }
      return name
    }
    let comment = name.firstIndex(of: "#").map { String(name[..<$0]) }
    try tolerate(
      "\(fork.title) does not know the activation \(name) and takes relu for it"
        + (comment.map {
          ", since a comment must have a line of its own; write \(key)=\($0) if "
            + "that is meant"
        } ?? ""))
    return "relu"
  }

  /// Whether AlexeyAB's darknet knows an activation's name but has no CPU code for it in a section,
  /// and so outputs only zeros.
  package static func outputsZeros(_ activation: String, in section: String) -> Bool {
    // The convolutional recurrent sections have the same activations as convolutions.
    if ["convolutional", "crnn", "conv_lstm"].contains(section) { return activation == "relu6" }
    if section == "shortcut", ["swish", "mish"].contains(activation) { return false }
    return namesWithoutCPUCode.contains(activation)
  }

  private mutating func decideOnZeros(_ activation: String) {
    decide(
      activation == "relu6"
        ? "AlexeyAB's darknet has no relu6 on a CPU and outputs only zeros; computed here is "
          + "min(max(x, 0), 6), as on a GPU"
        : "AlexeyAB's darknet has no \(activation) in [\(name)] and outputs only zeros; "
          + "computed here is \(activation) as in [convolutional]")
  }

  /// The activations that AlexeyAB's darknet implements in some sections or on a GPU only.
  private static let namesWithoutCPUCode: Set<String> = [
    "relu6", "swish", "mish", "hard_mish", "normalize_channels", "normalize_channels_softmax",
    "normalize_channels_softmax_maxval",
  ]

  /// The activations that both forks know.
  private static let commonNames: Set<String> = [
    "logistic", "loggy", "relu", "elu", "selu", "relie", "ramp", "linear", "tanh", "plse",
    "leaky", "stair", "hardtan", "lhtan",
  ]
  /// The activations that only AlexeyAB's darknet knows.
  private static let alexeyabNames: Set<String> = [
    "relu6", "gelu", "revleaky", "swish", "mish", "hard_mish", "normalize_channels",
    "normalize_channels_softmax", "normalize_channels_softmax_maxval",
  ]

  /// Adds an activation.
  ///
  /// - Parameters:
  ///   - name: A name returned by ``activationName(_:default:)``.
  ///   - role: The role of its nodes.
  /// - Returns: The activated value; `value` itself for `linear`.
  mutating func activated(
    _ value: ValueID, _ name: String, role: String = "activation"
  ) throws(WeighbridgeError) -> ValueID {
    var output = value
    for operation in Self.operations(name) {
      let inputs = operation is Subtract ? [value, output] : [output]
      output = try add(operation, inputs, role: role)
    }
    return output
  }

  /// The name of the activation that consecutive operators compute; `nil` if the fork knows none.
  package static func activationName(
    of operations: [any Operator], fork: DarknetFork
  ) -> String? {
    let known = fork == .alexeyab ? commonNames.union(alexeyabNames) : commonNames
    return known.sorted().first { name in
      let candidate = Self.operations(name)
      return candidate.count == operations.count
        && zip(candidate, operations).allSatisfy {
          $0.kind == $1.kind && $0.attributes.roundedToFloat == $1.attributes.roundedToFloat
        }
    }
  }

  /// The operators of an activation, each of which takes the output of the previous one. A
  /// subtraction subtracts that output from the activation's input.
  private static func operations(_ name: String) -> [any CatalogOperator] {
    switch name {
    case "logistic": [Sigmoid()]
    case "loggy":  // 2 / (1 + e^-x) - 1 = tanh(x / 2)
      [Rescaling(scale: [0.5], offset: [0]), Tanh()]
    case "relu": [relu]
    case "relu6": [ReLU(slope: 0, threshold: 0, maximum: 6)]
    case "elu": [ELU(alpha: 1)]
    case "selu":  // with both constants rounded to four digits
      [ELU(alpha: 1.6732), Rescaling(scale: [1.0507], offset: [0])]
    case "gelu": [GELU(isApproximate: true)]
    case "relie": [LeakyReLU(slope: 0.01)]
    case "leaky", "revleaky": [LeakyReLU(slope: 0.1)]
    case "ramp":  // 1.1 x for positive x, else 0.1 x
      [LeakyReLU(slope: 0.1 / 1.1), Rescaling(scale: [1.1], offset: [0])]
    case "tanh": [Tanh()]
    case "hardtan": [Clip(minimum: -1, maximum: 1)]
    case "swish": [Swish()]
    case "mish": [Mish()]
    case "hard_mish": [HardMish()]
    case "stair": [Stair()]
    case "plse": [PiecewiseLinear(knots: [-4, 4], slopes: [0.01, 0.125, 0.01], value: 0)]
    case "lhtan": [PiecewiseLinear(knots: [0, 1], slopes: [0.001, 1, 0.001], value: 0)]
    // Each channel divided by the sum of all channels at its position plus 10⁻⁴, after
    // rectification or exponentiation.
    case "normalize_channels": [relu, sumNormalization]
    case "normalize_channels_softmax": [Exponential(), sumNormalization]
    case "normalize_channels_softmax_maxval":
      [
        Reduce(.maximum, axes: [1], keepDims: true), Subtract(), Exponential(), sumNormalization,
      ]
    default: []
    }
  }

  private static let relu = ReLU(slope: 0, threshold: 0, maximum: nil)
  private static let sumNormalization = SumNormalization(axes: [1], epsilon: 1e-4)
}
