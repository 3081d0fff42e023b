import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Quantiles along axes, by interpolation of the sorted elements.
extension KerasFunctionTable {
  static let quantiles: [Entry] = [
    Entry(["Median"]) { (call) throws(WeighbridgeError) in try call.addQuantiles([0.5]) },
    Entry(["Nanmedian"]) { (call) throws(WeighbridgeError) in
      try call.addQuantiles([0.5], skipsNaN: true)
    },
    Entry(["Quantile"]) { (call) throws(WeighbridgeError) in
      let (fractions, isVector) = try call.fractions(keepsFloat64: true)
      if call.layer.version >= KerasVersion(3, 16) {
        try call.require(
          "method", toBe: "linear", because: "Keras ignores it up to 3.15, and may not since")
      }
      call.ignore("method")
      return try call.addQuantiles(fractions, isVector: isVector)
    },
    Entry(["Nanquantile"]) { (call) throws(WeighbridgeError) in
      let (fractions, isVector) = try call.fractions()
      let method = try call.quantileMethod()
      return try call.addQuantiles(fractions, isVector: isVector, method, skipsNaN: true)
    },
    Entry(["Percentile"]) { (call) throws(WeighbridgeError) in
      let (fractions, isVector) = try call.fractions(ofHundred: true)
      return try call.addQuantiles(fractions, isVector: isVector, try call.quantileMethod())
    },
    Entry(["Nanpercentile"]) { (call) throws(WeighbridgeError) in
      let (fractions, isVector) = try call.fractions(ofHundred: true)
      let method = try call.quantileMethod()
      return try call.addQuantiles(fractions, isVector: isVector, method, skipsNaN: true)
    },
  ]
}

/// How a quantile between two elements follows from them.
private enum QuantileMethod: String {
  case linear, lower, higher, midpoint, nearest
}

/// The two elements of which a quantile consists: their positions among the sorted ones, and their
/// weights.
private struct QuantilePlaces {
  let positions: [Int]
  let weights: [Double]

  /// - Parameters:
  ///   - count: The number of elements.
  ///   - elementType: The type of the weights.
  ///   - isJAX: Whether JAX finds the place, in float32, and not TensorFlow.
  init(
    _ fraction: Double, _ method: QuantileMethod, of count: Int, _ elementType: ElementType,
    isJAX: Bool
  ) {
    let last = Double(max(0, count - 1))
    let place = isJAX ? Double(Float(last) * Float(fraction)) : last * fraction
    let (floor, ceiling) = (place.rounded(.down), place.rounded(.up))
    func position(_ place: Double) -> Int { Int(min(max(0, place), last)) }
    var (smaller, larger) = (position(floor), position(ceiling))
    var weight = 0.5
    switch method {
    case .lower: larger = smaller
    case .higher: smaller = larger
    case .midpoint: break
    case .nearest:
      let isUp = isJAX ? place - floor > 0.5 : place.rounded(.toNearestOrEven) == ceiling
      (smaller, larger) = isUp ? (larger, larger) : (smaller, smaller)
    case .linear where isJAX: weight = elementType.nearest(to: 1 - (place - floor))
    case .linear:
      // The two elements differ wherever there are two, even if one has the weight 0.
      smaller = max(0, larger - 1)
      larger = min(smaller + 1, Int(last))
      weight = elementType.nearest(to: Double(larger) - place)
    }
    positions = [smaller, larger]
    weights = [weight, elementType.nearest(to: 1 - weight)]
  }
}

/// Sorted elements along the last axis.
private struct SortedLines {
  let elements: ValueID
  /// How many elements each line has; `nil` if it is not known.
  let count: Int?
  /// How many of them, at the beginning, are those of which quantiles are taken; `nil` for all of a
  /// known number.
  let numberCount: ValueID?
}

extension KerasFunction {
  /// Takes `q`: one fraction or percentage, or several.
  ///
  /// - Parameter keepsFloat64: Whether those of an array of float64 are not converted to float32.
  fileprivate mutating func fractions(
    ofHundred: Bool = false, keepsFloat64: Bool = false
  ) throws(WeighbridgeError) -> (fractions: [Double], isVector: Bool) {
    guard let operand = take("q", at: 1) else { throw missing("q") }
    let written = try plain(operand, as: "q")
    guard let numbers = written.real.map({ [$0] }) ?? written.array?.compactMap(\.real),
      numbers.allSatisfy({ abs($0) <= 1e6 }), !numbers.isEmpty, numbers.count <= 1 << 10
    else { throw unexpected("q", written, "one number or up to 1024") }
    let isVector = written.array != nil
    if keepsFloat64, isFloat64(operand) { return (numbers, isVector) }
    return (numbers.map { Double(ofHundred ? Float($0) / 100 : Float($0)) }, isVector)
  }

  fileprivate mutating func quantileMethod() throws(WeighbridgeError) -> QuantileMethod {
    let name = try string("method") ?? "linear"
    guard let method = QuantileMethod(rawValue: name) else {
      throw .unsupported(
        "method=\(name), expected linear, lower, higher, midpoint or nearest")
    }
    return method
  }

  /// Whether an argument is an array of float64.
  private func isFloat64(_ operand: KerasOperand) -> Bool {
    if case .value(let json) = operand { json.arrayForm?["dtype"] == "float64" } else { false }
  }

  /// Adds quantiles along axes.
  ///
  /// - Parameter skipsNaN: Whether they are those of the elements that are numbers; otherwise one NaN
  ///   makes them NaN.
  fileprivate mutating func addQuantiles(
    _ fractions: [Double], isVector: Bool = false, _ method: QuantileMethod = .linear,
    skipsNaN: Bool = false
  ) throws(WeighbridgeError) -> [ValueID] {
    let value = try floating(try tensor("x", at: 0))
    let type = self.type(of: value)
    let axes = try axes("axis", of: type) ?? Array(0..<type.rank)
    let keepDims = try flag("keepdims", default: false)
    // What skips NaN has a table with a row for each number of elements.
    let (lines, count) = try lines(of: value, along: axes, atMost: skipsNaN ? 1 << 16 : 1 << 24)
    let isNaN = try part(Comparison(.notEqual), lines, lines)
    let axis = self.type(of: lines).rank - 1
    let isUndefined = try reduced(skipsNaN ? .all : .any, isNaN, [axis])
    let numbers =
      skipsNaN ? try part(Where(), isNaN, try number(.infinity, like: lines), lines) : lines
    let sorted = SortedLines(
      elements: try part(Sort(axis: axis, isDescending: false), numbers), count: count,
      numberCount: skipsNaN || count == nil
        ? try countNumbers(isNaN, along: axis, all: !skipsNaN) : nil)
    var results: [ValueID] = []
    for fraction in fractions {
      let quantile = try quantile(fraction, method, of: sorted)
      var result = try part(Where(), isUndefined, try number(.nan, like: quantile), quantile)
      result = try part(Squeeze(axes: [axis]), result)
      if keepDims { result = try part(ExpandDims(axes: axes), result) }
      results.append(isVector ? try part(ExpandDims(axes: [0]), result) : result)
    }
    let all =
      results.count == 1
      ? results[0] : try addOne(Concatenate(axis: 0), results, role: "concatenate")
    return try result(all, as: type.elementType)
  }

  /// The elements along axes as those along a last axis, and their number. JAX computes their
  /// quantiles in float32 at least.
  private mutating func lines(
    of value: ValueID, along axes: [Int], atMost limit: Int
  ) throws(WeighbridgeError) -> (ValueID, count: Int?) {
    let type = self.type(of: value)
    let others = (0..<type.rank).filter { !axes.contains($0) }
    let sizes = axes.compactMap { type.shape[$0].value }
    let known = try Checked.product(sizes, of: "x")
    guard (1...limit).contains(known) else {
      throw .unsupported(
        "takes a quantile of \(known.counted("element")), expected 1 to \(limit)")
    }
    let count = sizes.count == axes.count ? known : nil
    let order = others + axes
    let turned = order == Array(0..<type.rank) ? value : try part(Transpose(axes: order), value)
    let lines = try part(
      ReshapeAxes(others.indices.map { .axis($0) } + [count.map { .fixed($0) } ?? .rest]), turned)
    let isWide = !layer.writer.isJAX || type.elementType.byteCount >= 4
    return (isWide ? lines : try part(Cast(to: .float32), lines), count)
  }

  private mutating func countNumbers(
    _ isNaN: ValueID, along axis: Int, all: Bool
  ) throws(WeighbridgeError) -> ValueID {
    let isCounted =
      all ? try part(Comparison(.equal), isNaN, isNaN) : try part(LogicalNot(), isNaN)
    let ones = try part(Cast(to: .int32), isCounted)
    return try reduced(.sum, ones, [axis])
  }

  /// A quantile of each line, along its axis, which is kept.
  private mutating func quantile(
    _ fraction: Double, _ method: QuantileMethod, of lines: SortedLines
  ) throws(WeighbridgeError) -> ValueID {
    let (type, isJAX) = (self.type(of: lines.elements).elementType, layer.writer.isJAX)
    guard let count = lines.count else { return try computedQuantile(fraction, method, of: lines) }
    let counts = lines.numberCount == nil ? count...count : 0...count
    let places = counts.map { QuantilePlaces(fraction, method, of: $0, type, isJAX: isJAX) }
    let first = try element(places.map { $0.positions[0] }, of: lines)
    guard method == .linear || method == .midpoint else { return first }
    let second = try element(places.map { $0.positions[1] }, of: lines)
    if method == .midpoint { return try scaled(try sum(first, second), by: 0.5) }
    return try sum(
      try weighted(second, by: places.map { $0.weights[1] }, of: lines),
      try weighted(first, by: places.map { $0.weights[0] }, of: lines))
  }

  /// A quantile of each line of an unknown number of elements: what ``QuantilePlaces`` does, as nodes.
  private mutating func computedQuantile(
    _ fraction: Double, _ method: QuantileMethod, of lines: SortedLines
  ) throws(WeighbridgeError) -> ValueID {
    guard let numberCount = lines.numberCount else { throw missing("the number of elements") }
    let isJAX = layer.writer.isJAX
    let count = try part(Cast(to: isJAX ? .float32 : .float64), numberCount)
    let (zero, one) = (try number(0, like: count), try number(1, like: count))
    let last = try part(Maximum(), try difference(count, one), zero)
    let place = try product(last, try number(fraction, like: count))
    func limited(_ call: inout KerasFunction, _ value: ValueID) throws(WeighbridgeError) -> ValueID
    {
      try call.part(Minimum(), try call.part(Maximum(), value, zero), last)
    }
    let floor = try part(UnaryMath(.floor), place)
    var smaller = try limited(&self, floor)
    var larger = try limited(&self, try part(UnaryMath(.ceiling), place))
    var weight: ValueID?
    switch method {
    case .lower, .higher, .midpoint: break
    case .nearest where isJAX:
      smaller = try chosen(try difference(place, floor), .greater, 0.5, larger, smaller)
    case .nearest: smaller = try limited(&self, try part(UnaryMath(.round), place))
    case .linear where isJAX: weight = try difference(one, try difference(place, floor))
    case .linear:
      smaller = try part(Maximum(), try difference(larger, one), zero)
      larger = try part(Minimum(), try sum(smaller, one), last)
      weight = try difference(larger, place)
    }
    func element(_ call: inout KerasFunction, _ place: ValueID) throws(WeighbridgeError) -> ValueID
    {
      let axis = call.type(of: lines.elements).rank - 1
      return try call.part(
        GatherElements(axis: axis), lines.elements, try call.part(Cast(to: .int32), place))
    }
    let first = try element(&self, method == .higher ? larger : smaller)
    guard method == .linear || method == .midpoint else { return first }
    let second = try element(&self, larger)
    guard let weight else { return try scaled(try sum(first, second), by: 0.5) }
    let factor = try part(Cast(to: type(of: first).elementType), weight)
    return try sum(
      try product(second, try difference(try number(1, like: factor), factor)),
      try product(first, factor))
  }

  /// The element of each line at a position, of which there is one for each number of elements.
  private mutating func element(
    _ positions: [Int], of lines: SortedLines
  ) throws(WeighbridgeError) -> ValueID {
    let axis = type(of: lines.elements).rank - 1
    guard let count = lines.numberCount else {
      return try sliced(lines.elements, axis: axis, from: positions[0], to: positions[0] + 1)
    }
    let table = Tensor(.int32, shape: [positions.count], positions.map(Double.init))
    let places = try part(Gather(axis: 0), try add(constant: table), count)
    return try part(GatherElements(axis: axis), lines.elements, places)
  }

  /// An element times a weight, of which there is one for each number of elements.
  private mutating func weighted(
    _ element: ValueID, by weights: [Double], of lines: SortedLines
  ) throws(WeighbridgeError) -> ValueID {
    guard let count = lines.numberCount else { return try scaled(element, by: weights[0]) }
    let table = Tensor(type(of: element).elementType, shape: [weights.count], weights)
    return try product(element, try part(Gather(axis: 0), try add(constant: table), count))
  }
}
