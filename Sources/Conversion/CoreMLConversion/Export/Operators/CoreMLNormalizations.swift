import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Normalisations.
enum CoreMLNormalizations {
  static let rows: [CoreMLRow] = [
    CoreMLRow(BatchNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.batchNormalization(operation)
    },
    CoreMLRow(native: LayerNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      let rank = builder.type().rank
      let isTrailing = operation.axes == Array(rank - operation.axes.count..<rank)
      guard isTrailing, operation.hasScale, operation.hasCenter, operation.epsilon > 0 else {
        return nil
      }
      let shape = try builder.dimensions(builder.type(1))
      return try builder.add(
        "layerNormalization", [try builder.input()],
        [
          "normalizedShape": .integers(shape), "eps": .real(operation.epsilon),
          "gamma": try builder.weights(1), "beta": try builder.weights(2),
        ])
    },
    CoreMLRow(native: LocalResponseNormalization.self) {
      (operation, builder) throws(WeighbridgeError) in
      guard operation.omitted == nil, operation.axis == 1, builder.type().rank == 4,
        operation.before == operation.after, operation.bias > 0
      else { return nil }
      let size = operation.before + operation.after + 1
      return try builder.add(
        "lrn", [try builder.input()],
        [
          "alpha": .real(operation.alpha * Double(size)), "beta": .real(operation.beta),
          "localSize": .integer(size), "k": .real(operation.bias),
        ])
    },
  ]
}

extension CoreMLNetworkBuilder {
  /// Where the axis is the channels' own of Core ML, its layer; otherwise a product and a sum.
  fileprivate mutating func batchNormalization(
    _ operation: BatchNormalization
  ) throws(WeighbridgeError) -> String {
    let statistics = operands.count - 2
    let (mean, variance) = (try tensor(statistics), try tensor(statistics + 1))
    let count = mean.count
    let hasChannels = operation.axis == 1 && (axes == .images || type().rank == 4)
    // Core ML takes an epsilon of 0 for one that is not said.
    guard hasChannels, operation.epsilon > 0 else {
      var weights: [[Double]] = []
      for position in operands.indices.dropFirst() {
        weights.append(try tensor(position).doubles)
      }
      let (factors, offsets) = operation.affine(weights)
      var shape = [Int](repeating: 1, count: type().rank)
      shape[operation.axis] = count
      let scaled = try product(try input(), try numbers(factors, shape: shape))
      return try sum(scaled, try numbers(offsets, shape: shape))
    }
    let gamma =
      operation.hasScale ? try weights(1) : weights([Double](repeating: 1, count: count))
    let beta =
      operation.hasCenter
      ? try weights(operation.hasScale ? 2 : 1) : weights([Double](repeating: 0, count: count))
    return try add(
      "batchnorm", [try input()],
      [
        "channels": .integer(count), "epsilon": .real(operation.epsilon), "gamma": gamma,
        "beta": beta, "mean": weights(mean), "variance": weights(variance),
      ])
  }
}
