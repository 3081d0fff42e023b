import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Convolutions, pooling, and changes of an image's size.
enum NCNNWindows {
  static let rows: [NCNNRow] = [
    NCNNRow(blob: Convolution.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.convolve(
        "Convolution", operation.window, groups: operation.groups, operation.hasBias,
        try builder.tensor(1))
    },
    NCNNRow(blob: TransposedConvolution.self) { (operation, builder) throws(WeighbridgeError) in
      let (kernel, groups) = (try builder.tensor(1), operation.groups)
      // [in, out/groups, ...] becomes [groups, out/groups, in/groups, ...].
      let blocks = kernel.splitting(0, into: [groups, kernel.shape[0] / groups])
      return try builder.convolve(
        "Deconvolution", operation.window, groups: groups, operation.hasBias,
        blocks.permuted([0, 2, 1] + Array(3..<blocks.shape.count)),
        Dictionary(uniqueKeysWithValues: zip([18, 19, 20], operation.outputPadding.reversed())))
    },
    NCNNRow(blob: MaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.pool(operation, [0: 0])
    },
    NCNNRow(blob: AveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.pool(operation, [0: 1, 6: operation.countIncludePad ? 1 : 0])
    },
    NCNNRow(blob: GlobalAveragePooling.self) { (_, builder) throws(WeighbridgeError) in
      try builder.reduce(.mean, Array(1..<builder.type().rank - 1))
    },
    NCNNRow(blob: GlobalMaxPooling.self) { (_, builder) throws(WeighbridgeError) in
      try builder.reduce(.maximum, Array(1..<builder.type().rank - 1))
    },
    NCNNRow(blob: AdaptiveAveragePooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.adapt(operation, 1)
    },
    NCNNRow(blob: AdaptiveMaxPooling.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.adapt(operation, 0)
    },
    NCNNRow(blob: Upsampling.self) { (operation, builder) throws(WeighbridgeError) in
      let factors = operation.factors.map(Double.init)
      // ncnn multiplies by the reciprocal in float32, which must not be too small.
      guard operation.interpolation == .nearest, factors.count == 2,
        factors.allSatisfy({ Double(1 / Float($0)) >= 1 / $0 })
      else { return nil }
      return try builder.add("Interp", nil, [0: 1], floats: [1: factors[0], 2: factors[1]])
    },
    NCNNRow(DepthToSpace.self, is: "PixelShuffle", integers: { [$0.block, 1] }),
    NCNNRow(SpaceToDepth.self, is: "Reorg", integers: { [$0.block, 1] }),
    NCNNRow(composite: CenterCrop.self), NCNNRow(composite: Cropping.self),
    NCNNRow(composite: MaskedAveragePooling.self), NCNNRow(composite: Resizing.self),
    NCNNRow(composite: ZeroPadding.self),
  ]
}

extension NCNNBuilder {
  /// The suffix of the name of a layer with a number of spatial axes.
  private func dimensions(_ axes: Int) throws(WeighbridgeError) -> String {
    guard (1...3).contains(axes) else {
      throw .unsupported("has other than one to three spatial axes, which ncnn's layer has")
    }
    return ["1D", "", "3D"][axes - 1]
  }

  /// The settings of a window: its size, strides, dilation, and padding before and after, innermost
  /// axis first. If the padding depends on a dynamic size, it is TensorFlow's SAME.
  private func settings(
    _ window: Window, _ ids: [[Int]], _ borders: (before: [Int], after: [Int])?
  ) -> [Int: Int] {
    let samePadding = window.size.map { _ in -233 }
    let values = [window.size, window.strides, window.dilation]
    let padding = [borders?.before ?? samePadding, borders?.after ?? samePadding]
    let pairs = zip(ids, values + padding).flatMap { zip($0, $1.reversed()) }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// - Parameter kernel: `[out, in/groups, ...]`, or with a leading axis for the groups.
  fileprivate mutating func convolve(
    _ kind: String, _ window: Window, groups: Int, _ hasBias: Bool, _ kernel: Tensor,
    _ extra: [Int: Int] = [:]
  ) throws(WeighbridgeError) -> NCNNBlob {
    let dimensions = try dimensions(window.size.count)
    let ids = [[1, 11, 21], [3, 13, 23], [2, 12, 22], [4, 14, 24], [15, 16, 17]]
    let borders = window.borders(of: Array(type().shape.dropFirst(2)))
    var settings = settings(window, ids, borders).merging(extra) { $1 }
    settings[0] = outputType.shape[1].value
    settings[5] = hasBias ? 1 : 0
    settings[6] = kernel.count
    if groups > 1 { settings[7] = groups }
    return try add(
      kind + (groups > 1 ? "DepthWise" : "") + dimensions, nil, settings,
      weights: [kernel] + (hasBias ? [try tensor(2)] : []))
  }

  fileprivate mutating func pool(
    _ operation: some WindowedOperator, _ extra: [Int: Int]
  ) throws(WeighbridgeError) -> NCNNBlob {
    let window = operation.window
    let dimensions = try dimensions(window.size.count)
    let ids = [[1, 11, 21], [2, 12, 22], [], [3, 13, 23], [14, 15, 16]]
    let borders = window.borders(of: Array(type().shape.dropFirst(2)))
    let isUnsupportedMean = extra[6] == 0 && (borders == nil || window.mayLieInPadding)
    guard window.dilation.allSatisfy({ $0 == 1 }), !isUnsupportedMean else {
      throw .unsupported(
        "ncnn's pooling has no dilation, and no mean of the inside where it may be empty")
    }
    var settings = settings(window, ids, borders).merging(extra) { $1 }
    settings[5] = borders == nil ? 2 : 1  // TensorFlow's SAME, or explicit
    return try add("Pooling\(dimensions)", nil, settings)
  }

  fileprivate mutating func adapt(
    _ operation: some AdaptivePoolingOperator, _ kind: Int
  ) throws(WeighbridgeError) -> NCNNBlob {
    let dimensions = try dimensions(operation.dimensions.count)
    let sizes = Dictionary(uniqueKeysWithValues: zip([8, 18, 28], operation.dimensions.reversed()))
    return try add("Pooling\(dimensions)", nil, sizes.merging([0: kind, 7: 1]) { $1 })
  }
}
