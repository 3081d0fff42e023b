import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Products with matrices.
enum TFLiteDense {
  static let rows: [TFLiteRow] = [
    TFLiteRow(value: Dense.self) { (operation, builder) throws(WeighbridgeError) in
      let keepsDimensions = builder.type().rank > 2
      return try builder.add(
        .fullyConnected, builder[0], builder[1], operation.hasBias ? builder[2] : nil,
        options: .dense(keepsDimensions: keepsDimensions), version: keepsDimensions ? 5 : 1,
        as: builder.outputType)
    },
    TFLiteRow(value: MatMul.self) { (operation, builder) throws(WeighbridgeError) in
      guard builder.type().rank <= 5 else {
        throw .unsupported("TFLite multiplies matrices along three other axes at most")
      }
      guard builder.type().elementType.isFloat else {
        throw .unsupported("TFLite multiplies matrices of floating-point numbers only")
      }
      return try builder.add(
        .batchMatMul, builder[0], builder[1],
        options: .matMul(transposeA: operation.transposeA, transposeB: operation.transposeB),
        as: builder.outputType)
    },
  ]
}
