import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Reshaping, slicing, padding and repeating.
enum TFLiteReshaping {
  static let rows: [TFLiteRow] =
    shapes + [
      TFLiteRow(value: Concatenate.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.concatenated(builder.operands, axis: operation.axis, as: builder.outputType)
      },
      TFLiteRow(value: Pad.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.padded(operation)
      },
      TFLiteRow(value: Slice.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.sliced(builder[0], operation.ranges, as: builder.outputType)
      },
      TFLiteRow(outputsOf: Split.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.split(operation).map(\.name)
      },
      TFLiteRow(value: Transpose.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.transposed(builder[0], operation.axes)
      },
      TFLiteRow(value: Reverse.self) { (operation, builder) throws(WeighbridgeError) in
        var value = builder[0]
        for axis in operation.axes {
          value = try builder.add(.reverse, value, builder.integers([axis]))
        }
        return value
      },
      TFLiteRow(value: Tile.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.add(
          .tile, builder[0], builder.integers(operation.counts), as: builder.outputType)
      },
      TFLiteRow(value: BroadcastTo.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.broadcast(operation)
      },
      TFLiteRow(value: SpaceToDepth.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.add(
          .spaceToDepth, builder[0], options: .spaceToDepth(block: operation.block),
          as: builder.outputType)
      },
      TFLiteRow(value: DepthToSpace.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.add(
          .depthToSpace, builder[0], options: .depthToSpace(block: operation.block),
          as: builder.outputType)
      },
    ]

  private static let shapes: [TFLiteRow] = [
    TFLiteRow(value: Reshape.self) { (_, builder) throws(WeighbridgeError) in
      try builder.reshaped(builder[0], as: builder.outputType, from: [0: (builder[0], 0)])
    },
    TFLiteRow(value: ReshapeAxes.self) { (operation, builder) throws(WeighbridgeError) in
      var sources: [Int: (value: ExportOperand, axis: Int)] = [:]
      for (position, size) in operation.sizes.enumerated() {
        if case .axis(let axis) = size { sources[position] = (builder[0], axis) }
      }
      return try builder.reshaped(builder[0], as: builder.outputType, from: sources)
    },
    TFLiteRow(value: ExpandDims.self) { (operation, builder) throws(WeighbridgeError) in
      var value = builder[0]
      for axis in operation.axes { value = try builder.expanded(value, axis) }
      return value
    },
    TFLiteRow(value: Squeeze.self) { (operation, builder) throws(WeighbridgeError) in
      try builder.squeezed(builder[0], operation.axes)
    },
    TFLiteRow(value: UnflattenTime.self) { (_, builder) throws(WeighbridgeError) in
      try builder.reshaped(
        builder[0], as: builder.outputType, from: [0: (builder[1], 0), 1: (builder[1], 1)])
    },
    TFLiteRow(value: Shape.self) { (_, builder) throws(WeighbridgeError) in
      let type = builder.outputType.elementType
      guard type == .int32 || type == .int64 else { return nil }
      return try builder.add(
        .shape, builder[0], options: .shape(type), as: builder.outputType)
    },
  ]
}

extension TFLiteBuilder {
  fileprivate mutating func split(
    _ operation: Split
  ) throws(WeighbridgeError) -> [ExportOperand] {
    let (axis, sizes) = (operation.axis, operation.sizes)
    if TFLiteBuiltin.splitSizes.takes(type().elementType) {
      return try add(
        .splitSizes, [self[0], integers(sizes), scalar(Double(axis))], .split(count: sizes.count),
        types: scope.outputTypes)
    }
    var (start, parts) = (0, [ExportOperand]())
    for size in sizes {
      parts.append(try sliced(self[0], axis: axis, start..<start + size))
      start += size
    }
    return parts
  }

  /// Pads all axes; reflections need at most one element less than the axis has.
  fileprivate mutating func padded(_ operation: Pad) throws(WeighbridgeError) -> ExportOperand {
    let (before, after) = (operation.before, operation.after)
    if type().elementType == .bool, operation.mode != .edge {
      return try paddedAsIntegers(operation)
    }
    switch operation.mode {
    case .constant: return try padded(self[0], before, after, value: operation.value)
    case .reflect, .symmetric:
      let borders = Tensor(
        .int32, shape: [before.count, 2],
        zip(before, after).flatMap { [Double($0), Double($1)] })
      return try add(
        .mirrorPad, self[0], .constant(borders),
        options: .mirrorPad(repeatsEdge: operation.mode == .symmetric), as: outputType)
    case .edge:
      var value = self[0]
      for axis in before.indices where before[axis] + after[axis] > 0 {
        guard let size = value.type.shape[axis].value else {
          throw .unsupported("repeats the edge of an axis whose size is not known")
        }
        let positions = (-before[axis]..<size + after[axis]).compactMap {
          operation.source(of: $0, dimension: size)
        }
        var type = value.type
        type.shape[axis] = .fixed(positions.count)
        value = try add(
          .gather, value, integers(positions), options: .gather(axis: axis, batchAxes: 0), as: type)
      }
      return value
    }
  }

  /// Pads booleans, which the kernels of older runtimes do not take.
  private mutating func paddedAsIntegers(
    _ operation: Pad
  ) throws(WeighbridgeError) -> ExportOperand {
    let integers = try cast(self[0], to: .int32)
    return try cast(try apply(operation, named: scope.prefix, [integers])[0], to: .bool)
  }

  /// Repeats axes of size 1. Where a size is dynamic, zeros that have the other sizes are added.
  fileprivate mutating func broadcast(
    _ operation: BroadcastTo
  ) throws(WeighbridgeError) -> ExportOperand {
    let (x, type) = (self[0], outputType)
    if let shape = type.fixedShape { return try add(.broadcastTo, x, integers(shape), as: type) }
    let sizes = operation.target.map { max(1, $0) }
    let zero = Tensor(type.elementType, shape: sizes.map { _ in 1 }, [0])
    let zeros = zero.broadcast(to: sizes)
    return try binary(type.elementType == .bool ? .logicalOr : .add, x, .constant(zeros))
  }
}
