package import Bytes
import GraphIR
import LayerCatalog

/// Sums of products that an equation such as `bij,bjk->bik` describes.
extension ValueLayer {
  /// Adds an Einsum of one or two tensors: the axes are ordered so that it becomes a matrix
  /// product.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for an equation of another kind.
  package mutating func einsum(
    _ equation: String, _ values: [SourceValue]
  ) throws(WeighbridgeError) -> [SourceValue] {
    let compact = equation.filter { $0 != " " }
    let sides = expandingEllipses(in: compact, values).split(separator: ">", maxSplits: 1)
    let terms = sides.first.map {
      $0.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { Array($0) }
    }
    guard let terms, sides.count == 2, sides[0].last == "-", terms.count == values.count,
      (1...2).contains(terms.count),
      zip(terms, values).allSatisfy({ $0.count == type($1).rank && Set($0).count == $0.count })
    else {
      throw unreadable(equation)
    }
    let output = Array(sides[1])
    if terms.count == 1 {
      let (operand, letters) = try summed(values[0], terms[0], keeping: output, "sum")
      let axes = output.compactMap { letters.firstIndex(of: $0) }
      guard axes.count == letters.count, axes.count == output.count else {
        throw unreadable(equation)
      }
      let isSame = axes == Array(axes.indices)
      return [isSame ? try apply(Identity(), to: operand) : try transposed(operand, axes)]
    }
    let (first, firstLetters) = try summed(
      values[0], terms[0], keeping: terms[1] + output, "sum_0")
    let (second, secondLetters) = try summed(
      values[1], terms[1], keeping: terms[0] + output, "sum_1")
    guard let plan = EinsumPlan(firstLetters, secondLetters, output) else {
      throw unreadable(equation)
    }
    if second.tensor != nil, plan.counts[0][0] == 0, plan.counts[0][1] > 0 {
      return [try dense(first, second, plan)]
    }
    if plan.hasSeveralUnknownSizes([type(first), type(second)]) {
      return [try productWithUnknownSizes([first, second], plan)]
    }
    let factors = [
      try matrices(first, plan.orders[0], plan.counts[0], "factor_0"),
      try matrices(second, plan.orders[1], plan.counts[1], "factor_1"),
    ]
    let product = try apply(
      MatMul(transposeA: false, transposeB: false), to: factors[0], factors[1],
      role: "product")
    return [try unmerged(product, plan, [first, second])]
  }

  private func unreadable(_ equation: String) -> WeighbridgeError {
    unsupported(
      "has the equation \(equation), and only equations of one or two operands, "
        + "without ... and with each letter once in an operand, can be read")
  }

  /// Replaces each ellipsis in an equation by letters for the axes that it stands for.
  private func expandingEllipses(in equation: String, _ values: [SourceValue]) -> String {
    guard equation.contains(".") else { return equation }
    let sides = equation.split(separator: ">", maxSplits: 1).map(String.init)
    guard sides.count == 2, sides[0].hasSuffix("-") else { return equation }
    let terms = sides[0].dropLast().split(separator: ",", omittingEmptySubsequences: false)
    let unusedLetters = (UInt8(ascii: "A")...UInt8(ascii: "Z"))
      .map { Character(Unicode.Scalar($0)) }.filter { !equation.contains($0) }
    let ranks = zip(terms, values).map { term, value in
      term.contains(".") ? type(value).rank - (term.count - 3) : 0
    }
    // Broadcasting axes of lower rank is not supported, so all ellipses must be of the same rank.
    let ellipsisRank = ranks.max() ?? 0
    guard terms.count == values.count, (0...unusedLetters.count).contains(ellipsisRank),
      zip(terms, ranks).allSatisfy({ !$0.contains(".") || $1 == ellipsisRank })
    else { return equation }
    var (result, remaining) = ("", equation[...])
    while let dots = remaining.firstIndex(of: ".") {
      result += remaining[..<dots] + unusedLetters.prefix(ellipsisRank)
      remaining = remaining[dots...].drop { $0 == "." }
    }
    return result + remaining
  }

  /// Adds a factor summed over the axes that neither the other factor nor the output has.
  private mutating func summed(
    _ value: SourceValue, _ letters: [Character], keeping others: [Character], _ role: String
  ) throws(WeighbridgeError) -> (SourceValue, [Character]) {
    let axes = letters.indices.filter { !others.contains(letters[$0]) }
    guard !axes.isEmpty else { return (value, letters) }
    let sum = Reduce(.sum, axes: axes, keepDims: false)
    return (try apply(sum, to: value, role: role), letters.filter(others.contains))
  }

  /// Adds a tensor as matrices: the leading axes in their order, then two groups of axes merged
  /// into one axis each.
  private mutating func matrices(
    _ value: SourceValue, _ order: [Int], _ counts: [Int], _ role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let ordered = try transposed(value, order, role: "\(role)/transpose")
    guard counts[1] != 1 || counts[2] != 1 else { return ordered }
    let shape = type(ordered).shape
    var dimensions = try (0..<counts[0]).map { (axis) throws(WeighbridgeError) in
      shape[axis].value.map { ReshapeAxes.Size.fixed($0) } ?? .axis(axis)
    }
    var start = counts[0]
    var hasInferredSize = false
    for count in counts.dropFirst() {
      let known = shape[start..<start + count].compactMap(\.value)
      if known.count == count {
        dimensions.append(.fixed(try Checked.product(known, of: "a size")))
      } else if count == 1 {
        dimensions.append(.axis(start))
      } else {
        guard !hasInferredSize else {
          throw unsupported(
            "merges several axes of unknown size, and only one such axis can be read")
        }
        dimensions.append(.rest)
        hasInferredSize = true
      }
      start += count
    }
    return try apply(ReshapeAxes(dimensions), to: ordered, role: "\(role)/matrices")
  }

  /// Adds the product with the axes of the output.
  private mutating func unmerged(
    _ product: SourceValue, _ plan: EinsumPlan, _ values: [SourceValue]
  ) throws(WeighbridgeError) -> SourceValue {
    if plan.counts[0][1] == 1, plan.counts[1][2] == 1 {
      return try transposed(product, plan.finalOrder)
    }
    var dimensions: [ReshapeAxes.Size] = []
    var unknownCount = 0
    for (position, axis) in plan.result.enumerated() {
      if let known = type(values[axis.term]).shape[axis.axis].value {
        dimensions.append(.fixed(known))
      } else if position < plan.counts[0][0] {
        dimensions.append(.axis(position))
      } else {
        unknownCount += 1
        dimensions.append(.rest)
      }
    }
    guard unknownCount <= 1 else {
      throw unsupported("merges several axes of unknown size, and only one such axis can be read")
    }
    let isFinal = plan.finalOrder == Array(plan.finalOrder.indices)
    let reshaped = try apply(
      ReshapeAxes(dimensions), to: product, role: isFinal ? "" : "axes")
    return try transposed(reshaped, plan.finalOrder)
  }

  /// Adds the product where rows or columns of several unknown sizes cannot be merged into one axis
  /// and split again: all but the last of them become leading axes, with size 1 in the other
  /// factor.
  private mutating func productWithUnknownSizes(
    _ values: [SourceValue], _ plan: EinsumPlan
  ) throws(WeighbridgeError) -> SourceValue {
    let batch = plan.counts[0][0]
    let (rows, sums, columns) = (plan.counts[0][1], plan.counts[0][2], plan.counts[1][2])
    let (outerRows, outerColumns) = (max(0, rows - 1), max(0, columns - 1))
    // First factor: batch, rows, then axes of size 1 for the columns, the last row axis and the
    // sums.
    var first = try transposed(values[0], plan.orders[0], role: "factor_0/transpose")
    first = try merged(first, from: batch + rows, count: sums, role: "factor_0/sums")
    let start = batch + outerRows
    let firstSingletons =
      Array(start..<start + outerColumns) + (rows == 0 ? [start + outerColumns] : [])
    if !firstSingletons.isEmpty {
      first = try apply(ExpandDims(axes: firstSingletons), to: first, role: "factor_0/axes")
    }
    // Second factor: batch, axes of size 1 for the rows, columns, then the last column axis and the
    // sums.
    let order =
      Array(plan.orders[1][..<batch]) + plan.orders[1][(batch + sums)...]
      + plan.orders[1][batch..<batch + sums]
    var second = try transposed(values[1], order, role: "factor_1/transpose")
    second = try merged(second, from: batch + columns, count: sums, role: "factor_1/sums")
    let secondSingletons =
      Array(batch..<batch + outerRows) + (columns == 0 ? [batch + outerRows] : [])
    if !secondSingletons.isEmpty {
      second = try apply(ExpandDims(axes: secondSingletons), to: second, role: "factor_1/axes")
    }
    var product = try apply(
      MatMul(transposeA: false, transposeB: true), to: first, second,
      role: "product")
    let productSingletons =
      (rows == 0 ? [start + outerColumns] : [])
      + (columns == 0 ? [start + outerColumns + 1] : [])
    if !productSingletons.isEmpty {
      product = try apply(Squeeze(axes: productSingletons), to: product, role: "squeeze")
    }
    // In the product the last row axis follows all columns but the last one.
    var axes = Array(0..<batch + outerRows)
    axes += (0..<outerColumns).map { batch + rows + $0 }
    if rows > 0 { axes.append(batch + rows - 1) }
    if columns > 0 { axes.append(batch + rows + columns - 1) }
    let finalOrder = plan.finalOrder.compactMap { axes.firstIndex(of: $0) }
    return try transposed(product, finalOrder)
  }

  /// Merges trailing axes into one; adds an axis of size 1 if there are none.
  private mutating func merged(
    _ value: SourceValue, from start: Int, count: Int, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    if count == 1 { return value }
    if count == 0 { return try apply(ExpandDims(axes: [start]), to: value, role: role) }
    let known = type(value).shape[start...].compactMap(\.value)
    let product = try Checked.product(known, of: "a size")
    return try apply(
      ReshapeAxes(
        keptSizes(type(value), 0..<start) + [known.count == count ? .fixed(product) : .rest]),
      to: value, role: role)
  }

  /// Adds a dense layer along the last axis, for a constant second factor without an axis that both
  /// the first factor and the output have.
  private mutating func dense(
    _ first: SourceValue, _ second: SourceValue, _ plan: EinsumPlan
  ) throws(WeighbridgeError) -> SourceValue {
    let (rows, sums) = (plan.counts[0][1], plan.counts[0][2])
    let sumDimensions = (type(second).fixedShape ?? []).enumerated().filter { axis, _ in
      plan.orders[1][..<sums].contains(axis)
    }.map(\.element)
    let sumCount = try Checked.product(sumDimensions, of: "a size")
    var input = try transposed(first, plan.orders[0], role: "transpose")
    if sums != 1 {
      let rowSizes = keptSizes(type(input), 0..<rows)
      input = try apply(ReshapeAxes(rowSizes + [.fixed(sumCount)]), to: input, role: "rows")
    }
    let order = Array(plan.orders[1][sums...]) + plan.orders[1][..<sums]
    var columns: [Int] = []
    let kernel = try derived(second, "kernel") { tensor in
      let permuted = tensor.permuted(order)
      columns = Array(permuted.shape.dropLast(sums))
      return permuted.reshaped([columns.reduce(1, *), sumCount])
    }
    let hasOneColumnAxis = columns.count == 1
    let isFinal = plan.finalOrder == Array(plan.finalOrder.indices)
    var result = try apply(
      Dense(hasBias: false), to: input, kernel, role: hasOneColumnAxis && isFinal ? "" : "dense")
    if !hasOneColumnAxis {
      let rowSizes = keptSizes(type(result), 0..<rows)
      result = try apply(
        ReshapeAxes(rowSizes + columns.map { .fixed($0) }), to: result,
        role: isFinal ? "" : "columns")
    }
    return try transposed(result, plan.finalOrder)
  }
}
