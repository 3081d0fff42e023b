import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Normalisations.
enum ONNXNormalizations {
  static let rows: [ONNXRow] = [
    ONNXRow(BatchNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.batchNormalization(operation)
    },
    ONNXRow(native: LayerNormalization.self) { (operation, builder) in
      let rank = builder.type().rank
      let isTrailing = operation.axes == Array(rank - operation.axes.count..<rank)
      guard builder.opset >= 17, isTrailing, operation.hasScale else { return nil }
      return builder.add(
        "LayerNormalization", builder.allInputs(),
        ["axis": .integer(operation.axes[0]), "epsilon": .real(operation.epsilon)])
    },
    ONNXRow(native: LocalResponseNormalization.self) { (operation, builder) in
      let size = operation.before + operation.after + 1
      guard operation.omitted == nil, operation.axis == 1, builder.type().rank >= 3,
        operation.before == (size - 1) / 2
      else { return nil }
      return builder.add(
        "LRN", [builder.input()],
        [
          "alpha": .real(operation.alpha * Double(size)), "beta": .real(operation.beta),
          "bias": .real(operation.bias), "size": .integer(size),
        ])
    },
  ]
}

extension ONNXGraphBuilder {
  /// Where the axis is the channels' own of ONNX, its node; otherwise a product and a sum.
  fileprivate mutating func batchNormalization(
    _ operation: BatchNormalization
  ) throws(WeighbridgeError) -> String {
    let statistics = operands.count - 2
    let count = try tensor(statistics).count
    let type = operands[statistics].type.elementType
    let one = [Double](repeating: 1, count: count)
    let zero = [Double](repeating: 0, count: count)
    guard operation.axis == 1, type == elementType else {
      let weights = try operands.indices.dropFirst().map { (position) throws(WeighbridgeError) in
        try tensor(position).doubles
      }
      let (factor, offset) = operation.affine(weights)
      let shape = [count] + [Int](repeating: 1, count: self.type().rank - 1 - operation.axis)
      let scaled = add("Mul", [input(), numbers(factor, shape: shape)])
      return add("Add", [scaled, numbers(offset, shape: shape)])
    }
    let gamma = operation.hasScale ? input(1) : numbers(one)
    let beta = operation.hasCenter ? input(operation.hasScale ? 2 : 1) : numbers(zero)
    return add(
      "BatchNormalization", [input(), gamma, beta, input(statistics), input(statistics + 1)],
      ["epsilon": .real(operation.epsilon)])
  }
}
