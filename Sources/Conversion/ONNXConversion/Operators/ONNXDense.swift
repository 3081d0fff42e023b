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
      let turned =
        if let kernel = builder.operands[1].constant {
          try builder.weight(
            1, "transposed", shape: kernel.shape.reversed(), parts: [kernel.permuted([1, 0])])
        } else {
          builder.transpose(builder.input(1), [1, 0])
        }
      let product = builder.add("MatMul", [builder.input(), turned])
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
      return builder.add("Add", [product, try builder.alongAxis(2, axes, rank: output.count)])
    },
  ]

  static let nodes: [String: ONNXLayer.Build] = [
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
  /// A product of matrices: a dense layer if the second one is constant.
  mutating func matrixProduct(
    _ first: ONNXValue, _ second: ONNXValue, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let (rank, other) = (type(first).rank, type(second).rank)
    guard rank >= 1, other >= 1 else { throw malformed("a product of single numbers") }
    if other == 2, rank >= 2, second.tensor != nil, first.tensor == nil {
      let kernel = try derived(second, "transposed") { $0.permuted([1, 0]) }
      return try apply(Dense(hasBias: false), to: first, kernel, role: role)
    }
    if rank == 1 || other == 1 {
      return try vectorProduct(first, second, role: role)
    }
    return try apply(
      MatMul(transposeA: false, transposeB: false), aligned([first, second]),
      role: role)[0]
  }

  /// A product with a vector, which is treated as a matrix of one row or column; that axis is then
  /// removed from the result.
  private mutating func vectorProduct(
    _ first: ONNXValue, _ second: ONNXValue, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let (rank, other) = (type(first).rank, type(second).rank)
    let end = role.isEmpty ? "" : "\(role)/"
    let row =
      rank == 1 ? try apply(ExpandDims(axes: [0]), to: first, role: "\(end)row") : first
    let column =
      other == 1 ? try apply(ExpandDims(axes: [1]), to: second, role: "\(end)column") : second
    let product = try apply(
      MatMul(transposeA: false, transposeB: false), aligned([row, column]),
      role: "\(end)product")[0]
    let all = type(product).rank
    let axes = (rank == 1 ? [all - 2] : []) + (other == 1 ? [all - 1] : [])
    return try apply(Squeeze(axes: axes), to: product, role: role)
  }

  /// `alpha A B + beta C`.
  fileprivate mutating func gemm() throws(WeighbridgeError) -> [ONNXValue] {
    let (alpha, beta) = (try real("alpha", default: 1), try real("beta", default: 1))
    let transposes = (try flag("transA"), try flag("transB"))
    ignore("broadcast")
    var (first, second) = (try input(0), try input(1))
    guard type(first).rank == 2, type(second).rank == 2 else {
      throw malformed("a Gemm of \(type(first)) and \(type(second))")
    }
    var bias = beta == 0 ? nil : try optional(2)
    if let added = bias { bias = try scaled(added, by: beta, role: "beta") }
    // The factor is multiplied into a constant.
    if second.tensor != nil {
      second = try scaled(second, by: alpha, role: "alpha")
    } else {
      first = try scaled(first, by: alpha, role: "alpha")
    }
    if transposes.0 { first = try transposed(first, [1, 0], role: "transpose_a") }
    guard second.tensor != nil else {
      if transposes.1 { second = try transposed(second, [1, 0], role: "transpose_b") }
      let product = MatMul(transposeA: false, transposeB: false)
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

  /// A value multiplied by a number.
  private mutating func scaled(
    _ value: ONNXValue, by factor: Double, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    if factor == 1 { return value }
    return try apply(
      Multiply(), to: value, number(factor, like: value, role), role: "times_\(role)")
  }
}
