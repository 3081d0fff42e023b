import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Normalizations.
enum MILNormalizations {
  static let rows: [MILRow] = [
    MILRow(value: BatchNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      // In float16, small variances and epsilons would vanish before they are divided by.
      guard builder.floatType == .float32, operation.axis == 1,
        (3...MILBuilder.maximumRank).contains(builder.type().rank)
      else { return try builder.affine(operation) }
      let positions = NormalizationInputs(
        hasScale: operation.hasScale, hasCenter: operation.hasCenter)
      let count = builder.operands.count
      return try builder.add(
        "batch_norm",
        [
          "x": .value(builder[0]), "mean": .value(builder[count - 2]),
          "variance": .value(builder[count - 1]),
          "gamma": positions.scale.map { .value(builder[$0]) },
          "beta": positions.offset.map { .value(builder[$0]) },
          "epsilon": .number(operation.epsilon),
        ], as: builder.outputType)
    },
    MILRow(value: LayerNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      guard builder.floatType == .float32, operation.normalizesLastAxes(rank: builder.type().rank),
        builder.operands.dropFirst().allSatisfy({ $0.constant != nil })
      else { return nil }
      let positions = NormalizationInputs(
        hasScale: operation.hasScale, hasCenter: operation.hasCenter)
      var scale = positions.scale.map { builder[$0] }
      if scale == nil, let offset = positions.offset {
        // coremltools fails at an offset without a scale.
        let ones = Tensor(.float32, shape: builder.type(offset).shape.map { _ in 1 }, [1])
        scale = .constant(ones.broadcast(to: try builder.tensor(offset).shape))
      }
      return try builder.add(
        "layer_norm",
        [
          "x": .value(builder[0]), "axes": .integers(operation.axes),
          "gamma": scale.map { .value($0) },
          "beta": positions.offset.map { .value(builder[$0]) },
          "epsilon": .number(operation.epsilon),
        ], as: builder.outputType)
    },
  ]
}
