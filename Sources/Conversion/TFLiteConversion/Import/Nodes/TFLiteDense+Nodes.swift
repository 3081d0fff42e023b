import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

extension TFLiteDense {
  static let nodes: [String: TFLiteReading] = [
    "BATCH_MATMUL": TFLiteReading(options: 101) { (layer) throws(WeighbridgeError) in
      layer.ignore(2)  // how inputs of quantized weights are rounded
      let operation = MatMul(transposeA: try layer.flag(0), transposeB: try layer.flag(1))
      return try layer.apply(
        operation, try layer.aligned([try layer.real(0), try layer.real(1)]))
    },
    "EMBEDDING_LOOKUP": TFLiteReading { (layer) throws(WeighbridgeError) in
      let indices = try layer.input(0)
      return try layer.apply(Gather(axis: 0), [try layer.real(1), indices])
    },
    "FULLY_CONNECTED": TFLiteReading(options: 8) { (layer) throws(WeighbridgeError) in
      layer.ignore(3, 4)  // how inputs of quantized weights are rounded; the type of the bias
      try layer.readActivation(0)
      guard try layer.choice(1) == 0 else {
        throw layer.unsupported("has shuffled weights, and only weights in rows can be read")
      }
      return [try layer.dense(keepsAxes: try layer.flag(2))]
    },
  ]
}

extension TFLiteLayer {
  fileprivate mutating func dense(keepsAxes: Bool) throws(WeighbridgeError) -> SourceValue {
    let (kernel, bias) = (try real(1), try optionalReal(2))
    var input = try real(0)
    guard type(kernel).rank == 2, let width = type(kernel).shape[1].value else {
      throw malformed("has the weights \(type(kernel)), and [out, in] is expected")
    }
    if type(input).rank != 2, !keepsAxes || type(input).rank < 2 {
      input = try reshape(
        input, to: [.known(-1), .known(width)], keepsZeros: true, role: "rows")
    }
    guard case .computed = kernel else {
      let operation = Dense(hasBias: bias != nil)
      return try apply(operation, [input, kernel] + (bias.map { [$0] } ?? []))[0]
    }
    let factors = try aligned([input, kernel])
    let product = MatMul(transposeA: false, transposeB: true)
    guard let bias else { return try apply(product, factors)[0] }
    let sum = try apply(product, factors, role: "product")[0]
    return try apply(Add(), try aligned([sum, bias]))[0]
  }
}
