import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Products with matrices.
enum MILDense {
  static let rows: [MILRow] = [
    MILRow(value: Dense.self) { (operation, builder) throws(WeighbridgeError) in
      guard builder[1].constant != nil else {
        let product = try builder.add(
          "matmul",
          [
            "x": .value(builder[0]), "y": .value(builder[1]), "transpose_x": false,
            "transpose_y": true,
          ], as: builder.outputType)
        guard operation.hasBias else { return product }
        let shape = [Int](repeating: 1, count: builder.type().rank - 1)
        let bias = try builder.weight(2, "row") { $0.reshaped(shape + [$0.count]) }
        return try builder.binary("add", product, bias)
      }
      return try builder.add(
        "linear",
        [
          "x": .value(builder[0]), "weight": .value(builder[1]),
          "bias": .value(operation.hasBias ? builder[2] : try builder.zeroBias()),
        ], as: builder.outputType)
    },
    MILRow(value: MatMul.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.add(
        "matmul",
        [
          "x": .value(builder[0]), "y": .value(builder[1]),
          "transpose_x": .boolean(operation.transposeA),
          "transpose_y": .boolean(operation.transposeB),
        ], as: builder.outputType)
    },
  ]
}

extension MILBuilder {
  /// A bias of zeros, which `linear` has by default.
  fileprivate func zeroBias() throws(WeighbridgeError) -> ExportOperand {
    let count = try tensor(1).shape[0]
    return .constant(
      Tensor(type(1).elementType, shape: [count], [Double](repeating: 0, count: count)))
  }
}
