import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Operators that reshape or transpose tensors.
enum ONNXReshaping: ONNXFamily {
  static let rows: [ONNXRow] = [
    ONNXRow(DepthToSpace.self, is: "DepthToSpace") {
      ["blocksize": .integer($0.block), "mode": .string("DCR")]
    },
    ONNXRow(SpaceToDepth.self, is: "SpaceToDepth") { ["blocksize": .integer($0.block)] },
    ONNXRow(Reshape.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.target.contains(0) else { throw noElements }
      return builder.reshape(builder.input(), [0] + operation.target)
    },
    ONNXRow(ReshapeAxes.self) { (operation, builder) throws(WeighbridgeError) in
      guard !operation.sizes.contains(.fixed(0)) else { throw noElements }
      return builder.reshape(operation)
    },
    ONNXRow(ReshapeTo.self) { (_, builder) throws(WeighbridgeError) in
      guard builder.opset >= 14 else {
        throw .unsupported(
          "has computed sizes, of which ONNX reads a 0 as such from opset 14 on (\(APIName.exportOpset))"
        )
      }
      return builder.add("Reshape", builder.allInputs(), ["allowzero": .integer(1)])
    },
    ONNXRow(FlattenTime.self) { (_, builder) throws(WeighbridgeError) in
      let (input, type) = (builder.input(), builder.type())
      let shape =
        [builder.integers([-1])]
        + (type.rank > 2 ? [builder.dimensions(input, type, 2..<type.rank)] : [])
      return builder.add("Reshape", [input, builder.concatenate(shape, axis: 0)])
    },
    ONNXRow(UnflattenTime.self) { (_, builder) throws(WeighbridgeError) in
      let (input, type) = (builder.input(0), builder.type(0))
      let shape =
        [builder.dimensions(builder.input(1), builder.type(1), 0..<2)]
        + (type.rank > 1 ? [builder.dimensions(input, type, 1..<type.rank)] : [])
      return builder.add("Reshape", [input, builder.concatenate(shape, axis: 0)])
    },
    ONNXRow(Squeeze.self) { (operation, builder) throws(WeighbridgeError) in
      builder.squeeze(builder.input(), operation.axes)
    },
    ONNXRow(Transpose.self, is: "Transpose") { ["perm": .integers($0.axes)] },
    ONNXRow(Shape.self) { (operation, builder) throws(WeighbridgeError) in
      let shape = builder.dimensions(builder.input())
      return operation.elementType == .int64
        ? shape : builder.cast(shape, to: operation.elementType)
    },
  ]

  private static let noElements = WeighbridgeError(
    .unsupported, "a size of 0, which ONNX reads as the input's")

  static let nodes: [String: ONNXLayer.Build] = [
    "DepthToSpace": { (layer) throws(WeighbridgeError) in
      let block = try layer.integer("blocksize", default: 0)
      let mode = try layer.string("mode", default: "DCR")
      var input = try layer.input()
      guard block >= 1, ["DCR", "CRD"].contains(mode), layer.type(input).rank == 4 else {
        throw layer.malformed(
          "has the mode \(mode) and blocksize=\(block) for \(layer.type(input)), and takes images of 4 axes, "
            + "blocks of 1 or more, and the mode DCR or CRD")
      }
      if mode == "CRD" { input = try layer.reorderedToDCR(input, block: block) }
      return [
        try layer.apply(DepthToSpace(block: block, layout: .channelsFirst), to: input)
      ]
    },
    "Flatten": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let rawAxis = try layer.integer("axis", default: 1)
      let rank = layer.type(input).rank
      let axis = rawAxis < 0 ? rawAxis + rank : rawAxis
      if axis == 1, rank >= 1 { return [try layer.apply(Reshape(target: [-1]), to: input)] }
      let shape = layer.type(input).shape
      if (0...rank).contains(axis), case let known = shape[axis...].compactMap(\.value),
        known.count == rank - axis, shape[..<axis].contains(where: { $0.value == nil })
      {
        let count = try Checked.product(known, of: "a size")
        return [try layer.apply(ReshapeAxes([.rest, .fixed(count)]), to: input)]
      }
      guard (0...rank).contains(axis),
        let leading = layer.type(input).with(shape: Array(layer.type(input).shape[..<axis]))
          .fixedShape
      else {
        throw layer.unsupported(
          "flattens several axes of unknown size before axis \(rawAxis), and only one such axis can be read"
        )
      }
      let count = try Checked.product(leading, of: "a size")
      return [try layer.apply(ReshapeAxes([.fixed(count), .rest]), to: input)]
    },
    "Identity": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      guard case .computed = input else { return [input] }
      return [try layer.apply(Identity(), to: input)]
    },
    "Reshape": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let keepsZeros = try layer.flag("allowzero")
      let target: [ONNXDimension]
      if let shape = try layer.integers("shape") {
        target = shape.map(ONNXDimension.known)
      } else {
        let sizes = try layer.input(1)
        guard let dimensions = sizes.dimensions else {
          return [try layer.reshape(input, toComputed: sizes, keepsZeros: keepsZeros)]
        }
        target = dimensions
      }
      // A list of dimensions stays a list, or becomes its only element.
      if input.tensor == nil, case .dimensions(let dimensions, _, let type) = input,
        target.count <= 1,
        target.allSatisfy({ [-1, dimensions.count].contains($0.number) })
      {
        return [.dimensions(dimensions, isList: !target.isEmpty, as: type)]
      }
      return [try layer.reshape(input, to: target, keepsZeros: keepsZeros)]
    },
    "SpaceToDepth": { (layer) throws(WeighbridgeError) in
      let block = try layer.integer("blocksize", default: 0)
      guard block >= 1 else {
        throw layer.malformed("has blocks of \(block), and 1 or more is expected")
      }
      let mode = try layer.string("mode", default: "DCR")
      guard ["DCR", "CRD"].contains(mode) else {
        throw layer.malformed("has the mode \(mode), and DCR or CRD is expected")
      }
      let operation = SpaceToDepth(block: block, layout: .channelsFirst)
      let input = try layer.input()
      guard mode == "CRD" else { return [try layer.apply(operation, to: input)] }
      let blocks = try layer.apply(operation, to: input, role: "blocks")
      return [try layer.reorderedToCRD(blocks, block: block)]
    },
    "Squeeze": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let rawAxes = try layer.integers(1, orAttribute: "axes")
      if input.tensor == nil, case .dimensions(let dimensions, true, let type) = input {
        return [.dimensions(dimensions, isList: false, as: type)]
      }
      let shape = layer.type(input).shape
      let axes =
        try rawAxes.map { (axes) throws(WeighbridgeError) in
          try layer.axes(axes, rank: shape.count)
        } ?? shape.indices.filter { shape[$0].value == 1 }
      return axes.isEmpty ? [input] : [try layer.apply(Squeeze(axes: axes), to: input)]
    },
    "Transpose": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let rank = layer.type(input).rank
      let axes = try layer.integers("perm") ?? Array((0..<rank).reversed())
      guard axes.sorted() == Array(0..<rank) else {
        throw layer.malformed(
          "has the order \(axes), and each axis of \(layer.type(input)) is expected once")
      }
      return [try layer.transposed(input, axes)]
    },
    "Unsqueeze": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      guard let rawAxes = try layer.integers(1, orAttribute: "axes") else {
        throw layer.malformed("has no axes, and an Unsqueeze needs the positions of the new ones")
      }
      if input.tensor == nil, case .dimensions(let dimensions, false, let type) = input {
        return [.dimensions(dimensions, isList: true, as: type)]
      }
      let axes = try layer.axes(rawAxes, rank: layer.type(input).rank + rawAxes.count)
      return [try layer.apply(ExpandDims(axes: axes), to: input)]
    },
  ]
}

extension ONNXGraphBuilder {
  /// Reshapes to constant sizes as far as they are known; if several are unknown, those are taken
  /// from the input when the model runs.
  fileprivate mutating func reshape(_ operation: ReshapeAxes) -> String {
    let (input, type) = (input(), outputType)
    let unknownAxes = type.shape.indices.filter { type.shape[$0].value == nil }
    if unknownAxes.count <= 1 {
      return reshape(input, type.shape.map { $0.value ?? -1 })
    }
    let sizes = operation.sizes.enumerated().map { position, dimension in
      if let known = type.shape[position].value { return integers([known]) }
      guard case .axis(let axis) = dimension else { return integers([-1]) }
      return dimensions(input, axis..<axis + 1)
    }
    return add("Reshape", [input, concatenate(sizes, axis: 0)])
  }
}

extension ONNXLayer {
  /// Reorders channels from column-row-depth (CRD) to depth-column-row (DCR) order.
  fileprivate mutating func reorderedToDCR(
    _ input: ONNXValue, block: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    try reordered(input, block: block, role: "order") { position, count, channels in
      position % channels * (count / channels) + position / channels
    }
  }

  /// Reorders channels from depth-column-row (DCR) to column-row-depth (CRD) order.
  fileprivate mutating func reorderedToCRD(
    _ input: ONNXValue, block: Int
  ) throws(WeighbridgeError) -> ONNXValue {
    try reordered(input, block: block, role: "") { position, count, channels in
      position % (count / channels) * channels + position / (count / channels)
    }
  }

  /// Reorders the channels of blocks.
  ///
  /// - Parameter source: The old position of a channel, of its new position, the number of positions and that of
  ///   channels in each place of a block.
  private mutating func reordered(
    _ input: ONNXValue, block: Int, role: String, _ source: (Int, Int, Int) -> Int
  ) throws(WeighbridgeError) -> ONNXValue {
    let blockSize = try Checked.product([block, block], of: "a block")
    guard let count = type(input).shape[1].value, count % blockSize == 0 else {
      throw unsupported(
        "moves \(type(input)) in blocks of \(block), and the square of the block must "
          + "divide the number of channels")
    }
    let order = (0..<count).map { Double(source($0, count, count / blockSize)) }
    let indices = newConstant(Tensor(.int64, shape: [count], order), "channels")
    return try apply(Gather(axis: 1), to: input, indices, role: role)
  }
}
