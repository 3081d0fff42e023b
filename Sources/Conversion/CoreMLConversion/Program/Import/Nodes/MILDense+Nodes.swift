import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension MILDense {
  static let nodes: [String: MILLayer.Build] = [
    "linear": { (layer) throws(WeighbridgeError) in
      let (input, kernel) = (try layer.input(), try layer.input("weight"))
      let bias = try layer.optional("bias")
      return try layer.apply(
        Dense(hasBias: bias != nil), [input, kernel] + (bias.map { [$0] } ?? []))
    },
    "matmul": { (layer) throws(WeighbridgeError) in
      let operation = MatMul(
        transposeA: try layer.flag("transpose_x"), transposeB: try layer.flag("transpose_y"))
      let values = try layer.aligned([try layer.input("x"), try layer.input("y")])
      return try layer.apply(operation, values)
    },
    "einsum": { (layer) throws(WeighbridgeError) in
      try layer.einsum(try layer.text("equation"), try layer.inputs("values"))
    },
    "scaled_dot_product_attention": { (layer) throws(WeighbridgeError) in
      [try layer.attention()]
    },
  ]
}

extension MILLayer {
  /// Softmax of the products of queries and keys, times the values.
  fileprivate mutating func attention() throws(WeighbridgeError) -> SourceValue {
    let (query, key, value) = (try input("query"), try input("key"), try input("value"))
    guard let size = type(query).shape.last?.value, size > 0 else {
      throw unsupported("attends with \(type(query)), whose last size must be known")
    }
    let rank = type(query).rank
    let products = try apply(
      MatMul(transposeA: false, transposeB: true), to: query, key, role: "products")
    var scores = try scaling(products, by: 1 / Double(size).squareRoot(), role: "scale")
    if let mask = try optional("attn_mask") {
      let aligned = try aligned([scores, mask])
      if type(mask).elementType == .bool {
        let none = number(-.infinity, like: scores, "none")
        scores = try apply(Where(), to: aligned[1], scores, none, role: "masked")
      } else {
        scores = try apply(Add(), aligned, role: "masked")[0]
      }
    }
    let weights = try apply(Softmax(axes: [rank - 1]), to: scores, role: "weights")
    return try apply(MatMul(transposeA: false, transposeB: false), to: weights, value)
  }
}

extension MILNormalizations {
  static let nodes: [String: MILLayer.Build] = [
    "batch_norm": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let (scale, center) = (try layer.optional("gamma"), try layer.optional("beta"))
      let operation = BatchNormalization(
        axis: 1, epsilon: try layer.number("epsilon", default: 1e-5), hasScale: scale != nil,
        hasCenter: center != nil)
      let statistics = [try layer.input("mean"), try layer.input("variance")]
      return try layer.apply(operation, [input] + [scale, center].compactMap(\.self) + statistics)
    },
    "layer_norm": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let rank = layer.type(input).rank
      let axes = try layer.axes(try layer.integers("axes") ?? Array(0..<rank), rank: rank)
      let (scale, center) = (try layer.optional("gamma"), try layer.optional("beta"))
      let operation = LayerNormalization(
        axes: axes, epsilon: try layer.number("epsilon", default: 1e-5), hasScale: scale != nil,
        hasCenter: center != nil)
      return try layer.apply(operation, [input] + [scale, center].compactMap(\.self))
    },
    "instance_norm": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let rank = layer.type(input).rank
      guard rank >= 3 else { throw layer.malformed("normalizes \(layer.type(input)), no image") }
      let operation = LayerNormalization(
        axes: Array(2..<rank), epsilon: try layer.number("epsilon", default: 1e-5),
        hasScale: false, hasCenter: false)
      var value = try layer.apply(operation, to: input, role: "statistics")
      for (name, function) in [("gamma", Multiply() as any CatalogOperator), ("beta", Add())] {
        guard let weight = try layer.optional(name) else { continue }
        let channels = try layer.derived(weight, "channels") {
          $0.reshaped([1, $0.count] + [Int](repeating: 1, count: rank - 2))
        }
        value = try layer.apply(function, to: value, channels, role: name)
      }
      return [value]
    },
    "l2_norm": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let rank = layer.type(input).rank
      guard rank >= 3 else { throw layer.malformed("normalizes \(layer.type(input)), no image") }
      let squares = try layer.apply(UnaryMath(.square), to: input, role: "squares")
      let sum = try layer.apply(
        Reduce(.sum, axes: Array(rank - 3..<rank), keepDims: true), to: squares, role: "sum")
      let total = try layer.adding(
        try layer.number("epsilon", default: 1e-6), to: sum, role: "epsilon")
      let root = try layer.apply(UnaryMath(.squareRoot), to: total, role: "norm")
      return [try layer.apply(BinaryMath(.divide), to: input, root)]
    },
    "local_response_norm": { (layer) throws(WeighbridgeError) in
      let (input, size) = (try layer.input(), try layer.integer("size"))
      guard size >= 1, size < 1 << 20 else {
        throw layer.malformed("normalizes \(size) channels, expected 1 or more")
      }
      let alpha = try layer.number("alpha", default: 1e-4)
      let beta = try layer.number("beta", default: 0.75)
      let bias = try layer.number("k", default: 1)
      let operation = LocalResponseNormalization(
        axis: 1, before: (size - 1) / 2, after: size / 2, alpha: alpha / Double(size), beta: beta,
        bias: bias, omitted: nil)
      return [try layer.apply(operation, to: input)]
    },
  ]
}
