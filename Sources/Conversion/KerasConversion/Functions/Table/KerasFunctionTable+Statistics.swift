import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Averages and counts along axes.
extension KerasFunctionTable {
  static let statistics: [Entry] = [
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
    Entry(["Trapezoid"]) { (call) throws(WeighbridgeError) in try call.addIntegral() },
    Entry(["Corrcoef"]) { (call) throws(WeighbridgeError) in try call.addCorrelation() },
  ]
}

extension KerasFunction {
  /// Adds the integral along an axis by the trapezoidal rule.
  fileprivate mutating func addIntegral() throws(WeighbridgeError) -> [ValueID] {
    let value = try floating(try tensor("y", at: 0))
    let type = self.type(of: value)
    let axis = try axis(of: type, default: -1)
    let ends = try sum(
      try sliced(value, axis: axis, from: 1), try sliced(value, axis: axis, to: -1))
    let heights = try scaled(ends, by: 0.5)
    guard let places = try optionalTerm("x") else {
      let step = try number(try real("dx", default: 1), like: heights)
      return try add(
        Reduce(.sum, axes: [axis], keepDims: false), [try product(heights, step)])
    }
    ignore("dx")
    var points = try self.value(places, as: type.elementType)
    let others = type.shape.indices.filter { $0 != axis }
    if self.type(of: points).rank == 1, type.rank > 1 {
      points = try part(ExpandDims(axes: others), points)
    }
    guard self.type(of: points).rank == type.rank else {
      throw .unsupported("x is \(self.type(of: points)) for \(type), expected as many axes, or one")
    }
    let steps = try difference(
      try sliced(points, axis: axis, from: 1), try sliced(points, axis: axis, to: -1))
    return try add(Reduce(.sum, axes: [axis], keepDims: false), [try product(heights, steps)])
  }

  fileprivate mutating func addAverage() throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", at: 0)
    let weights = try optionalTerm("weights", at: 1)
    let axes = try axes("axis", of: type(of: value))
    guard let weights else {
      value = try floating(value)
      return try add(
        Reduce(.mean, axes: axes ?? Array(0..<type(of: value).rank), keepDims: false), [value])
    }
    var values = try unified([.value(value), weights], sharesRank: false, areFloating: true)
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

  /// Adds the correlations of a matrix's rows.
  fileprivate mutating func addCorrelation() throws(WeighbridgeError) -> [ValueID] {
    let written = try tensor("x", at: 0)
    let type = self.type(of: written)
    guard type.rank == 2, type.elementType.isFloat || type.elementType.byteCount < 8 else {
      throw .unsupported(
        "takes \(type), and a matrix [variables, samples] is supported, of floating-point numbers or "
          + "integers of at most 32 bits")
    }
    let value = try floating(written)
    let centered = try difference(value, try reduced(.mean, value, [1]))
    let degrees = try number(Double(try size(1, of: value) - 1), like: value)
    let products = try part(
      MatMul(transposeA: false, transposeB: true), centered, centered)
    let covariances = try quotient(products, degrees)
    let squares = try reduced(.sum, try part(UnaryMath(.square), centered), [1])
    let deviations = try part(UnaryMath(.squareRoot), try quotient(squares, degrees))
    let outer = try product(deviations, try part(Transpose(axes: [1, 0]), deviations))
    let correlations = try quotient(covariances, outer)
    let bounded = try part(Minimum(), correlations, try number(1, like: correlations))
    return try add(Maximum(), [bounded, try number(-1, like: bounded)])
  }
}
