import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Matrix products, and what is added to them.
enum TensorFlowDense {
  static let nodes: TensorFlowOperators.Table = [
    "BatchMatMul": batches, "BatchMatMulV2": batches, "BatchMatMulV3": batches,
    "BiasAdd": { (layer) throws(WeighbridgeError) in
      [try layer.biased(try layer.input(0), try layer.input(1), try layer.layout())]
    },
    "BiasAddV1": { (layer) throws(WeighbridgeError) in
      [try layer.biased(try layer.input(0), try layer.input(1), .channelsLast)]
    },
    "Einsum": { (layer) throws(WeighbridgeError) in
      try layer.einsum(try layer.string("equation", default: ""), try layer.inputs())
    },
    "MatMul": { (layer) throws(WeighbridgeError) in
      [try layer.product(try layer.flag("transpose_a"), try layer.flag("transpose_b"))]
    },
    "_FusedMatMul": { (layer) throws(WeighbridgeError) in
      let (first, second) = (try layer.flag("transpose_a"), try layer.flag("transpose_b"))
      return try layer.fused { (layer) throws(WeighbridgeError) in
        try layer.product(first, second)
      }
    },
  ]

  private static let batches: TensorFlowLayer.Build = { (layer) throws(WeighbridgeError) in
    [try layer.product(try layer.flag("adj_x"), try layer.flag("adj_y"))]
  }
}

extension TensorFlowLayer {
  /// Adds a product of matrices. Of a constant matrix, it is a dense layer.
  fileprivate mutating func product(
    _ transposesFirst: Bool, _ transposesSecond: Bool
  ) throws(WeighbridgeError) -> SourceValue {
    let (first, second) = (try input(0), try input(1))
    let (left, right) = (type(first), type(second))
    guard second.tensor != nil, first.tensor == nil, right.rank == 2, left.rank >= 2,
      left.elementType.isFloat, !transposesFirst
    else {
      let product = MatMul(transposeA: transposesFirst, transposeB: transposesSecond)
      return try apply(product, try aligned([first, second]))[0]
    }
    let kernel = try derived(second, "") { transposesSecond ? $0 : $0.permuted([1, 0]) }
    return try apply(Dense(hasBias: false), [first, kernel])[0]
  }
}
