import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Elements and boxes of which as many remain as their values tell.
extension ONNXLayer {
  /// Adds the slices along an axis, or the elements, for which a condition is true.
  mutating func compressed() throws(WeighbridgeError) -> ONNXValue {
    let (given, condition) = (try input(0), try input(1))
    guard type(condition).rank == 1, type(condition).elementType == .bool else {
      throw malformed("has the condition \(type(condition)), expected a list of booleans")
    }
    var (input, axis) = (given, 0)
    if has("axis") {
      axis = try self.axis(of: given, default: 0)
    } else if type(given).rank != 1 {
      input = try apply(ReshapeAxes([.rest]), to: given, role: "list")
    }
    let found = try apply(NonZero(), to: condition, role: "found")
    let indices = try apply(Squeeze(axes: [0]), to: found, role: "indices")
    return try apply(Gather(axis: axis), to: input, indices)
  }

  /// Adds the boxes that remain of each image and class, as rows of the image, the class and the box.
  mutating func selectedBoxes() throws(WeighbridgeError) -> ONNXValue {
    let isCentered = try flag("center_point_box")
    let (boxes, scores) = (try input(0), try input(1))
    let operation = BoxSelection(
      maximumCount: try boxLimit(scores), overlapThreshold: try threshold(3) ?? 0,
      scoreThreshold: try threshold(4), isCentered: isCentered)
    return try apply(operation, to: boxes, scores)
  }

  /// The largest number of boxes of a class; 0 by default.
  private func boxLimit(_ scores: ONNXValue) throws(WeighbridgeError) -> Int {
    guard let limit = try optional(2) else { return 0 }
    // The number of all boxes is no limit.
    if limit.tensor == nil, case .dimensions(let sizes, _, _) = limit,
      case .computed(let id) = scores,
      sizes == [.axis(id, 2, times: 1)]
    {
      return Int(Int32.max)
    }
    guard let number = try constant(2)?.integers.first else { return 0 }
    return max(0, min(number, Int(Int32.max)))
  }

  private func threshold(_ position: Int) throws(WeighbridgeError) -> Double? {
    guard let tensor = try constant(position) else { return nil }
    guard tensor.count == 1, tensor.doubles[0].isFinite else {
      throw malformed("has the threshold \(tensor.doubles.prefix(4)), expected one number")
    }
    return tensor.doubles[0]
  }
}

/// Different elements, or slices along an axis.
extension ONNXLayer {
  /// The largest number of elements of a slice that are compared one after the other.
  private static let largestSlice = 64

  /// Adds the different elements, the first index of each, the place of each element among them, and how
  /// often each occurs.
  mutating func uniqueElements() throws(WeighbridgeError) -> [ONNXValue] {
    let given = try input()
    let isSorted = try flag("sorted", default: true)
    var (input, axis, columns) = (given, 0, 1)
    var rows: ONNXValue
    if has("axis"), type(given).rank != 1 {
      axis = try self.axis(of: given, default: 0)
      let rank = type(given).rank
      let sizes = type(given).shape.enumerated().filter { $0.offset != axis }.compactMap(
        \.element.value)
      columns = sizes.count == rank - 1 ? try Checked.product(sizes, of: "a slice") : 0
      guard (1...Self.largestSlice).contains(columns) else {
        throw unsupported(
          "finds different slices of \(type(given)) along axis \(axis), and only slices of 1 to \(Self.largestSlice) "
            + "elements can be read")
      }
      let order = [axis] + (0..<rank).filter { $0 != axis }
      let moved = try transposed(given, order, role: "moved")
      rows = try apply(ReshapeAxes([.rest, .fixed(columns)]), to: moved, role: "rows")
    } else {
      if has("axis") { _ = try self.axis(of: given, default: 0) }
      if type(given).rank != 1 {
        input = try apply(ReshapeAxes([.rest]), to: given, role: "list")
      }
      rows = try apply(ExpandDims(axes: [1]), to: input, role: "rows")
    }
    guard type(rows).shape[0].value != 0 else {
      throw unsupported("finds different elements of \(type(given)), which has none")
    }
    let order = try sortedOrder(of: rows, columns: columns)
    let isStart = try startsOfRuns(rows, order)
    let found = try apply(NonZero(), to: isStart, role: "found")
    let starts = try apply(Squeeze(axes: [0]), to: found, role: "starts")
    var firsts = try apply(Gather(axis: 0), to: order, starts, role: "firsts")
    // The number of elements from each start to the next.
    let end = try rowCount(of: order)
    let following = try apply(
      Slice([Slice.Range(axis: 0, start: 1, stop: nil, step: 1)]), to: starts, role: "following")
    let ends = try apply(Concatenate(axis: 0), [following, end], role: "ends")[0]
    var counts = try apply(Subtract(), to: ends, starts, role: "counts")
    // The number of the run of each element, in sorted order, then in the order of the elements.
    let numbers = try apply(
      CumSum(axis: 0, isExclusive: false, isReversed: false),
      to: try apply(Cast(to: .int64), to: isStart, role: "is_start/number"), role: "numbers")
    let runs = try apply(Subtract(), to: numbers, number(1, like: numbers, "one"), role: "runs")
    var inverse = try apply(
      Gather(axis: 0), to: runs, try positions(sorting: order, "inverse_order"), role: "inverse")
    if !isSorted {
      // By the first index of each.
      let turns = try positions(sorting: firsts, "turns")
      let ranks = try positions(sorting: turns, "ranks")
      firsts = try apply(Gather(axis: 0), to: firsts, turns, role: "firsts/in_order")
      counts = try apply(Gather(axis: 0), to: counts, turns, role: "counts/in_order")
      inverse = try apply(Gather(axis: 0), to: ranks, inverse, role: "inverse/in_order")
    }
    return [try apply(Gather(axis: axis), to: input, firsts), firsts, inverse, counts]
  }

  /// Adds the positions, as int64, of the elements of a list in ascending order.
  private mutating func positions(
    sorting list: ONNXValue, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let sorted = try apply(Sort(axis: 0, isDescending: false), [list], role: "\(role)/sorted")
    return try apply(Cast(to: .int64), to: sorted[1], role: role)
  }

  /// Adds the order in which rows ascend, of equal ones the first first.
  private mutating func sortedOrder(
    of rows: ONNXValue, columns: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    var order: ONNXValue?
    // Sorting keeps the order of equal elements, so the first column comes last.
    for column in (0..<columns).reversed() {
      let range = Slice.Range(axis: 1, start: column, stop: column + 1, step: 1)
      let part = try apply(Slice([range]), to: rows, role: "column_\(column)/slice")
      var keys = try apply(Squeeze(axes: [1]), to: part, role: "column_\(column)")
      if type(keys).elementType == .bool {
        keys = try apply(Cast(to: .uint8), to: keys, role: "column_\(column)/numbers")
      }
      guard let last = order else {
        order = try positions(sorting: keys, "order_\(column)")
        continue
      }
      let reordered = try apply(Gather(axis: 0), to: keys, last, role: "keys_\(column)")
      let next = try positions(sorting: reordered, "step_\(column)")
      order = try apply(Gather(axis: 0), to: last, next, role: "order_\(column)")
    }
    guard let order else { throw malformed("finds different slices without elements") }
    return order
  }

  /// Adds whether each row, in an order, differs from the one before. NaN differs from everything but NaN in
  /// a list, as in NumPy.
  private mutating func startsOfRuns(
    _ rows: ONNXValue, _ order: ONNXValue
  ) throws(WeighbridgeError) -> ONNXValue {
    let first = newConstant(Tensor(.bool, shape: [1], [1]), "first")
    if type(rows).shape[0].value == 1 { return first }
    let sorted = try apply(Gather(axis: 0), to: rows, order, role: "sorted")
    let later = try apply(
      Slice([Slice.Range(axis: 0, start: 1, stop: nil, step: 1)]), to: sorted, role: "later")
    let earlier = try apply(
      Slice([Slice.Range(axis: 0, start: 0, stop: -1, step: 1)]), to: sorted, role: "earlier")
    var differs = try apply(Comparison(.notEqual), to: later, earlier, role: "differs")
    if type(rows).elementType.isFloat, type(rows).shape[1].value == 1 {
      let isNumber = try [later, earlier].enumerated().map {
        (position, value) throws(WeighbridgeError) in
        try apply(Comparison(.equal), to: value, value, role: "is_number_\(position)")
      }
      let either = try apply(LogicalOr(), isNumber, role: "is_number")[0]
      differs = try apply(LogicalAnd(), to: differs, either, role: "differs/numbers")
    }
    let any = try apply(
      Reduce(.any, axes: [1], keepDims: false), to: differs, role: "any_differs")
    return try apply(Concatenate(axis: 0), [first, any], role: "is_start")[0]
  }

  /// The number of elements of a list, as a list of one number.
  private mutating func rowCount(of list: ONNXValue) throws(WeighbridgeError) -> ONNXValue {
    if let count = type(list).shape[0].value {
      return newConstant(Tensor(.int64, shape: [1], [Double(count)]), "row_count")
    }
    return try apply(Shape(elementType: .int64), to: list, role: "row_count")
  }
}
