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
      [try layer.matrixProduct(try layer.input(0), try layer.input(1), role: "")]
    },
  ]
}

extension ONNXLayer {
  /// A product of matrices: a dense layer where the second one is known beforehand.
  mutating func matrixProduct(
    _ first: ONNXValue, _ second: ONNXValue, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let (rank, other) = (type(first).rank, type(second).rank)
    guard rank >= 1, other >= 1 else { throw malformed("a product of single numbers") }
    if other == 2, rank >= 2, second.tensor != nil, first.tensor == nil {
      let kernel = try derived(second, "transposed") { $0.permuted([1, 0]) }
      return try apply(Dense(hasBias: false), to: first, kernel, role: role)
    }
    guard rank >= 2, other >= 2 else {
      throw unsupported("a product of \(type(first)) and \(type(second))")
    }
    return try apply(
      MatrixProduct(transposesFirst: false, transposesSecond: false), aligned([first, second]),
      role: role)[0]
  }

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
}
