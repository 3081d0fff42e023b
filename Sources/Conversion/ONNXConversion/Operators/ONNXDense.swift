import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Matrix products and dense layers.
enum ONNXDense: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(Dense.self) { (operation, builder) throws(WeighbridgeError) in
      if builder.type().rank == 2 {
        let inputs = builder.allInputs()
        return builder.add("Gemm", inputs, ["transB": .integer(1)])
      }
      // A quantized kernel is computed when the model runs.
      let transposed =
        if let kernel = builder.operands[1].constant {
          try builder.weight(
            1, "transposed", shape: kernel.shape.reversed(), parts: [kernel.permuted([1, 0])])
        } else {
          builder.transpose(builder.input(1), [1, 0])
        }
      let product = builder.add("MatMul", [builder.input(), transposed])
      return operation.hasBias ? builder.add("Add", [product, builder.input(2)]) : product
    },
    ONNXRow(EinsumDense.self) { (operation, builder) throws(WeighbridgeError) in
      let product = builder.einsum(
        [builder.input(0), builder.input(1)],
        [operation.input.letters, operation.kernel.letters],
        to: operation.output.letters)
      guard !operation.bias.letters.isEmpty else { return product }
      let output = operation.output.letters
      let axes = operation.bias.letters.compactMap { output.firstIndex(of: $0) }
      let bias = try builder.broadcastableWeight(2, along: axes, rank: output.count)
      return builder.add("Add", [product, bias])
    },
  ]

  static let nodes: [String: ONNXLayer.Build] = [
    "Det": { (layer) throws(WeighbridgeError) in [try layer.determinant()] },
    "Einsum": { (layer) throws(WeighbridgeError) in
      try layer.einsum(try layer.string("equation", default: ""), try layer.allInputs())
    },
    "Gemm": { (layer) throws(WeighbridgeError) in try layer.gemm() },
    "MatMul": { (layer) throws(WeighbridgeError) in
      [try layer.matrixProduct(try layer.input(0), try layer.input(1), role: "")]
    },
  ]
}

extension ONNXLayer {
  /// Adds a product of matrices: a dense layer if the second one is constant.
  mutating func matrixProduct(
    _ first: ONNXValue, _ second: ONNXValue, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let (firstRank, secondRank) = (type(first).rank, type(second).rank)
    guard firstRank >= 1, secondRank >= 1 else {
      throw malformed(
        "multiplies single numbers as matrices, and each operand needs an axis at least")
    }
    if secondRank == 2, firstRank >= 2, second.tensor != nil, first.tensor == nil {
      let kernel = try derived(second, "transposed") { $0.permuted([1, 0]) }
      return try apply(Dense(hasBias: false), to: first, kernel, role: role)
    }
    if firstRank == 1 || secondRank == 1 {
      return try vectorProduct(first, second, role: role)
    }
    return try apply(
      MatMul(transposeA: false, transposeB: false), aligned([first, second]),
      role: role)[0]
  }

  /// Adds a product with a vector, which is treated as a matrix of one row or column; that axis is
  /// then removed from the result.
  private mutating func vectorProduct(
    _ first: ONNXValue, _ second: ONNXValue, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let (firstRank, secondRank) = (type(first).rank, type(second).rank)
    let prefix = role.isEmpty ? "" : "\(role)/"
    let row =
      firstRank == 1 ? try apply(ExpandDims(axes: [0]), to: first, role: "\(prefix)row") : first
    let column =
      secondRank == 1
      ? try apply(ExpandDims(axes: [1]), to: second, role: "\(prefix)column") : second
    let product = try apply(
      MatMul(transposeA: false, transposeB: false), aligned([row, column]),
      role: "\(prefix)product")[0]
    let productRank = type(product).rank
    let axes =
      (firstRank == 1 ? [productRank - 2] : []) + (secondRank == 1 ? [productRank - 1] : [])
    return try apply(Squeeze(axes: axes), to: product, role: role)
  }

  /// Adds `alpha * A * B + beta * C`.
  fileprivate mutating func gemm() throws(WeighbridgeError) -> [ONNXValue] {
    let beta = try float("beta", default: 1)
    ignore("broadcast")
    let (first, second) = (try input(0), try input(1))
    var bias = beta == 0 ? nil : try optional(2)
    if let value = bias { bias = try scaled(value, by: beta, role: "beta") }
    return [
      try affineProduct(
        first, second, bias: bias, factor: try float("alpha", default: 1),
        transposes: (try flag("transA"), try flag("transB")), role: "")
    ]
  }

  /// Adds a product of two matrices, which may be transposed first, times a factor, and a sum with a bias: a
  /// dense layer if the second one is constant.
  mutating func affineProduct(
    _ first: ONNXValue, _ second: ONNXValue, bias: ONNXValue?, factor alpha: Double,
    transposes: (Bool, Bool), role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let productRole = role.isEmpty ? "product" : "\(role)/product"
    var (first, second) = (first, second)
    guard type(first).rank == 2, type(second).rank == 2 else {
      throw malformed(
        "multiplies \(type(first)) and \(type(second)), and a \(node.operation) takes two matrices")
    }
    // A constant second matrix is scaled, so that the factor costs nothing when the model runs.
    if second.tensor != nil {
      second = try scaled(second, by: alpha, role: "alpha")
    } else {
      first = try scaled(first, by: alpha, role: "alpha")
    }
    if transposes.0 { first = try transposed(first, [1, 0], role: "transpose_a") }
    guard second.tensor != nil else {
      if transposes.1 { second = try transposed(second, [1, 0], role: "transpose_b") }
      let product = MatMul(transposeA: false, transposeB: false)
      guard let bias else { return try apply(product, [first, second], role: role)[0] }
      let sum = try apply(product, to: first, second, role: productRole)
      return try apply(Add(), aligned([sum, bias]), role: role)[0]
    }
    let kernel =
      transposes.1 ? second : try derived(second, "transposed") { $0.permuted([1, 0]) }
    guard let bias else { return try apply(Dense(hasBias: false), to: first, kernel, role: role) }
    let units = type(kernel).shape[0].value ?? 0
    guard let tensor = bias.tensor, tensor.count == units, tensor.shape.last == units else {
      let product = try apply(Dense(hasBias: false), to: first, kernel, role: productRole)
      return try apply(Add(), aligned([product, bias]), role: role)[0]
    }
    let flat = try derived(bias, "") { $0.reshaped([units]) }
    return try apply(Dense(hasBias: true), to: first, kernel, flat, role: role)
  }

  /// Adds a value multiplied by a number.
  private mutating func scaled(
    _ value: ONNXValue, by factor: Double, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    if factor == 1 { return value }
    return try apply(
      Multiply(), to: value, number(factor, like: value, role), role: "times_\(role)")
  }
}
