import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Matrix products, embeddings, normalizations and reductions.
enum NCNNLayers {
  static let rows: [NCNNRow] = [
    NCNNRow(blob: Dense.self) { (operation, builder) throws(WeighbridgeError) in
      let (x, kernel) = (try builder.input(), try builder.tensor(1))
      let rows = try builder.knownShape(x).dropLast().reduce(1, *)
      // ncnn drops the axis of a single row.
      let leadingShape = rows == 1 ? [] : [rows]
      let bias = operation.hasBias ? [try builder.tensor(2)] : []
      return try builder.add(
        "InnerProduct", [try builder.reshape(x, leadingShape + [kernel.shape[1]])],
        [0: kernel.shape[0], 1: bias.count, 2: kernel.count], weights: [kernel] + bias,
        shape: leadingShape + [kernel.shape[0]])
    },
    NCNNRow(blob: Embedding.self) { (_, builder) throws(WeighbridgeError) in
      let (x, table) = (try builder.input(), try builder.tensor(1))
      guard builder.indexInputs.contains(x.name) else {
        throw .unsupported("ncnn looks up whole numbers, which only an input can hold")
      }
      let count = try builder.knownShape(x).reduce(1, *)
      return try builder.add(
        "Embed", [try builder.reshape(x, [count])],
        [0: table.shape[1], 1: table.shape[0], 3: table.count], weights: [table],
        shape: [count, table.shape[1]])
    },
    NCNNRow(blob: MatMul.self) { (operation, builder) throws(WeighbridgeError) in
      let rank = builder.type().rank
      guard rank > 2 else { return nil }
      var x = try builder.input(0)
      if operation.transposeA {
        x = try builder.permute(x, Array(0..<rank - 3) + [rank - 2, rank - 3])
      }
      return try builder.add(
        "MatMul", [x, try builder.input(1)], [0: operation.transposeB ? 1 : 0])
    },
    NCNNRow(blob: BatchNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.axis == 1 else { return nil }
      let mean = builder.operands.count - 2
      let statistics = [try builder.tensor(mean), try builder.tensor(mean + 1)]
      let affine = try builder.affine(
        operation.hasScale, operation.hasCenter, [statistics[0].count])
      return try builder.add(
        "BatchNorm", nil, [0: statistics[0].count], floats: [1: operation.epsilon],
        weights: [affine[0]] + statistics + [affine[1]])
    },
    NCNNRow(blob: GroupNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.axis == 1, let count = builder.type().shape[1].value else { return nil }
      return try builder.add(
        "GroupNorm", nil, [0: operation.groups, 1: count], floats: [2: operation.epsilon],
        weights: try builder.affine(operation.hasScale, operation.hasCenter, [count]))
    },
    NCNNRow(blob: LayerNormalization.self) { (operation, builder) throws(WeighbridgeError) in
      let rank = builder.type().rank - 1
      // The innermost axis, or both spatial axes of an image.
      let isInnermost = operation.axes == [rank] || operation.axes == [2, 3] && rank == 3
      guard isInnermost, rank < 4 else { return nil }
      let sizes = try builder.knownShape(try builder.input()).suffix(operation.axes.count)
      return try builder.add(
        "LayerNorm", nil, [0: sizes.reduce(1, *)], floats: [1: operation.epsilon],
        weights: try builder.affine(operation.hasScale, operation.hasCenter, Array(sizes)))
    },
    NCNNRow(blob: Reduce.self) { (operation, builder) throws(WeighbridgeError) in
      let equivalents: [Reduce.Function: Reduce.Function] = [.any: .maximum, .all: .minimum]
      // The batch axis has one example and is dropped.
      let axes = operation.axes.filter { $0 > 0 }.map { $0 - 1 }
      return try builder.reduce(equivalents[operation.function] ?? operation.function, axes)
    },
    NCNNRow(blob: CumSum.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.isExclusive, !operation.isReversed else { return nil }
      return try builder.add("CumulativeSum", nil, [0: try builder.axis(operation.axis)])
    },
    NCNNRow(blob: Softmax.self) { (operation, builder) throws(WeighbridgeError) in
      guard operation.axes.count == 1 else { return nil }
      return try builder.add("Softmax", nil, [0: try builder.axis(operation.axes[0]), 1: 1])
    },
  ]
}

extension NCNNBuilder {
  /// Returns the scales and offsets, which are the next inputs; ones and zeros for those that are
  /// missing.
  fileprivate func affine(
    _ hasScale: Bool, _ hasCenter: Bool, _ shape: [Int]
  ) throws(WeighbridgeError) -> [Tensor] {
    let defaults = [1.0, 0].map {
      Tensor(.float32, shape: shape.map { _ in 1 }, [$0]).broadcast(to: shape)
    }
    let inputs = NormalizationInputs(hasScale: hasScale, hasCenter: hasCenter)
    return [
      try inputs.scale.map(tensor) ?? defaults[0], try inputs.offset.map(tensor) ?? defaults[1],
    ]
  }
}
