package import Bytes
package import GraphIR

/// Reduces all elements along some axes to one.
///
/// - input: any shape with these axes; numbers, or for `any` and `all` booleans
/// - output: the input's element type and axes, with `axes` removed or of size 1
package struct Reduce: ArithmeticOperator, IntegerOperator {
  /// The function that reduces the elements.
  package enum Function: String, Hashable, Sendable, CaseIterable {
    case sum, mean
    case product = "prod"
    case maximum = "max"
    case minimum = "min"
    case any, all
    case variance = "var"
    case l2Norm = "l2_norm"
    case standardDeviation = "std"
    case logSumExp = "logsumexp"

    /// Whether the result may be fractional even for integers, so that only floating-point numbers
    /// are accepted.
    package var requiresFloat: Bool {
      [.mean, .variance, .l2Norm, .standardDeviation, .logSumExp].contains(self)
    }
  }

  /// The function that reduces the elements.
  package let function: Function
  /// The reduced axes, ascending.
  package let axes: [Int]
  /// Whether the output keeps these axes, with size 1.
  package let keepDims: Bool
  /// What stands for sums and products that do not fit in an integer type; if `nil`, as for
  /// `saturate`.
  package var overflow: IntegerOverflow?

  package static let kind = "reduce"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = function of the elements x of a lane",
    inputs: [
      .data(
        "input",
        .by("function", Function.self) {
          $0 == .any || $0 == .all ? .bool : $0.requiresFloat ? .float : .number
        })
    ],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(_:axes:keepDims:overflow:),
      .choice("function", \.function, "The reduction.") {
        switch $0 {
        case .sum: "the sum; 0 of no elements"
        case .mean: "the sum / the number of elements; NaN of no elements"
        case .product: "the product; 1 of no elements"
        case .maximum: "the largest; NaN if one is NaN; -infinity of no elements"
        case .minimum: "the smallest; NaN if one is NaN; infinity of no elements"
        case .any: "whether one is true; false of no elements"
        case .all: "whether all are true; true of no elements"
        case .variance: "the mean of (x - mean)²"
        case .l2Norm: "the L2 norm, sqrt(sum of x²)"
        case .standardDeviation: "sqrt(variance)"
        case .logSumExp:
          """
          logsumexp: m + log(sum of exp(x - m)) with m the largest; m if that is infinite; NaN \
          if one is NaN
          """
        }
      },
      .axes(\.axes, "The reduced axes; the lanes run along them.", atLeast: 0),
      .keepDims(\.keepDims),
      .overflow(\.overflow, otherwise: "as for `saturate`")
    )
    .checked {
      $0.overflow == nil || $0.isSumOrProduct
        ? nil : "\($0.function.rawValue) always fits in the type, and overflow is stated"
    },
    concepts: [.lanes, .integers])

  /// Creates the operator.
  package init(
    _ function: Function, axes: [Int], keepDims: Bool, overflow: IntegerOverflow? = nil
  ) {
    self.function = function
    self.axes = axes
    self.keepDims = keepDims
    self.overflow = overflow
  }
}

extension Reduce {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    let isLogical = function == .any || function == .all
    guard isLogical == (input.elementType == .bool) else {
      throw ShapeError(
        "\(function.rawValue) of \(isLogical ? "booleans" : "numbers"): \(input)")
    }
    guard !function.requiresFloat || input.elementType.isFloat else {
      throw ShapeError("\(function.rawValue) of floating-point numbers: \(input)")
    }
    guard axes.last.map({ $0 < input.rank }) ?? true else {
      throw ShapeError("cannot reduce the axes \(axes) of \(input)")
    }
    var shape = input.shape
    for axis in axes.reversed() {
      if keepDims { shape[axis] = 1 } else { shape.remove(at: axis) }
    }
    return [input.with(shape: shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let input = inputs[0]
    let kept = input.shape.indices.filter { !axes.contains($0) }
    let ordered = input.permuted(kept + axes)
    // Without elements, the product of the sizes of the reduced axes may be anything.
    let size = ordered.count == 0 ? 0 : axes.map { input.shape[$0] }.reduce(1, *)
    let count = shape.reduce(1, *)
    if wraps(input.elementType) {
      let elements = ordered.wrappedIntegers
      let reduced = workers.mapInBatches(count) { wrapped(elements[$0 * size..<($0 + 1) * size]) }
      return [Tensor(wrapping: input.elementType, shape: shape, reduced)]
    }
    if input.elementType.isInteger, !isSumOrProduct, size > 0 {
      let elements = ordered.orderedIntegers
      let reduced = workers.mapInBatches(count) { extreme(elements[$0 * size..<($0 + 1) * size]) }
      return [Tensor(ordered: input.elementType, shape: shape, reduced)]
    }
    let elements = try ordered.exactDoubles()
    let reduced = workers.mapInBatches(count) { reduce(elements[$0 * size..<($0 + 1) * size]) }
    return [
      size > 0
        ? try Tensor(input.elementType, shape: shape, reduced, overflow: .saturate)
        : Tensor(input.elementType, shape: shape, reduced)
    ]
  }

  package func overflow(by rules: IntegerRules, of inputs: [TensorType]) -> IntegerOverflow? {
    isSumOrProduct && inputs[0].elementType.isInteger ? rules.arithmetic : nil
  }

  private var isSumOrProduct: Bool { function == .sum || function == .product }

  /// The sum or product modulo 2^64.
  private func wrapped(_ lane: ArraySlice<Int64>) -> Int64 {
    function == .sum ? lane.reduce(0, &+) : lane.reduce(1, &*)
  }

  /// The largest or the smallest of some integers.
  private func extreme(_ lane: ArraySlice<Int64>) -> Int64 {
    lane.reduce(lane[lane.startIndex], function == .maximum ? max : min)
  }

  /// Reduces the elements along the axes to one.
  package func reduce(_ lane: ArraySlice<Double>) -> Double {
    switch function {
    case .sum: lane.reduce(0, +)
    case .mean: lane.reduce(0, +) / Double(lane.count)
    case .product: lane.reduce(1, *)
    // These comparisons keep a NaN of either operand.
    case .maximum: lane.reduce(-.infinity) { $0.isNaN || $0 > $1 ? $0 : $1 }
    case .minimum: lane.reduce(.infinity) { $0.isNaN || $0 < $1 ? $0 : $1 }
    case .variance: Self.variance(lane)
    case .standardDeviation: Self.variance(lane).squareRoot()
    case .l2Norm: lane.reduce(0) { $0 + $1 * $1 }.squareRoot()
    case .logSumExp: Self.logSumExp(lane)
    case .any: lane.contains { $0 != 0 } ? 1 : 0
    case .all: lane.allSatisfy { $0 != 0 } ? 1 : 0
    }
  }

  private static func variance(_ lane: ArraySlice<Double>) -> Double {
    let mean = lane.reduce(0, +) / Double(lane.count)
    return lane.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(lane.count)
  }

  private static func logSumExp(_ lane: ArraySlice<Double>) -> Double {
    let largest = lane.max() ?? -.infinity
    // The difference of equal infinities would be NaN. A NaN propagates through the sum.
    guard largest.isFinite else {
      return lane.contains(where: \.isNaN) ? .nan : largest
    }
    return largest + lane.reduce(0) { $0 + ($1 - largest).exponential }.logarithm
  }

  package func permutingAxes(_ axes: [Int]) -> Reduce? {
    // Without the reduced axes, the output has fewer axes than the input.
    guard keepDims || self.axes.isEmpty else { return nil }
    let permutedAxes = axes.indices.filter { self.axes.contains(axes[$0]) }
    guard permutedAxes.count == self.axes.count else { return nil }
    return Reduce(function, axes: permutedAxes, keepDims: keepDims, overflow: overflow)
  }

  package var decomposition: Decomposition {
    guard [.variance, .standardDeviation, .l2Norm, .logSumExp].contains(function) else {
      return .primitive
    }
    return Composition.of { [self] (make) throws(WeighbridgeError) in
      let x = make.inputs[0]
      let reduction = { Reduce($0, axes: axes, keepDims: keepDims) }
      switch function {
      case .l2Norm:
        return try make.squareRoot(try make(reduction(.sum), try make.product(x, x)))
      case .logSumExp:
        let largest = try make(Reduce(.maximum, axes: axes, keepDims: true), x)
        let exponentials = try make(Exponential(), try make.difference(x, largest))
        let sum = try make(UnaryMath(.logarithm), try make(reduction(.sum), exponentials))
        return try make.sum(sum, keepDims ? largest : try make(reduction(.maximum), x))
      default:
        let deviation = try make.difference(x, try make.mean(x, axes))
        let variance = try make(reduction(.mean), try make.product(deviation, deviation))
        return function == .variance ? variance : try make.squareRoot(variance)
      }
    }
  }
}
