package import Bytes
import GraphIR
import LayerCatalog

/// Sums of products that an equation such as `bij,bjk->bik` describes.
extension ValueLayer {
  /// Adds an Einsum: products of two factors at a time, whose axes are ordered so that they become
  /// matrix products.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for an equation that does not fit the tensors;
  ///   ``WeighbridgeError/Code/malformed`` when the sizes of a letter differ.
  package mutating func einsum(
    _ equation: String, _ values: [SourceValue]
  ) throws(WeighbridgeError) -> [SourceValue] {
    guard !values.isEmpty,
      let parsed = EinsumEquation(equation, ranks: values.map { type($0).rank })
    else {
      throw unsupported(
        "has the equation \(equation) for \(values.map { type($0) }), expected the letters of all axes of each "
          + "operand, separated by commas, and those of the output, each once, after ->")
    }
    let output = parsed.output
    var factors: [EinsumFactor] = []
    for (position, (value, letters)) in zip(values, parsed.terms).enumerated() {
      factors.append(
        try diagonal(
          EinsumFactor(value: value, letters: letters), "diagonal_\(position)", equation))
    }
    try dropBroadcastAxes(&factors, equation)
    var result = factors[0]
    for position in factors.indices.dropFirst() {
      let isLast = position == factors.count - 1
      let needed = Set(output + factors[(position + 1)...].flatMap(\.letters))
      let letters =
        isLast
        ? output
        : (result.letters + factors[position].letters.filter { !result.letters.contains($0) })
          .filter(needed.contains)
      let prefix = factors.count == 2 ? "" : "product_\(position)/"
      result = EinsumFactor(
        value: try product(
          result, factors[position], to: letters, prefix,
          role: isLast ? "" : "product_\(position)"),
        letters: letters)
    }
    guard factors.count == 1 else { return [result.value] }
    let (operand, letters) = try summed(result.value, result.letters, keeping: output, "sum")
    let axes = output.compactMap { letters.firstIndex(of: $0) }
    let isSame = axes == Array(axes.indices)
    return [isSame ? try apply(Identity(), to: operand) : try transposed(operand, axes)]
  }

  /// Adds the sums of products of two factors.
  ///
  /// - Parameters:
  ///   - prefix: The start of the roles of the nodes before the last one.
  ///   - role: The role of the last node.
  private mutating func product(
    _ lhs: EinsumFactor, _ rhs: EinsumFactor, to output: [Character], _ prefix: String, role: String
  ) throws(WeighbridgeError) -> SourceValue {
    let (first, firstLetters) = try summed(
      lhs.value, lhs.letters, keeping: rhs.letters + output, "\(prefix)sum_0")
    let (second, secondLetters) = try summed(
      rhs.value, rhs.letters, keeping: lhs.letters + output, "\(prefix)sum_1")
    guard let plan = EinsumPlan(firstLetters, secondLetters, output) else {
      throw malformed("multiplies \(type(first)) and \(type(second)) by letters that do not fit")
    }
    let roles = EinsumRoles(prefix: prefix, last: role)
    if second.tensor != nil, plan.counts[0][0] == 0, plan.counts[0][1] > 0 {
      return try dense(first, second, plan, roles)
    }
    if plan.hasSeveralUnknownSizes([type(first), type(second)]) {
      return try productWithUnknownSizes([first, second], plan, roles)
    }
    let factors = [
      try matrices(first, plan.orders[0], plan.counts[0], "\(prefix)factor_0"),
      try matrices(second, plan.orders[1], plan.counts[1], "\(prefix)factor_1"),
    ]
    let product = try apply(
      MatMul(transposeA: false, transposeB: false), to: factors[0], factors[1],
      role: "\(prefix)product")
    return try unmerged(product, plan, [first, second], roles)
  }

  /// Takes the elements of a factor whose indices are equal along the axes with the same letter.
  private mutating func diagonal(
    _ factor: EinsumFactor, _ role: String, _ equation: String
  ) throws(WeighbridgeError) -> EinsumFactor {
    var (value, letters, step) = (factor.value, factor.letters, 0)
    while let letter = letters.first(where: { letter in letters.count { $0 == letter } > 1 }) {
      let axes = letters.indices.filter { letters[$0] == letter }.prefix(2)
      let (first, second) = (axes[0], axes[1])
      guard let size = type(value).shape[first].value, size == type(value).shape[second].value,
        size >= 1
      else {
        throw unsupported(
          "takes the diagonal of \(type(value)) by the equation \(equation), and the sizes must be known and equal"
        )
      }
      // The two axes become one, of which the diagonal is every size + 1 elements.
      let others = letters.indices.filter { $0 != first && $0 != second }
      let ordered = try transposed(
        value, others + [first, second], role: "\(role)/order_\(step)")
      let count = try Checked.product([size, size], of: "a size")
      let merged = try apply(
        ReshapeAxes(keptSizes(type(ordered), 0..<others.count) + [.fixed(count)]), to: ordered,
        role: "\(role)/merged_\(step)")
      let range = Slice.Range(axis: others.count, start: 0, stop: count, step: size + 1)
      value = try apply(Slice([range]), to: merged, role: "\(role)/elements_\(step)")
      letters = others.map { letters[$0] } + [letter]
      step += 1
    }
    return EinsumFactor(value: value, letters: letters)
  }

  /// Removes the axes of size 1 whose letter has another size elsewhere: there every element of the
  /// other factor has the same one of this.
  private mutating func dropBroadcastAxes(
    _ factors: inout [EinsumFactor], _ equation: String
  ) throws(WeighbridgeError) {
    var sizes: [Character: Int] = [:]
    var broadcast: Set<Character> = []
    for factor in factors {
      for (letter, size) in zip(factor.letters, type(factor.value).shape) where size.value != 1 {
        broadcast.insert(letter)
        guard let number = size.value else { continue }
        guard sizes.updateValue(number, forKey: letter) ?? number == number else {
          throw malformed(
            "has the equation \(equation) for \(factors.map { type($0.value) }), in which the sizes of a letter differ"
          )
        }
      }
    }
    for (position, factor) in factors.enumerated() {
      let shape = type(factor.value).shape
      let axes = shape.indices.filter {
        shape[$0].value == 1 && broadcast.contains(factor.letters[$0])
      }
      guard !axes.isEmpty else { continue }
      factors[position] = EinsumFactor(
        value: try apply(Squeeze(axes: axes), to: factor.value, role: "broadcast_\(position)"),
        letters: factor.letters.indices.filter { !axes.contains($0) }.map { factor.letters[$0] })
    }
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
    _ product: SourceValue, _ plan: EinsumPlan, _ values: [SourceValue], _ roles: EinsumRoles
  ) throws(WeighbridgeError) -> SourceValue {
    if plan.counts[0][1] == 1, plan.counts[1][2] == 1 {
      return try transposed(product, plan.finalOrder, role: roles.last)
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
      ReshapeAxes(dimensions), to: product, role: isFinal ? roles.last : roles.named("axes"))
    return try transposed(reshaped, plan.finalOrder, role: roles.last)
  }

  /// Adds the product where rows or columns of several unknown sizes cannot be merged into one axis
  /// and split again: all but the last of them become leading axes, with size 1 in the other
  /// factor.
  private mutating func productWithUnknownSizes(
    _ values: [SourceValue], _ plan: EinsumPlan, _ roles: EinsumRoles
  ) throws(WeighbridgeError) -> SourceValue {
    let batch = plan.counts[0][0]
    let (rows, sums, columns) = (plan.counts[0][1], plan.counts[0][2], plan.counts[1][2])
    let (outerRows, outerColumns) = (max(0, rows - 1), max(0, columns - 1))
    // First factor: batch, rows, then axes of size 1 for the columns, the last row axis and the
    // sums.
    var first = try transposed(values[0], plan.orders[0], role: roles.named("factor_0/transpose"))
    first = try merged(first, from: batch + rows, count: sums, role: roles.named("factor_0/sums"))
    let start = batch + outerRows
    let firstSingletons =
      Array(start..<start + outerColumns) + (rows == 0 ? [start + outerColumns] : [])
    if !firstSingletons.isEmpty {
      first = try apply(
        ExpandDims(axes: firstSingletons), to: first, role: roles.named("factor_0/axes"))
    }
    // Second factor: batch, axes of size 1 for the rows, columns, then the last column axis and the
    // sums.
    let order =
      Array(plan.orders[1][..<batch]) + plan.orders[1][(batch + sums)...]
      + plan.orders[1][batch..<batch + sums]
    var second = try transposed(values[1], order, role: roles.named("factor_1/transpose"))
    second = try merged(
      second, from: batch + columns, count: sums, role: roles.named("factor_1/sums"))
    let secondSingletons =
      Array(batch..<batch + outerRows) + (columns == 0 ? [batch + outerRows] : [])
    if !secondSingletons.isEmpty {
      second = try apply(
        ExpandDims(axes: secondSingletons), to: second, role: roles.named("factor_1/axes"))
    }
    var product = try apply(
      MatMul(transposeA: false, transposeB: true), to: first, second,
      role: roles.named("product"))
    let productSingletons =
      (rows == 0 ? [start + outerColumns] : [])
      + (columns == 0 ? [start + outerColumns + 1] : [])
    if !productSingletons.isEmpty {
      product = try apply(
        Squeeze(axes: productSingletons), to: product, role: roles.named("squeeze"))
    }
    // In the product the last row axis follows all columns but the last one.
    var axes = Array(0..<batch + outerRows)
    axes += (0..<outerColumns).map { batch + rows + $0 }
    if rows > 0 { axes.append(batch + rows - 1) }
    if columns > 0 { axes.append(batch + rows + columns - 1) }
    let finalOrder = plan.finalOrder.compactMap { axes.firstIndex(of: $0) }
    return try transposed(product, finalOrder, role: roles.last)
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
    _ first: SourceValue, _ second: SourceValue, _ plan: EinsumPlan, _ roles: EinsumRoles
  ) throws(WeighbridgeError) -> SourceValue {
    let (rows, sums) = (plan.counts[0][1], plan.counts[0][2])
    let sumDimensions = (type(second).fixedShape ?? []).enumerated().filter { axis, _ in
      plan.orders[1][..<sums].contains(axis)
    }.map(\.element)
    let sumCount = try Checked.product(sumDimensions, of: "a size")
    var input = try transposed(first, plan.orders[0], role: roles.named("transpose"))
    if sums != 1 {
      let rowSizes = keptSizes(type(input), 0..<rows)
      input = try apply(
        ReshapeAxes(rowSizes + [.fixed(sumCount)]), to: input, role: roles.named("rows"))
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
      Dense(hasBias: false), to: input, kernel,
      role: hasOneColumnAxis && isFinal ? roles.last : roles.named("dense"))
    if !hasOneColumnAxis {
      let rowSizes = keptSizes(type(result), 0..<rows)
      result = try apply(
        ReshapeAxes(rowSizes + columns.map { .fixed($0) }), to: result,
        role: isFinal ? roles.last : roles.named("columns"))
    }
    return try transposed(result, plan.finalOrder, role: roles.last)
  }
}

/// A factor of an Einsum, with a letter for each axis.
private struct EinsumFactor {
  let value: SourceValue
  let letters: [Character]
}

/// The roles of the nodes of a product of two factors.
private struct EinsumRoles {
  /// The start of the roles of the nodes before the last one.
  let prefix: String
  /// The role of the last node.
  let last: String

  /// The role of a node before the last one.
  func named(_ name: String) -> String { prefix + name }
}
