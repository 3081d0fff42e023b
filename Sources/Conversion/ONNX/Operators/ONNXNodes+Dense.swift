import Bytes
import GraphIR
import LayerCatalog

extension ONNXNodes {
  /// Products of matrices.
  static let dense: [String: ONNXLayer.Build] = [
    "Einsum": { (layer) throws(WeighbridgeError) in
      try layer.einsum(try layer.text("equation", default: ""), try layer.allInputs())
    },
    "Gemm": { (layer) throws(WeighbridgeError) in try layer.gemm() },
    "MatMul": { (layer) throws(WeighbridgeError) in
      let (first, second) = (try layer.input(0), try layer.input(1))
      let (rank, other) = (layer.type(first).rank, layer.type(second).rank)
      guard rank >= 1, other >= 1 else { throw layer.malformed("a MatMul of single numbers") }
      if other == 2, rank >= 2, second.tensor != nil, first.tensor == nil {
        let kernel = try layer.derived(second, "transposed") { $0.permuted([1, 0]) }
        return [try layer.apply(Dense(hasBias: false), to: first, kernel)]
      }
      guard rank >= 2, other >= 2 else {
        throw layer.unsupported("a MatMul of \(layer.type(first)) and \(layer.type(second))")
      }
      return try layer.apply(
        MatrixProduct(transposesFirst: false, transposesSecond: false),
        try layer.aligned([first, second]))
    },
  ]
}

extension ONNXLayer {
  /// alpha A B + beta C
  fileprivate mutating func gemm() throws(WeighbridgeError) -> [ONNXValue] {
    let (alpha, beta) = (try real("alpha", default: 1), try real("beta", default: 1))
    let transposes = (try flag("transA"), try flag("transB"))
    ignore("broadcast")
    let bias = beta == 0 ? nil : try optional(2)
    guard alpha == 1, bias == nil || beta == 1 else {
      throw unsupported("a Gemm of alpha \(alpha) and beta \(beta)")
    }
    var (first, second) = (try input(0), try input(1))
    if transposes.0 { first = try transposed(first, [1, 0], role: "transpose_a") }
    guard second.tensor != nil else {
      if transposes.1 { second = try transposed(second, [1, 0], role: "transpose_b") }
      let product = MatrixProduct(transposesFirst: false, transposesSecond: false)
      guard let bias else { return try apply(product, [first, second]) }
      return [
        try apply(Add(), aligned([try apply(product, to: first, second, role: "product"), bias]))[0]
      ]
    }
    let kernel =
      transposes.1 ? second : try derived(second, "transposed") { $0.permuted([1, 0]) }
    guard let bias else { return [try apply(Dense(hasBias: false), to: first, kernel)] }
    let units = type(kernel).shape[0].value ?? 0
    guard let tensor = bias.tensor, tensor.count == units, tensor.shape.last == units else {
      let product = try apply(Dense(hasBias: false), to: first, kernel, role: "product")
      return try apply(Add(), aligned([product, bias]))
    }
    let flat = try derived(bias, "") { $0.reshaped([units]) }
    return [try apply(Dense(hasBias: true), to: first, kernel, flat)]
  }

  /// Sums of products of two tensors: the axes are ordered so that matrices are multiplied.
  fileprivate mutating func einsum(
    _ equation: String, _ values: [ONNXValue]
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let sides = equation.filter { $0 != " " }.split(separator: ">", maxSplits: 1)
    let terms = sides.first.map {
      $0.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { Array($0) }
    }
    guard let terms, sides.count == 2, sides[0].last == "-", terms.count == 2, values.count == 2,
      zip(terms, values).allSatisfy({ $0.count == type($1).rank })
    else { throw unsupported("the Einsum \(equation)") }
    let output = Array(sides[1])
    let (first, left) = try summed(values[0], terms[0], keeping: terms[1] + output, "sum_0")
    let (second, right) = try summed(values[1], terms[1], keeping: terms[0] + output, "sum_1")
    guard let plan = EinsumPlan(left, right, output) else {
      throw unsupported("the Einsum \(equation)")
    }
    let factors = [
      try matrices(first, plan.orders[0], plan.counts[0], "factor_0"),
      try matrices(second, plan.orders[1], plan.counts[1], "factor_1"),
    ]
    let product = try apply(
      MatrixProduct(transposesFirst: false, transposesSecond: false), to: factors[0], factors[1],
      role: "product")
    return [try unfolded(product, plan, [first, second])]
  }

  /// A factor without the axes that neither the other one nor the output has, which are summed over.
  private mutating func summed(
    _ value: ONNXValue, _ letters: [Character], keeping others: [Character], _ role: String
  ) throws(WeighbridgeError) -> (ONNXValue, [Character]) {
    let axes = letters.indices.filter { !others.contains(letters[$0]) }
    guard !axes.isEmpty else { return (value, letters) }
    let sum = Reduction(.sum, axes: axes, keepsAxes: false)
    return (try apply(sum, to: value, role: role), letters.filter(others.contains))
  }

  /// A tensor as matrices: leading axes in their order, then two runs of axes made one each.
  private mutating func matrices(
    _ value: ONNXValue, _ order: [Int], _ counts: [Int], _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let turned = try transposed(value, order, role: "\(role)/transpose")
    guard counts[1] != 1 || counts[2] != 1 else { return turned }
    let shape = type(turned).shape
    var extents = try (0..<counts[0]).map { (axis) throws(WeighbridgeError) in
      shape[axis].value.map { ReshapeAxes.Extent.fixed($0) } ?? .axis(axis)
    }
    var start = counts[0]
    var hasRest = false
    for count in counts.dropFirst() {
      let known = shape[start..<start + count].compactMap(\.value)
      if known.count == count {
        extents.append(.fixed(try Checked.product(known, of: "an extent")))
      } else if count == 1 {
        extents.append(.axis(start))
      } else {
        guard !hasRest else { throw unsupported("an Einsum of several open extents") }
        extents.append(.rest)
        hasRest = true
      }
      start += count
    }
    return try apply(ReshapeAxes(extents), to: turned, role: "\(role)/matrices")
  }

  /// The product's axes as the output has them.
  private mutating func unfolded(
    _ product: ONNXValue, _ plan: EinsumPlan, _ values: [ONNXValue]
  ) throws(WeighbridgeError) -> ONNXValue {
    var extents: [ReshapeAxes.Extent] = []
    var open = 0
    for (position, axis) in plan.result.enumerated() {
      if let known = type(values[axis.term]).shape[axis.axis].value {
        extents.append(.fixed(known))
      } else if position < plan.counts[0][0] {
        extents.append(.axis(position))
      } else {
        open += 1
        extents.append(.rest)
      }
    }
    guard open <= 1 else { throw unsupported("an Einsum of several open extents") }
    let isLast = plan.finalOrder == Array(plan.finalOrder.indices)
    let shaped = try apply(
      ReshapeAxes(extents), to: product, role: isLast ? "" : "axes")
    return try transposed(shaped, plan.finalOrder)
  }
}

/// How a sum of products becomes a product of matrices.
private struct EinsumPlan {
  /// The order of each factor's axes: those of both that the output has, then rows and sums, or sums
  /// and columns.
  let orders: [[Int]]
  /// How many axes of each factor stand before, and are rows and columns.
  let counts: [[Int]]
  /// Where each axis of the product comes from, once rows and columns are apart again.
  let result: [(term: Int, axis: Int)]
  /// The order of these axes in the output.
  let finalOrder: [Int]

  /// `nil` where a letter stands twice in one term, or in one factor only and not in the output.
  init?(_ first: [Character], _ second: [Character], _ output: [Character]) {
    guard [first, second, output].allSatisfy({ Set($0).count == $0.count }),
      output.allSatisfy({ first.contains($0) || second.contains($0) })
    else { return nil }
    let batch = first.filter { second.contains($0) && output.contains($0) }
    let sums = first.filter { second.contains($0) && !output.contains($0) }
    let rows = first.filter { !second.contains($0) }
    let columns = second.filter { !first.contains($0) }
    guard (rows + columns).allSatisfy(output.contains) else { return nil }
    orders = [
      (batch + rows + sums).compactMap { first.firstIndex(of: $0) },
      (batch + sums + columns).compactMap { second.firstIndex(of: $0) },
    ]
    counts = [
      [batch.count, rows.count, sums.count], [batch.count, sums.count, columns.count],
    ]
    let letters = batch + rows + columns
    result = letters.compactMap { letter in
      if let axis = first.firstIndex(of: letter) { return (0, axis) }
      return second.firstIndex(of: letter).map { (1, $0) }
    }
    finalOrder = output.compactMap { letters.firstIndex(of: $0) }
  }
}
