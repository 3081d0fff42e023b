package import Bytes
package import GraphIR
package import LayerCatalog

extension ExportRow where Builder.Value == ExportOperand, Builder.Output == String {
  /// Creates a row for an operator that is written as a formula of other operators, in the layout of
  /// the table.
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

  /// Channels-first rows for targets with general-purpose nodes: for primitives, and for operators
  /// with a simpler formula than their definition.
  package static var formulas: [ExportRow] {
    [
      ExportRow(formula: AdaptiveAveragePooling.self) { (operation, make) throws(Failure) in
        var x = make.inputs[0]
        for (axis, count) in zip(2..., operation.dimensions) {
          let size = try make.size(x, axis: axis)
          x = try make.weightedSums(x, axis: axis, meanWeights(from: size, to: count))
        }
        return x
      },
      ExportRow(formula: AutoContrast.self) { (operation, make) throws(Failure) in
        try operation.stretched(&make)
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

  /// The weight of each element of an axis in each mean of an adaptive pooling.
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
    let range = try make.difference(brightest, darkest)
    let isFlat = try make(Comparison(.equal), range, try make.number(0, like: range))
    let divisor = try make.chosen(isFlat, try make.number(1, like: range), range)
    let fraction = try make.quotient(try make.difference(x, darkest), divisor)
    let stretched = try make.clipped(
      try make.linear(fraction, scale: high - low, offset: low), low, high)
    return try make.chosen(isFlat, x, stretched)
  }
}

extension Sparsemax {
  /// Sorts the elements in descending order; the first k of them are above the threshold.
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
    let ranks = try make.constant(
      Tensor(type.elementType, shape: shape, (0..<size).map { Double($0 + 1) }))
    let bound = try make.offset(try make.product(ranks, sorted), by: 1)
    let isInSupport = try make(Comparison(.greater), bound, sums)
    let count = try make(sum, try make(Cast(to: type.elementType), isInSupport))
    let total = try make(sum, try make.chosen(isInSupport, sums, try make.number(0, like: sums)))
    let threshold = try make.quotient(try make.offset(total, by: -1), count)
    return try make.positivePart(try make.difference(x, threshold))
  }
}

extension CategoryEncoding {
  /// Counts how often each category occurs along the last axis, or whether it occurs.
  ///
  /// - Parameter checksRange: Whether an index that is no category is an error when the model runs,
  ///   unless the operator drops it.
  package func counts(
    _ make: inout Composition, checksRange: Bool
  ) throws(WeighbridgeError) -> ValueID {
    let (x, type) = (make.inputs[0], make.type(make.inputs[0]))
    let categoryIndices = (0..<categories).map(Double.init)
    var indices = type.elementType == .int64 ? x : try make(Cast(to: .int64), x)
    if checksRange, !dropsOutOfRange {
      let isNegative = try make(Comparison(.less), indices, try make.number(0, like: indices))
      let onePastLast = try make.number(Double(categories), like: indices)
      indices = try make(
        Gather(axis: 0), try make.constant(Tensor(.int64, shape: [categories], categoryIndices)),
        try make.chosen(isNegative, onePastLast, indices))
    }
    let shape = [Int](repeating: 1, count: type.rank) + [categories]
    let column = try make(ExpandDims(axes: [type.rank]), indices)
    let matches = try make(
      Comparison(.equal), column, try make.constant(Tensor(.int64, shape: shape, categoryIndices)))
    var counts = try make(Cast(to: .float32), matches)
    if countsTokens, isWeighted {
      let weights = try make(Cast(to: .float32), make.inputs[1])
      counts = try make.product(counts, try make(ExpandDims(axes: [type.rank]), weights))
    }
    return try make(
      Reduce(countsTokens ? .sum : .maximum, axes: [type.rank - 1], keepDims: false), counts)
  }
}
