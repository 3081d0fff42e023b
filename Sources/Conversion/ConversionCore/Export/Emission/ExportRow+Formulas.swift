package import Bytes
package import GraphIR
package import LayerCatalog

extension ExportRow where Builder.Value == ExportOperand, Builder.Output == String {
  /// Makes a row for an operator that becomes the parts of a formula, once its data have the rows'
  /// layout.
  package init<Operation: CatalogOperator>(
    formula type: Operation.Type,
    _ formula:
      @escaping @Sendable (Operation, inout Composition) throws(Failure) -> ValueID
  ) {
    self.init(type) { (operation, builder) throws(Failure) in
      try builder.compose(builder.operands) { (make) throws(Failure) in
        [try formula(operation, &make)]
      }[0].name
    }
  }

  /// Rows for operators that targets of general nodes have the parts of, channels first:
  /// primitives, and operators with a simpler form than their definition.
  package static var formulas: [ExportRow] {
    [
      ExportRow(formula: AdaptiveAveragePooling.self) { (operation, make) throws(Failure) in
        var x = make.inputs[0]
        for (axis, count) in zip(2..., operation.dimensions) {
          let size = try make.size(x, axis: axis)
          x = try make.weighted(x, axis: axis, meanWeights(from: size, to: count))
        }
        return x
      },
      ExportRow(formula: AutoContrast.self) { (operation, make) throws(Failure) in
        try operation.stretched(&make)
      },
      ExportRow(formula: CELU.self) { (operation, make) throws(Failure) in
        let share = try make.linear(make.inputs[0], scale: 1 / operation.alpha)
        return try make.linear(try make(ELU(alpha: 1), share), scale: operation.alpha)
      },
      ExportRow(formula: RepeatVector.self) { (operation, make) throws(Failure) in
        let steps = try make(ExpandDims(axes: [1]), make.inputs[0])
        return try make(Tile(counts: [1, operation.count, 1]), steps)
      },
      ExportRow(formula: Sparsemax.self) { (operation, make) throws(Failure) in
        try operation.composed(&make)
      },
    ]
  }

  /// The weight of each element of an axis in the means of an adaptive pooling.
  private static func meanWeights(from old: Int, to new: Int) -> [[Double]] {
    (0..<new).map { output in
      let range = output * old / new..<((output + 1) * old + new - 1) / new
      return (0..<old).map { range.contains($0) ? 1 / Double(range.count) : 0 }
    }
  }
}

extension AutoContrast {
  fileprivate func stretched(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    let darkest = try make(Reduce(.minimum, axes: [1, 2], keepDims: true), x)
    let brightest = try make(Reduce(.maximum, axes: [1, 2], keepDims: true), x)
    let span = try make.difference(brightest, darkest)
    let isFlat = try make(Comparison(.equal), span, try make.number(0, like: span))
    let divisor = try make.chosen(isFlat, try make.number(1, like: span), span)
    let share = try make.quotient(try make.difference(x, darkest), divisor)
    let stretched = try make.clipped(
      try make.linear(share, scale: high - low, offset: low), low, high)
    return try make.chosen(isFlat, x, stretched)
  }
}

extension Sparsemax {
  /// Sorts the elements in descending order, of which the first k are above the threshold.
  fileprivate func composed(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (x, type) = (make.inputs[0], make.type(make.inputs[0]))
    guard axes.count == 1, let size = type.shape[axes[0]].value else {
      throw .unsupported("is made of a sorting along one axis of known size, and this is \(axes)")
    }
    let sum = Reduce(.sum, axes: axes, keepDims: true)
    let sorted = try make(Sort(axis: axes[0], isDescending: true, count: nil), x)
    let sums = try make(CumSum(axis: axes[0], isExclusive: false, isReversed: false), sorted)
    var shape = [Int](repeating: 1, count: type.rank)
    shape[axes[0]] = size
    let places = try make.constant(
      Tensor(type.elementType, shape: shape, (0..<size).map { Double($0 + 1) }))
    let bound = try make.offset(try make.product(places, sorted), by: 1)
    let isInside = try make(Comparison(.greater), bound, sums)
    let count = try make(sum, try make(Cast(to: type.elementType), isInside))
    let total = try make(sum, try make.chosen(isInside, sums, try make.number(0, like: sums)))
    let threshold = try make.quotient(try make.offset(total, by: -1), count)
    return try make.positive(try make.difference(x, threshold))
  }
}

extension CategoryEncoding {
  /// Counts how often each category is among the indices along the last axis, or whether it is.
  ///
  /// - Parameter checksRange: Whether an index outside the categories is an error when the model
  ///   runs, unless the operator drops it.
  package func counts(
    _ make: inout Composition, checksRange: Bool
  ) throws(WeighbridgeError) -> ValueID {
    let (x, type) = (make.inputs[0], make.type(make.inputs[0]))
    let numbers = (0..<categories).map(Double.init)
    var places = type.elementType == .int64 ? x : try make(Cast(to: .int64), x)
    if checksRange, !dropsOutOfRange {
      let isNegative = try make(Comparison(.less), places, try make.number(0, like: places))
      // One past the last category.
      let end = try make.number(Double(categories), like: places)
      places = try make(
        Gather(axis: 0), try make.constant(Tensor(.int64, shape: [categories], numbers)),
        try make.chosen(isNegative, end, places))
    }
    let shape = [Int](repeating: 1, count: type.rank) + [categories]
    let column = try make(ExpandDims(axes: [type.rank]), places)
    let hits = try make(
      Comparison(.equal), column, try make.constant(Tensor(.int64, shape: shape, numbers)))
    var counts = try make(Cast(to: .float32), hits)
    if countsTokens, isWeighted {
      let weights = try make(Cast(to: .float32), make.inputs[1])
      counts = try make.product(counts, try make(ExpandDims(axes: [type.rank]), weights))
    }
    return try make(
      Reduce(countsTokens ? .sum : .maximum, axes: [type.rank - 1], keepDims: false), counts)
  }
}
