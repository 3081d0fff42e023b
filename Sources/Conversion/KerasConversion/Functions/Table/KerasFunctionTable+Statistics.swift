import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Averages, counts and quantiles along axes.
extension KerasFunctionTable {
  static let statistics: [Entry] =
    entries([
      Names(["Nansum"], Reduce.Function.sum), Names(["Nanprod"], .product),
      Names(["Nanmax"], .maximum), Names(["Nanmin"], .minimum), Names(["Nanmean"], .mean),
    ]) { (call, function: Reduce.Function) throws(WeighbridgeError) in
      try call.addReductionOfNumbers(function)
    } + others

  private static let others: [Entry] = [
    Entry(["Average"]) { (call) throws(WeighbridgeError) in try call.addAverage() },
    Entry(["CountNonzero"], tf: ["math.count_nonzero"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", "input", at: 0)
      let axes = try call.axes("axis", of: type) ?? Array(0..<type.rank)
      let keepDims = try call.flag("keepdims", default: false)
      let result = call.isOperation ? .int32 : try call.elementType("dtype") ?? .int64
      let isNonzero = try call.part(Comparison(.notEqual), value, try call.number(0, like: value))
      let ones = try call.part(Cast(to: result), isNonzero)
      return try call.add(Reduce(.sum, axes: axes, keepDims: keepDims), [ones])
    },
    Entry(["Ptp"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", at: 0)
      let axes = try call.axes("axis", of: type) ?? Array(0..<type.rank)
      let keepDims = try call.flag("keepdims", default: false)
      let largest = try call.reduced(.maximum, value, axes, keepDims: keepDims)
      return try call.add(
        Subtract(), [largest, try call.reduced(.minimum, value, axes, keepDims: keepDims)])
    },
    Entry(["Median"]) { (call) throws(WeighbridgeError) in
      try call.addQuantiles([0.5], isVector: false)
    },
    Entry(["Quantile"]) { (call) throws(WeighbridgeError) in
      guard let operand = call.take("q", at: 1) else { throw call.missing("q") }
      let written = try call.plain(operand, as: "q")
      guard var fractions = written.real.map({ [$0] }) ?? written.array?.compactMap(\.real),
        fractions.allSatisfy((0...1).contains), !fractions.isEmpty, fractions.count <= 1 << 10
      else { throw call.unexpected("q", written, "fractions from 0 to 1") }
      if !call.isFloat64(operand) { fractions = fractions.map { Double(Float($0)) } }
      return try call.addQuantiles(fractions, isVector: written.array != nil)
    },
  ]
}

extension KerasFunction {
  fileprivate mutating func addAverage() throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", at: 0)
    let weights = try optionalTerm("weights", at: 1)
    let axes = try axes("axis", of: type(of: value))
    guard let weights else {
      value = try floating(value)
      return try add(
        Reduce(.mean, axes: axes ?? Array(0..<type(of: value).rank), keepDims: false), [value])
    }
    var values = try unified([.value(value), weights], sharesRank: false)
    for index in values.indices { values[index] = try floating(values[index]) }
    let rank = type(of: values[0]).rank
    if type(of: values[1]).rank != rank {
      guard let axes, axes.count == 1, type(of: values[1]).rank == 1 else {
        throw .unsupported("has weights of another rank, and no single axis for them")
      }
      let others = (0..<rank).filter { $0 != axes[0] }
      values[1] = try part(ExpandDims(axes: others), values[1])
    }
    let all = axes ?? Array(0..<rank)
    let sum = try reduced(.sum, try part(Multiply(), values[0], values[1]), all, keepDims: false)
    let total = try reduced(.sum, values[1], all, keepDims: false)
    let (first, second) = try sameRank(sum, total)
    return try add(BinaryMath(.divide), [first, second])
  }

  /// Adds a reduction of the elements that are numbers.
  fileprivate mutating func addReductionOfNumbers(
    _ function: Reduce.Function
  ) throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("x", at: 0)
    guard type.elementType.isFloat else {
      throw .unsupported("takes \(type); of integers the plain function gives the same")
    }
    let axes = try axes("axis", of: type) ?? Array(0..<type.rank)
    let keepDims = try flag("keepdims", default: false)
    let isNaN = try part(Comparison(.notEqual), value, value)
    let neutral: Double =
      switch function {
      case .maximum: -.infinity
      case .minimum: .infinity
      case .product: 1
      default: 0
      }
    let clean = try part(Where(), isNaN, try number(neutral, like: value), value)
    switch function {
    case .mean:
      let isNumber = try part(Comparison(.equal), value, value)
      let count = try reduced(
        .sum, try part(Cast(to: type.elementType), isNumber), axes, keepDims: keepDims)
      let sum = try reduced(.sum, clean, axes, keepDims: keepDims)
      return try add(BinaryMath(.divide), [sum, count])
    case .maximum, .minimum:
      // Of elements that are all NaN it is NaN.
      let isEmpty = try reduced(.all, isNaN, axes, keepDims: keepDims)
      let extremum = try reduced(function, clean, axes, keepDims: keepDims)
      return try add(Where(), [isEmpty, try number(.nan, like: extremum), extremum])
    default: return try add(Reduce(function, axes: axes, keepDims: keepDims), [clean])
    }
  }

  /// Whether an argument is an array of float64.
  fileprivate func isFloat64(_ operand: KerasOperand) -> Bool {
    if case .value(let json) = operand { json.arrayForm?["dtype"] == "float64" } else { false }
  }

  /// Adds quantiles along axes whose sizes are known, by interpolation of the sorted elements.
  fileprivate mutating func addQuantiles(
    _ fractions: [Double], isVector: Bool
  ) throws(WeighbridgeError) -> [ValueID] {
    let value = try floating(try tensor("x", at: 0))
    let type = self.type(of: value)
    let axes = try axes("axis", of: type) ?? Array(0..<type.rank)
    let keepDims = try flag("keepdims", default: false)
    // Keras leaves the method out of the call.
    try require("method", toBe: "linear", because: "Keras 3 itself computes linear in its place")
    let others = (0..<type.rank).filter { !axes.contains($0) }
    var count = 1
    for axis in axes { count = try Checked.product([count, try size(axis, of: value)], of: "x") }
    guard count >= 1 else { throw .malformed("takes a quantile of no elements") }
    let order = others + axes
    let turned = order == Array(0..<type.rank) ? value : try part(Transpose(axes: order), value)
    let lines = try part(
      ReshapeAxes(others.indices.map { .axis($0) } + [.fixed(count)]), turned)
    let sorted = try part(Sort(axis: others.count, isDescending: false), lines)
    var results: [ValueID] = []
    for fraction in fractions {
      results.append(try quantile(fraction, of: sorted, count, type.elementType))
    }
    // A NaN makes the result NaN, wherever it is sorted to.
    let isNaN = try part(Comparison(.notEqual), lines, lines)
    let hasNaN = try reduced(.any, isNaN, [others.count], keepDims: true)
    for index in results.indices {
      var result = try part(Where(), hasNaN, try number(.nan, like: results[index]), results[index])
      result = try part(Squeeze(axes: [others.count]), result)
      if keepDims { result = try part(ExpandDims(axes: axes), result) }
      results[index] = isVector ? try part(ExpandDims(axes: [0]), result) : result
    }
    return results.count == 1 ? try result(results[0]) : try add(Concatenate(axis: 0), results)
  }

  /// The quantile of sorted elements along the last axis, which is kept.
  private mutating func quantile(
    _ fraction: Double, of sorted: ValueID, _ count: Int, _ type: ElementType
  ) throws(WeighbridgeError) -> ValueID {
    let axis = self.type(of: sorted).rank - 1
    let place = Double(count - 1) * fraction
    // As in Keras, the two elements differ wherever there are two, even if one has the weight 0.
    let smaller = max(0, Int(place.rounded(.up)) - 1)
    let larger = min(smaller + 1, count - 1)
    let weight = type.nearest(to: Double(larger) - place)
    let elements = try [larger, smaller].map { (index) throws(WeighbridgeError) in
      try sliced(sorted, axis: axis, from: index, to: index + 1)
    }
    let products = [
      try scaled(elements[0], by: type.nearest(to: 1 - weight)),
      try scaled(elements[1], by: weight),
    ]
    return try part(Add(), products[0], products[1])
  }
}
