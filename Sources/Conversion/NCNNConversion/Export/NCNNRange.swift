/// What is known of the elements of a blob if those of the model's inputs are finite, and neither they
/// nor their exponentials are too large or too small for float32.
struct NCNNRange {
  enum Sign: Int, Comparable {
    case any, notNegative, positive

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// The sign of a number.
    init(of number: Double) {
      self = number > 0 ? .positive : number == 0 ? .notNegative : .any
    }
  }

  /// Whether no element can be infinite or NaN.
  var isFinite = true
  /// What is known of the signs; ``Sign/any`` if nothing is.
  var sign = Sign.any

  /// That of an input.
  static let unknown = NCNNRange(true, .any)

  /// That of numbers.
  init(of numbers: [Double]) {
    isFinite = numbers.allSatisfy(\.isFinite)
    sign = numbers.map(Sign.init).min() ?? .any
  }

  private init(_ isFinite: Bool, _ sign: Sign) {
    self.isFinite = isFinite
    self.sign = sign
  }

  /// That of the outputs of a layer.
  ///
  /// - Parameters:
  ///   - type: Its type in ncnn.
  ///   - number: Its first setting, which is the function of some layers.
  ///   - floats: Its settings that are no integers.
  ///   - inputs: What is known of its inputs.
  init(of type: String, _ number: Int, floats: [Int: Double], _ inputs: [NCNNRange]) {
    let worst = NCNNRange(inputs.allSatisfy(\.isFinite), inputs.map(\.sign).min() ?? .any)
    switch type {
    case "UnaryOp": self = Self.unary(number, worst)
    case "BinaryOp":
      let other = inputs.count > 1 ? inputs[1] : NCNNRange(of: [floats[2] ?? 0])
      self = Self.binary(NCNNBinary(rawValue: number), inputs.first ?? worst, other)
    case "Sigmoid": self = NCNNRange(worst.isFinite, .positive)
    case "Threshold", "HardSigmoid", "Softmax": self = NCNNRange(worst.isFinite, .notNegative)
    case "ReLU":
      let isCut = (floats[0] ?? 0) == 0
      self = NCNNRange(worst.isFinite, isCut ? max(worst.sign, .notNegative) : worst.sign)
    case "Clip":
      self = NCNNRange(worst.isFinite, max(worst.sign, Sign(of: floats[0] ?? -1)))
    case _ where Self.keepingSigns.contains(type): self = worst
    default: self = NCNNRange(worst.isFinite, .any)
    }
  }

  /// The layers that give elements of their inputs, or sums, means and products of them.
  private static let keepingSigns: Set<String> = [
    "Concat", "Crop", "Flatten", "Permute", "Pooling", "Reduction", "Reshape", "Slice", "Split",
    "Tile",
  ]

  /// That of a function of `UnaryOp`.
  private static func unary(_ number: Int, _ x: NCNNRange) -> NCNNRange {
    switch number {  // by its position in the list of functions in NCNNElementwise
    case 0, 4: return NCNNRange(x.isFinite, max(x.sign, .notNegative))
    case 7: return NCNNRange(x.isFinite, .positive)
    case 5: return NCNNRange(x.isFinite && x.sign >= .notNegative, max(x.sign, .notNegative))
    case 6, 15: return NCNNRange(x.isFinite && x.sign == .positive, x.sign)
    case 8, 17: return NCNNRange(x.isFinite && x.sign == .positive, .any)
    case 12, 13: return NCNNRange(false, .any)  // Of numbers beyond 1, they are NaN.
    default: return NCNNRange(x.isFinite, .any)
    }
  }

  /// That of a function of `BinaryOp`.
  private static func binary(
    _ function: NCNNBinary?, _ x: NCNNRange, _ y: NCNNRange
  ) -> NCNNRange {
    let (isFinite, least, most) = (
      x.isFinite && y.isFinite, min(x.sign, y.sign), max(x.sign, y.sign)
    )
    switch function {
    case .add: return NCNNRange(isFinite, least == .any ? .any : most)
    case .multiply, .minimum: return NCNNRange(isFinite, least)
    case .maximum: return NCNNRange(isFinite, most)
    case .divide: return NCNNRange(isFinite && y.sign == .positive, least)
    case .power: return NCNNRange(isFinite && x.sign == .positive, .notNegative)
    case .subtract, .subtractFrom, nil: return NCNNRange(isFinite, .any)
    }
  }
}
